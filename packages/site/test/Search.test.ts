import { assert, describe, it } from "@effect/vitest"
import { resolve } from "node:path"
import * as Entries from "../src/search/Entries.ts"
import { questions } from "../src/search/Questions.ts"
import * as Search from "../src/search/Search.ts"

const root = resolve(import.meta.dirname, "../../..")
const none = () => undefined
const pages = Search.index([...Entries.guidesOf(root, none), ...Entries.operationsOf(root, none)])

const titlesOf = (query: string) => Search.find(pages, query).map(({ entry }) => entry.title)

describe("the search of the site", () => {
  it.each(questions)("leads from “%s” to the page about it, among the first three", (query, ...titles) => {
    const first = titlesOf(query).slice(0, 3)
    assert.isTrue(
      first.some((title) => titles.includes(title)),
      `${query}: ${first.join(", ")}`
    )
  })

  it("finds an operation by its name and by its path", () => {
    assert.strictEqual(titlesOf("marketCandles")[0], "Timeseries.marketCandles")
    assert.strictEqual(titlesOf("/timeseries/market-trades")[0], "Timeseries.marketTrades")
    assert.include(titlesOf("price_close"), "Timeseries.marketCandles")
  })

  it("shows a line of text with what was found marked", () => {
    const [found] = Search.find(pages, "rate limit")
    assert.isDefined(found)
    const marked = found.line.filter((_, position) => position % 2 === 1)
    assert.isNotEmpty(marked)
    for (const word of marked) assert.match(word, /^(?:rat|limit)/i)
    assert.isBelow(found.line.join("").length, 260)
  })

  it("finds words before they are typed to the end, and nothing for words that no page has", () => {
    assert.strictEqual(titlesOf("prox")[0], titlesOf("proxy")[0])
    assert.deepStrictEqual(titlesOf("zzyzx"), [])
    assert.deepStrictEqual(titlesOf(" "), [])
  })
})
