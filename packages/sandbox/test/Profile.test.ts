import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Table from "@sluice/interface/Table"
import * as Effect from "effect/Effect"
import { envelope, get, pages, refused, type Row, rows } from "./Harness.ts"

const kinds = [
  { path: "/profile/assets", id: "asset", filter: "assets", required: ["full_name", "description", "overview"] },
  { path: "/profile/networks", id: "network", filter: "networks", required: ["full_name", "modular_or_monolithic"] }
]

const every = (path: string) => rows(`${path}?page_size=10000`)
const lenient = Sandbox.layerMemory({ dialect: { unknownParameters: "ignore" } })
const names = (list: ReadonlyArray<Row>, field: string) => list.map((row) => String(row[field]))
const items = (list: ReadonlyArray<Row>, field: string) =>
  list.flatMap((row) => {
    const value = row[field]
    return Array.isArray(value) ? (value as ReadonlyArray<Row>) : []
  })

const bad = (path: string, message: string) =>
  Effect.map(get(path), (answer) => refused(answer, 400, "bad_parameter", message))

for (const { filter, id, path, required } of kinds) {
  describe(path, () => {
    it.effect("has every optional field in some records, and leaves it out of others", () =>
      Effect.gen(function* () {
        const all = yield* every(path)
        for (const field of Object.keys(Table.find(path).record)) {
          if (field === id || required.includes(field)) continue
          assert.isTrue(
            all.some((row) => row[field] !== undefined && row[field] !== null),
            `${field} somewhere`
          )
          // Half of the assets were made on a day, half at an instant, and all at some time.
          if (field === "creation_date") continue
          assert.isTrue(
            all.some((row) => !(field in row)),
            `${field} not everywhere`
          )
        }
        assert.isTrue(all.some((row) => Object.values(row).includes(null)))
        assert.include(JSON.stringify(all), '"N/A"')
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    it.effect("narrows to identifiers or to full names, and keeps its order", () =>
      Effect.gen(function* () {
        const all = yield* every(path)
        const chosen = [all[2] ?? {}, all[11] ?? {}]
        const backwards = (field: string) => encodeURIComponent(names(chosen, field).toReversed().join(","))
        assert.deepStrictEqual(yield* rows(`${path}?${filter}=${backwards(id)}`), chosen)
        assert.deepStrictEqual(yield* rows(`${path}?full_names=${backwards("full_name")}`), chosen)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    it.effect("refuses identifiers beside full names, and what it does not know", () =>
      Effect.gen(function* () {
        yield* bad(
          `${path}?${filter}=btc&full_names=Bitcoin`,
          `Bad parameter 'full_names'. It cannot be used together with '${filter}'.`
        )
        yield* bad(`${path}?${filter}=btc,nothing`, `Bad parameter '${filter}'. Value 'nothing' is not supported.`)
        yield* bad(`${path}?full_names=bitcoin`, "Bad parameter 'full_names'. Value 'bitcoin' is not supported.")
        yield* bad(`${path}?page_size=10001`, "Bad parameter 'page_size'. Must be at most 10000.")
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    for (const from of ["start", "end"]) {
      it.effect(`loses nothing between pages, from the ${from}`, () =>
        Effect.gen(function* () {
          const walked = yield* pages(`${path}?page_size=7&paging_from=${from}`)
          const ordered = from === "start" ? walked : walked.toReversed()
          assert.deepStrictEqual(ordered.flat(), yield* every(path))
        }).pipe(Effect.provide(Sandbox.layerMemory()))
      )
    }

    it.effect("has no format: the parameter is refused, or changes nothing", () =>
      Effect.gen(function* () {
        const plain = yield* get(`${path}?page_size=3`)
        const other = yield* get(`${path}?format=json_stream&page_size=3`).pipe(Effect.provide(lenient))
        assert.strictEqual(other.headers["content-type"], "application/json")
        assert.deepStrictEqual(envelope(other).data, envelope(plain).data)
        refused(yield* get(`${path}?format=json`), 400, "bad_parameter")
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  })
}

describe("Asset profiles", () => {
  it.effect("begin at the start, a hundred to a page", () =>
    Effect.gen(function* () {
      const [first = [], ...rest] = yield* pages("/profile/assets")
      assert.strictEqual(first.length, 100)
      assert.isAbove(rest.length, 0)
      assert.deepStrictEqual([first, ...rest].flat(), yield* every("/profile/assets"))
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("belong to assets of the reference data, which are found by their three forms", () =>
    Effect.gen(function* () {
      const reference = yield* every("/reference-data/assets")
      const fullNames = new Map(reference.map((row) => [row["asset"], row["full_name"]]))
      for (const row of yield* every("/profile/assets")) {
        assert.strictEqual(row["full_name"], fullNames.get(row["asset"]))
      }
      const [btc] = yield* rows("/profile/assets?assets=btc")
      assert.strictEqual(btc?.["supply_cap"], "21000000")
      for (const id of ["talos:BTC", "talos:by-id:24"]) {
        assert.deepStrictEqual(yield* rows(`/profile/assets?assets=${id}`), [btc ?? {}])
      }
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("pass over a known asset that has none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* rows("/profile/assets?assets=usdc_base"), [])
      assert.deepStrictEqual(names(yield* rows("/profile/assets?assets=usdc_base,sol"), "asset"), ["sol"])
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )

  it.effect("hold times that are dates alone, or no times at all, and no cap where the supply is endless", () =>
    Effect.gen(function* () {
      const all = yield* every("/profile/assets")
      const created = names(all, "creation_date")
      assert.isTrue(created.some((text) => /^\d{4}-\d\d-\d\d$/.test(text)))
      assert.isTrue(created.some((text) => /T\d\d:\d\d:\d\d\.\d{9}Z$/.test(text)))
      const unlocks = names(items(all, "vesting_schedule"), "vesting_schedule_total_unlock_time")
      assert.isTrue(unlocks.includes("N/A") && unlocks.some((text) => text.endsWith("Z")))
      assert.isTrue(items(all, "upgrade_history").some((item) => /^\d{4}(-\d\d)?$/.test(String(item["date"]))))
      for (const part of items(all, "initial_supply_token_distribution")) {
        assert.hasAllKeys(part, ["initial_supply_allocation", "initial_supply_distribution"])
      }
      const capless = names(
        all.filter((row) => !("supply_cap" in row)),
        "asset"
      )
      assert.includeMembers(capless, ["eth", "doge", "usdt"])
      for (const row of all) if ("supply_cap" in row) assert.match(String(row["supply_cap"]), /^(\d+|N\/A)$/)
    }).pipe(Effect.provide(Sandbox.layerMemory()))
  )
})
