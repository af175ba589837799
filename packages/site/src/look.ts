/**
 * `pnpm docs:look`: opens the built site in a headless Chromium as a reader does, without a server. The search must find what a new
 * user looks for, and a click on a result must open it; no page may be wider than a screen or a phone. Pictures go to `out/look`.
 */
import { mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { chromium, type Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"
import { questions } from "./search/Questions.ts"

const root = resolve(import.meta.dirname, "../../..")
const start = pathToFileURL(resolve(root, "out/site/index.html")).href
const pictures = resolve(root, "out/look")

const fail = (sentence: string): never => {
  throw new Error(sentence)
}

const search = async (page: Page, words: string) => {
  await page.locator("#tsd-search-input").fill(words)
  // Results of the last search go when these come.
  await page.waitForFunction(
    (words) => document.getElementById("tsd-search-results")?.dataset["query"] === words,
    words
  )
  return page.locator("#tsd-search-results a")
}

/** Searches for a word, opens the result with this title, and checks that its page has the heading. */
const searchFor = async (page: Page, word: string, title: string, heading: string) => {
  await page.goto(start)
  await page.keyboard.press("/")
  const found = (await search(page, word)).filter({ hasText: title }).first()
  await found.waitFor()
  await page.screenshot({ path: resolve(pictures, `search-${word.toLowerCase()}.png`) })
  await found.click()
  await page.locator("h1").filter({ hasText: heading }).first().waitFor()
}

/** One of the pages that answer a question is among the first three results, each with a line of text. */
const checkQuestions = async (page: Page) => {
  await page.goto(start)
  await page.keyboard.press("/")
  for (const [words, ...titles] of questions) {
    const results = await search(page, words)
    const found = await results.evaluateAll((all) =>
      all.slice(0, 3).map((one) => [one.querySelector(".title")?.textContent, one.querySelector(".line")?.textContent])
    )
    if (!found.some(([title]) => titles.includes(title ?? ""))) fail(`"${words}" finds ${JSON.stringify(found)}`)
    if (found.some(([, line]) => (line ?? "") === "")) fail(`"${words}" finds a page without a line of it`)
  }
}

/** Operations of every kind: long tables, deep records, long names, a job, a live stream, one record. */
const operations = [
  "Timeseries.marketCandles",
  "Timeseries.assetMetrics",
  "Timeseries.marketFundingRatesPredicted",
  "Live.marketOrderbooks",
  "BlockchainJobs.balanceUpdates",
  "BlockchainV2.block",
  "ReferenceData.markets",
  "CatalogV2.assetMetrics",
  "CatalogAllV2.exchangePairMetrics",
  "Taxonomy.assets"
]

const checkOperations = async (page: Page, width: number) => {
  await page.setViewportSize({ width, height: 900 })
  for (const name of operations) {
    const [section = ""] = name.split(".")
    await page.goto(new URL(`documents/Reference.${section}.${name}.html`, start).href)
    await checkWidth(page, `${name} at ${width} pixels`)
    for (const heading of ["Program", "Command line", "Parameters", "Fields", "A record"]) {
      await page.locator("h2").filter({ hasText: heading }).first().waitFor()
    }
    await page.screenshot({ path: resolve(pictures, `${name}-${width}.png`) })
  }
}

/** A page that is wider than the window scrolls sideways on a phone. */
const checkWidth = async (page: Page, name: string) => {
  const [content, window] = await page.evaluate(() => [document.body.scrollWidth, document.body.clientWidth] as const)
  if (content > window) fail(`${name}: the page is ${content} wide in a window of ${window}`)
}

const look = async (executablePath: string) => {
  mkdirSync(pictures, { recursive: true })
  const browser = await chromium.launch({ executablePath, args: Chromium.args })
  try {
    const page = await browser.newPage({ viewport: { width: 1360, height: 900 } })
    const problems: Array<string> = []
    page.on("pageerror", (error) => problems.push(error.message))
    page.on("request", (request) => {
      if (!request.url().startsWith("file:")) problems.push(`the page asks for ${request.url()}`)
    })
    await page.goto(start)
    await page
      .locator(".tsd-navigation a")
      .filter({ hasText: "Getting started" })
      .first()
      .waitFor({ state: "attached" })
    await page.screenshot({ path: resolve(pictures, "start.png") })
    await searchFor(page, "quota", "Quotas", "Quotas")
    await page.screenshot({ path: resolve(pictures, "guide.png") })
    await searchFor(page, "marketCandles", "marketCandles", "marketCandles")
    await page.screenshot({ path: resolve(pictures, "endpoint.png") })
    await checkQuestions(page)
    for (const width of [1280, 390]) await checkOperations(page, width)
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(start)
    await checkWidth(page, "index.html")
    await page.screenshot({ path: resolve(pictures, "phone.png") })
    if (problems.length > 0) fail(problems.join("\n"))
  } finally {
    await browser.close()
  }
}

const found = Chromium.find()
if (found === undefined) {
  process.stdout.write("SKIPPED: there is no Chromium here, and it cannot be installed.\n")
} else {
  await look(found)
  process.stdout.write(`The site opens, and its search finds what new users look for. Pictures are in ${pictures}.\n`)
}
