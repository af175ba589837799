import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { get, pages, refused, type Row, rows } from "./Harness.ts"

const assets = "/taxonomy/assets"
const metadata = "/taxonomy-metadata/assets"
const levels = ["class_id", "class", "sector_id", "sector", "subsector_id", "subsector"]

const every = (path: string, query = "version=*") => rows(`${path}?page_size=10000&${query}`)
const field = (list: ReadonlyArray<Row>, name: string) => list.map((row) => String(row[name]))
const day = (row: Row, name: string) => String(row[name]).slice(0, 10)
const subsectors = (row: Row) => row["subsectors"] as ReadonlyArray<Row>

// Polygon was a base layer until 2022-06-12, and has been a second layer since the day after.
const polygon = (query: string) =>
  Effect.map(rows(`${assets}?assets=matic&${query}`), (list) => field(list, "subsector").join())

const since = (text: string) => polygon(`classification_start_time=${text}`)
const until = (text: string) => polygon(`classification_end_time=${text}`)

const shown = (query: string) => Effect.map(every(metadata, query), (all) => field(all, "taxonomy_version").join())

const versionOf = (version: string | undefined) =>
  Effect.map(every(metadata), (all) => all.find((row) => row["taxonomy_version"] === version) ?? {})

const bad = (path: string, message: string) =>
  Effect.map(get(path), (answer) => refused(answer, 400, "bad_parameter", message))

describe("Both taxonomy endpoints", () => {
  for (const path of [assets, metadata]) {
    for (const from of ["start", "end"]) {
      it.effect(`lose nothing of ${path} between pages, from the ${from}`, () =>
        Effect.gen(function* () {
          const size = path === metadata ? 2 : 19
          const walked = yield* pages(`${path}?version=*&page_size=${size}&paging_from=${from}`)
          const ordered = from === "start" ? walked : walked.toReversed()
          assert.isAbove(walked.length, 2)
          assert.deepStrictEqual(ordered.flat(), yield* every(path))
        }).pipe(Effect.provide(Sandbox.layerMemory()))
      )
    }

    it.effect(`refuse an unknown version and a flag that is none: ${path}`, () =>
      Effect.gen(function* () {
        yield* bad(`${path}?version=9.9`, "Bad parameter 'version'. Value '9.9' is not supported.")
        for (const flag of ["start_inclusive", "end_inclusive"]) {
          yield* bad(`${path}?${flag}=no`, `Bad parameter '${flag}'. Value 'no' is not supported.`)
        }
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }
})

describe("Taxonomy of assets", () => {
  it.effect("lists hundreds of assets by asset and start, each record with its required fields", () =>
    Effect.gen(function* () {
      const all = yield* every(assets)
      const keys = all.map((row) => `${String(row["asset"])} ${day(row, "classification_start_time")}`)
      assert.deepStrictEqual(keys, [...new Set(keys)].toSorted())
      assert.isAtLeast(new Set(field(all, "asset")).size, 300)
      assert.isAtLeast(new Set(field(all, "updated_at_taxonomy_version")).size, 3)
      const required = ["asset", "full_name", "taxonomy_version", "classification_start_time", ...levels]
      for (const row of all) {
        for (const name of required) assert.isString(row[name], `${name} of ${JSON.stringify(row)}`)
        assert.strictEqual(row["updated_at_taxonomy_version"], row["taxonomy_version"])
      }
      const names = new Map((yield* every("/reference-data/assets", "")).map((row) => [row["asset"], row["full_name"]]))
      for (const row of all) assert.strictEqual(row["full_name"], names.get(row["asset"]))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("ends an old classification before the next begins, and leaves the current one open", () =>
    Effect.gen(function* () {
      const all = yield* every(assets)
      let reclassified = 0
      for (const [n, row] of all.entries()) {
        const next = all[n + 1]
        if (next === undefined || next["asset"] !== row["asset"]) continue
        reclassified++
        assert.isBelow(
          +new Date(day(row, "classification_end_time")),
          +new Date(day(next, "classification_start_time"))
        )
        assert.notStrictEqual(row["subsector_id"], next["subsector_id"])
      }
      assert.isAbove(reclassified, 50)
      // Some ended without a successor: their assets have left.
      assert.isAbove(all.filter((row) => "classification_end_time" in row).length, reclassified)
      assert.isTrue(field(all, "classification_start_time").some((text) => /^\d{4}-\d\d-\d\d$/.test(text)))
      assert.isTrue(field(all, "classification_start_time").some((text) => /T00:00:00\.0{9}Z$/.test(text)))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("shows the latest version by default: what is still open, one record of an asset at most", () =>
    Effect.gen(function* () {
      const open = (yield* every(assets)).filter((row) => !("classification_end_time" in row))
      const shown = yield* every(assets, "")
      assert.deepStrictEqual(shown, open)
      assert.strictEqual(new Set(field(shown, "asset")).size, shown.length)
      const latest = (yield* every(metadata, ""))[0]?.["taxonomy_version"]
      assert.deepStrictEqual(yield* every(assets, `version=${String(latest)}`), open)
      assert.deepStrictEqual(yield* every(assets, "version=latest"), open)
      assert.strictEqual((yield* rows(assets)).length, 100)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("shows what was in force on the last day of an earlier version", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* polygon("version=*"), "Base Layers,Second Layers")
      assert.strictEqual(yield* polygon("version=1.0"), "Base Layers")
      assert.strictEqual(yield* polygon("version=1.1"), "Second Layers")
      assert.strictEqual(yield* polygon("version=2.0"), "Second Layers")
      const end = day(yield* versionOf("1.2"), "taxonomy_end_time")
      const shown = yield* every(assets, "version=1.2")
      assert.strictEqual(new Set(field(shown, "asset")).size, shown.length)
      for (const row of shown) {
        assert.isTrue(day(row, "classification_start_time") <= end)
        assert.isTrue(!("classification_end_time" in row) || day(row, "classification_end_time") >= end)
      }
      // An asset that came later is known, but not there yet.
      assert.deepStrictEqual(yield* rows(`${assets}?assets=arb&version=1.0`), [])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("classifies only into subsectors that the version has", () =>
    Effect.gen(function* () {
      for (const version of yield* every(metadata)) {
        const known = new Set(subsectors(version).map((item) => JSON.stringify(levels.map((name) => item[name]))))
        for (const row of yield* every(assets, `version=${String(version["taxonomy_version"])}`)) {
          assert.isTrue(known.has(JSON.stringify(levels.map((name) => row[name]))), JSON.stringify(row))
        }
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("makes a bound exclusive on request, to the nanosecond", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* since("2022-06-13&start_inclusive=true"), "Second Layers")
      assert.strictEqual(yield* since("2022-06-13&start_inclusive=false"), "")
      assert.strictEqual(yield* since("2022-06-12T23:59:59.999999999Z&start_inclusive=false"), "Second Layers")
      assert.strictEqual(yield* since("2022-06-13T00:00:00.000000001Z"), "")
      // The other flag belongs to the other bound.
      assert.strictEqual(yield* since("2022-06-13&end_inclusive=false"), "Second Layers")
      assert.strictEqual(yield* until("2022-06-12&end_inclusive=true"), "Base Layers")
      assert.strictEqual(yield* until("2022-06-12&end_inclusive=false"), "")
      assert.strictEqual(yield* until("2022-06-12T00:00:00.000000001Z&end_inclusive=false"), "Base Layers")
      assert.strictEqual(yield* until("2022-06-11T23:59:59.999999999Z"), "")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("looks at every version when a time is given, unless one is named", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* polygon("classification_start_time=2021-06-14"), "Base Layers,Second Layers")
      assert.strictEqual(yield* polygon("classification_start_time=2021-06-14&version=1.0"), "Base Layers")
      assert.strictEqual(yield* polygon("classification_start_time=2021-06-14&version=latest"), "Second Layers")
      // What is open has no end that could be within a bound.
      assert.strictEqual(yield* polygon("classification_end_time=2026-10-31"), "Base Layers")
      assert.strictEqual(yield* polygon("start_inclusive=false&end_inclusive=false"), "Second Layers")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("narrows to assets and to each level of the taxonomy, all at once if asked", () =>
    Effect.gen(function* () {
      const all = yield* every(assets)
      for (const name of ["asset", "class_id", "sector_id", "subsector_id"]) {
        const values = [...new Set(field(all, name))].slice(1, 3)
        assert.deepStrictEqual(
          yield* every(assets, `version=*&${name}s=${values.toReversed().join(",")}`),
          all.filter((row) => values.includes(String(row[name])))
        )
      }
      const both = yield* every(assets, "class_ids=10,20&sector_ids=2010,3010")
      assert.deepStrictEqual([...new Set(field(both, "sector_id"))], ["2010"])
      assert.deepStrictEqual(yield* rows(`${assets}?assets=talos:BTC`), yield* rows(`${assets}?assets=btc`))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("refuses assets and codes it does not know", () =>
    Effect.gen(function* () {
      for (const [name, known] of [
        ["assets", "btc"],
        ["class_ids", "10"],
        ["sector_ids", "1010"],
        ["subsector_ids", "101010"]
      ]) {
        yield* bad(`${assets}?${name}=${known},990`, `Bad parameter '${name}'. Value '990' is not supported.`)
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})

describe("Taxonomy metadata", () => {
  it.effect("lists versions in order, one day after the other, the latest open", () =>
    Effect.gen(function* () {
      const all = yield* every(metadata)
      assert.isAtLeast(all.length, 3)
      const names = field(all, "taxonomy_version")
      assert.deepStrictEqual(names, [...new Set(names)].toSorted())
      for (const [n, row] of all.entries()) {
        const next = all[n + 1]
        assert.strictEqual("taxonomy_end_time" in row, next !== undefined)
        if (next === undefined) continue
        const days = [day(row, "taxonomy_end_time"), day(next, "taxonomy_start_time")].map((text) => +new Date(text))
        assert.strictEqual((days[1] ?? 0) - (days[0] ?? 0), 86_400_000)
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("nests the code of a subsector in those above it, and changes from version to version", () =>
    Effect.gen(function* () {
      const all = yield* every(metadata)
      const sizes = new Set(all.map((row) => JSON.stringify(subsectors(row))))
      assert.strictEqual(sizes.size, all.length)
      for (const item of all.flatMap(subsectors)) {
        assert.hasAllKeys(item, levels)
        assert.isTrue(String(item["subsector_id"]).startsWith(String(item["sector_id"])))
        assert.isTrue(String(item["sector_id"]).startsWith(String(item["class_id"])))
        for (const name of levels) assert.notStrictEqual(item[name], "")
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("shows the latest version by default, one on request, and all for an asterisk or a time", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* shown(""), "2.1")
      assert.strictEqual(yield* shown("version=latest"), "2.1")
      assert.strictEqual(yield* shown("version=1.1"), "1.1")
      assert.strictEqual(yield* shown("version=*"), "1.0,1.1,1.2,2.0,2.1")
      assert.strictEqual(yield* shown("start_time=2022-06-13"), "1.1,1.2,2.0,2.1")
      assert.strictEqual(yield* shown("start_time=2022-06-13&start_inclusive=false"), "1.2,2.0,2.1")
      assert.strictEqual(yield* shown("end_time=20230618"), "1.0,1.1")
      assert.strictEqual(yield* shown("end_time=20230618&end_inclusive=false"), "1.0")
      assert.strictEqual(yield* shown("start_time=2022-06-13&end_time=2026-02-01T00:00:00.000Z"), "1.1,1.2,2.0")
      assert.strictEqual(yield* shown("start_time=2022-06-13&version=1.2"), "1.2")
      assert.strictEqual(yield* shown("start_time=2022-06-13&version=1.0"), "")
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
