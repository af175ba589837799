import { assert, describe, it } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as EndpointIndex from "../src/endpoints/EndpointIndex.ts"
import { backfillFlags } from "../src/commands/flags/BackfillFlags.ts"
import { syncFlags } from "../src/commands/flags/DatasetFlags.ts"
import { downloadFlags } from "../src/commands/flags/DownloadFlags.ts"
import { getFlags, schemaFlags, tailFlags } from "../src/commands/flags/Flags.ts"
import * as Descriptions from "../src/endpoints/Descriptions.ts"
import { nearest } from "@sluice/core/Nearest"
import * as Parameters from "../src/endpoints/Parameters.ts"
import * as FlagKinds from "../src/settings/FlagKinds.ts"
import * as GlobalFlags from "../src/settings/GlobalFlags.ts"

const ofEndpoints = Command.make("all", {
  backfillFlags,
  syncFlags,
  downloadFlags,
  getFlags,
  schemaFlags,
  tailFlags
})

describe("flags of an endpoint", () => {
  it("are its parameters, all but the format of the wire", () => {
    for (const { endpoint } of Endpoints.entries) {
      const names = [...endpoint.parameters.keys()].filter((name) => name !== "format")
      assert.deepStrictEqual([...Parameters.of(endpoint).keys()], names)
    }
  })

  it("never have the name of a command's own flag, except limit, which means the same", () => {
    const taken = new Set(
      [GlobalFlags.spellings, FlagKinds.spellings(ofEndpoints)].flatMap(({ toggles, values }) =>
        [...toggles, ...values].map((flag) => flag.replace(/^--?/, ""))
      )
    )
    const clashes = [...Endpoints.entries, ...Endpoints.liveEntries].flatMap(({ endpoint }) =>
      [...Parameters.of(endpoint).keys()].filter((name) => taken.has(name) || taken.has(Parameters.kebab(name)))
    )
    assert.deepStrictEqual([...new Set(clashes)], ["limit"])
  })

  it.effect("are all described, and so are the fields of every record", () =>
    Effect.gen(function* () {
      const descriptions = yield* Descriptions.load
      for (const entry of [...Endpoints.entries, ...Endpoints.liveEntries]) {
        const { endpoint } = entry
        const described = descriptions.endpoints[endpoint.path]
        assert.strictEqual(described?.name, EndpointIndex.nameOf(entry))
        if (described === undefined) continue
        const known = Descriptions.parametersOf(descriptions, endpoint.path).map(({ name }) => name)
        assert.includeMembers(known, [...Parameters.of(endpoint).keys()])
        const names = [
          ...(described.record === undefined ? [] : [described.record]),
          ...described.additions.flatMap((one) => one.records)
        ]
        for (const name of names) assert.property(descriptions.records, name)
      }
    })
  )

  it("know lists, numbers, words, and which parameters are required", () => {
    const entry = EndpointIndex.find("timeseries/asset-metrics")
    const shapes = entry === undefined ? new Map() : Parameters.of(entry.endpoint)
    assert.deepInclude(shapes.get("assets"), { isList: true, isRequired: true })
    assert.deepInclude(shapes.get("page_size"), { kind: "integer", isRequired: false })
    assert.deepInclude(shapes.get("end_inclusive"), { kind: "boolean" })
    assert.deepInclude(shapes.get("status"), { words: ["all", "flash", "reviewed", "revised"], isClosed: true })
    assert.deepInclude(shapes.get("frequency"), { kind: "word", isClosed: false })
  })
})

describe("what parameters mean", () => {
  it("is said in flags", () => {
    const end = EndpointIndex.find("timeseries/asset-metrics")?.endpoint.parameters.get("end_time")
    assert.isDefined(end)
    if (end === undefined) return
    const times = " (also -30d, -6h, yesterday, now)"
    assert.strictEqual(Parameters.explain(end, "A `end_inclusive: false`."), `A \`--no-end_inclusive\`.${times}`)
    assert.strictEqual(Parameters.explain(end, "A `flag: true`."), `A \`--flag\`.${times}`)
  })
})

describe("names", () => {
  it("find an endpoint by path and by name, in any case, with slashes or without", () => {
    for (const { endpoint, name, section } of Endpoints.entries) {
      for (const text of [
        endpoint.path,
        endpoint.path.slice(1),
        `${section}.${name}`,
        `${section}.${name}`.toUpperCase()
      ]) {
        assert.strictEqual(EndpointIndex.find(text)?.endpoint, endpoint, text)
      }
    }
  })

  it("that do not exist get similar ones as suggestions", () => {
    const candidates = ["reference-data/assets", "timeseries/asset-metrics"].map((value) => ({ value, names: [value] }))
    assert.deepStrictEqual(nearest("timeseries/asset-metric", candidates), ["timeseries/asset-metrics"])
    assert.deepStrictEqual(nearest("timeseris/asset-metrics", candidates), ["timeseries/asset-metrics"])
    assert.deepStrictEqual(nearest("time/asset-metrics", candidates), ["timeseries/asset-metrics"])
    assert.deepStrictEqual(nearest("something else", candidates), [])
  })
})
