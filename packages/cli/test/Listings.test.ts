import { assert, describe, it } from "@effect/vitest"
import * as Endpoints from "@sluice/core/Endpoints"
import * as Listings from "../src/endpoints/Listings.ts"

const paths = new Set(Endpoints.all.map(({ path }) => path))

describe("the listings of names", () => {
  const series = Endpoints.all.filter(({ path }) => path.startsWith("/timeseries/"))
  for (const endpoint of series) {
    it(`are endpoints that exist, or commands: ${endpoint.path}`, () => {
      const lists = [...endpoint.parameters.values()].filter(({ role: { _tag } }) =>
        /^(?:Entities|Columns)$/.test(_tag)
      )
      assert.isAbove(lists.length, 0)
      for (const { name } of lists) {
        const command = Listings.find(endpoint.path, name)
        if (command === undefined) {
          assert.strictEqual(endpoint.path, "/timeseries/defi-balance-sheets")
          continue
        }
        const [, path] = /^get (\S+)$/.exec(command) ?? []
        if (path === undefined) assert.match(command, /^(?:metrics <asset>|markets --exchange <exchange>)$/)
        else assert.isTrue(paths.has(`/${path}`), path)
      }
    })
  }

  it("are named for the service's own word for an exchange, and not for a time", () => {
    assert.strictEqual(Listings.find("/timeseries/exchange-metrics", "id"), "get catalog-v2/exchange-metrics")
    assert.isUndefined(Listings.find("/timeseries/exchange-metrics", "start_time"))
    assert.isUndefined(Listings.find("/reference-data/assets", "assets"))
  })

  it("are named for the filters of lists and catalogs", () => {
    assert.strictEqual(Listings.find("/catalog-v2/asset-metrics", "assets"), "get reference-data/assets")
    assert.strictEqual(Listings.find("/reference-data/markets", "exchange"), "get reference-data/exchanges")
    assert.isUndefined(Listings.find("/reference-data/markets", "type"))
  })
})
