import { assert, describe, it } from "@effect/vitest"
import { Endpoint, Endpoints } from "@sluice/core"

const paging = ["page_size", "paging_from", "next_page_token", "pretty", "format"]

const metrics = ["metrics", ...paging]

/** Paths of interface.md 4.1 and 4.6 with their parameters, copied by hand. */
const described: Readonly<Record<string, ReadonlyArray<string>>> = {
  "/reference-data/assets": ["assets", "include", ...paging],
  "/reference-data/exchanges": ["exchanges", "include", ...paging],
  "/reference-data/markets": [
    "markets",
    "exchange",
    "type",
    "base",
    "quote",
    "asset",
    "symbol",
    "publisher",
    "cusip",
    "figi",
    "isin",
    "include",
    ...paging
  ],
  "/reference-data/indexes": ["indexes", ...paging],
  "/reference-data/protocols": ["protocols", "chains", "markets", ...paging],
  "/reference-data/pairs": ["pairs", ...paging],
  "/reference-data/asset-metrics": ["reviewable", ...metrics],
  "/reference-data/exchange-metrics": metrics,
  "/reference-data/exchange-asset-metrics": metrics,
  "/reference-data/pair-metrics": metrics,
  "/reference-data/institution-metrics": metrics,
  "/reference-data/market-metrics": metrics
}

const find = (path: string) => Endpoints.all.find((endpoint) => endpoint.path === path)

const camelCase = (text: string) => text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

describe("Endpoints", () => {
  it.each(Endpoints.entries.map(({ endpoint, name, section }) => [endpoint.path, `${section}.${name}`] as const))(
    "%s is found as %s",
    (path, found) => {
      const [, section = "", ...rest] = path.split("/")
      assert.strictEqual(found, `${upperFirst(camelCase(section))}.${camelCase(rest.join("-"))}`)
    }
  )

  it.each(Object.entries(described))("%s takes exactly the parameters of the interface", (path, parameters) => {
    const endpoint = find(path)
    assert.isDefined(endpoint)
    assert.deepStrictEqual(Endpoint.parameterNames(endpoint!.params).toSorted(), parameters.toSorted())
  })

  it("has every path once", () => {
    const paths = Endpoints.all.map(({ path }) => path)
    assert.deepStrictEqual([...new Set(paths)], paths)
    for (const path of Object.keys(described)) assert.include(paths, path)
    assert.include(paths, "/timeseries/asset-metrics")
  })

  it.each(Endpoints.all.map((endpoint) => [endpoint.path, endpoint] as const))(
    "%s says of itself what holds",
    (path, endpoint) => {
      assert.match(endpoint.section, /^4\.\d$/)
      assert.isTrue(Endpoint.isEndpoint(endpoint))
      assert.isFunction(endpoint)
      assert.isAtLeast(endpoint.pageSize, 1)
      assert.isAtMost(endpoint.pageSize, 10_000)
      // A time series begins at its end by itself, a list at its start.
      assert.strictEqual(endpoint.order, path.startsWith("/timeseries/") ? "series" : "list")
      const offersFormat = Endpoint.parameterNames(endpoint.params).includes("format")
      assert.strictEqual(offersFormat, endpoint.formats.includes("json_stream"))
    }
  )

  it("knows what the community root does not offer", () => {
    assert.strictEqual(find("/reference-data/protocols")?.community, false)
    assert.strictEqual(find("/reference-data/assets")?.community, true)
    assert.strictEqual(find("/timeseries/asset-metrics")?.community, true)
  })

  it("tells endpoints from other values", () => {
    for (const value of [undefined, null, {}, () => 0, { path: "/x" }, "x"]) assert.isFalse(Endpoint.isEndpoint(value))
  })
})
