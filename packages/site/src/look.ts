/**
 * `pnpm docs:look`: opens the built site in a headless Chromium as a reader does, without a server. The search must find a
 * guide and an endpoint, and a click on a result must open it. Pictures go to `out/look`.
 */
import { mkdirSync } from "node:fs"
import { resolve } from "node:path"
import { pathToFileURL } from "node:url"
import { chromium, type Page } from "playwright-core"
import * as Chromium from "./Chromium.ts"

const root = resolve(import.meta.dirname, "../../..")
const start = pathToFileURL(resolve(root, "out/site/index.html")).href
const pictures = resolve(root, "out/look")

const fail = (sentence: string): never => {
  throw new Error(sentence)
}

/** Searches for a word, opens the result with this title, and checks that its page has the heading. */
const searchFor = async (page: Page, word: string, title: string, heading: string) => {
  await page.goto(start)
  await page.keyboard.press("/")
  await page.locator("#tsd-search-input").fill(word)
  const found = page.locator("#tsd-search-results a").filter({ hasText: title }).first()
  await found.waitFor()
  await page.screenshot({ path: resolve(pictures, `search-${word.toLowerCase()}.png`) })
  await found.click()
  await page.locator("h1").filter({ hasText: heading }).first().waitFor()
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
  process.stdout.write(`The site opens, and its search finds pages. Pictures are in ${pictures}.\n`)
}
