import { assert, describe, it } from "@effect/vitest"
import { Endpoint, Parameter, Params } from "@sluice/core"
import * as Schema from "effect/Schema"
import * as Read from "../table/Read.ts"

const named = (path: string, name: string) => Read.endpointOf(path).parameters.get(name)

const roles = (path: string, tag: Parameter.RoleTag) =>
  Parameter.withRole(Read.endpointOf(path).parameters, tag).map(({ name }) => name)

const bounds = (path: string, unit: Parameter.Unit) =>
  (["Start", "End"] as const).map((tag) => Parameter.find(Read.endpointOf(path).parameters, tag, unit)?.name)

describe("Parameter", () => {
  it("knows what is required, which words there are, and the bounds of a number", () => {
    const path = "/timeseries/asset-metrics"
    assert.deepInclude(named(path, "assets"), { isRequired: true, isList: true, kind: "text" })
    assert.deepInclude(named(path, "metrics"), { isRequired: true, isList: true, role: { _tag: "Columns" } })
    assert.deepInclude(named(path, "start_time"), { isRequired: false, isList: false, kind: "time" })
    assert.deepInclude(named(path, "end_inclusive"), { kind: "boolean" })
    assert.deepInclude(named(path, "frequency"), { kind: "word", isClosed: false })
    assert.deepInclude(named(path, "sort"), { words: ["asset", "height", "time"], isClosed: true })
    assert.deepInclude(named(path, "min_confirmations"), { kind: "integer", minimum: 0, maximum: 99 })
    assert.deepInclude(named("/catalog/assets", "exclude"), {
      isList: true,
      words: ["metrics", "markets", "exchanges"]
    })
    assert.deepInclude(named("/catalog/markets", "limit"), { kind: "integer", words: ["none"], maximum: 100 })
  })

  it("knows what a parameter cannot be given beside", () => {
    const path = "/timeseries/asset-metrics"
    assert.deepStrictEqual(named(path, "start_time")?.excludes, ["start_height", "start_hash"])
    assert.deepStrictEqual(named(path, "end_hash")?.excludes, ["end_time", "end_height"])
    assert.deepStrictEqual(named(path, "assets")?.excludes, [])
    assert.deepStrictEqual(named("/reference-data/markets", "figi")?.excludes, ["cusip", "isin"])
  })

  it("finds the bounds of a range whatever they are called", () => {
    assert.deepStrictEqual(bounds("/timeseries/asset-metrics", "time"), ["start_time", "end_time"])
    assert.deepStrictEqual(bounds("/timeseries/asset-metrics", "height"), ["start_height", "end_height"])
    assert.deepStrictEqual(bounds("/taxonomy/assets", "time"), ["classification_start_time", "classification_end_time"])
    assert.deepStrictEqual(bounds("/reference-data/assets", "time"), [undefined, undefined])
    assert.deepStrictEqual(roles("/timeseries/asset-metrics", "LimitPer"), ["limit_per_asset"])
  })

  it("of an endpoint somebody builds: its page size, its formats and what tells its records apart", () => {
    const endpoint = Endpoint.make("/blocks", {
      section: "none",
      params: Schema.Struct({
        chains: Params.entities(Params.requiredList),
        kinds: Params.list,
        odd: Schema.optional(Schema.String),
        page_size: Params.pageSize(200)
      }),
      record: Schema.Struct({ id: Schema.String })
    })
    assert.deepInclude(endpoint, { pageSize: 200, formats: ["json"], splits: ["chains"] })
    assert.deepStrictEqual(endpoint.parameters.get("odd")?.role, { _tag: "Other" })
  })
})
