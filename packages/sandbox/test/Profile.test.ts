import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { envelope, fetch, get, pages, refused, type Row, rows } from "./Harness.ts"

interface Kind {
  readonly path: string
  readonly id: string
  readonly filter: string
  readonly least: number
  readonly required: ReadonlyArray<string>
  readonly optional: ReadonlyArray<string>
}

const kinds: ReadonlyArray<Kind> = [
  {
    path: "/profile/assets",
    id: "asset",
    filter: "assets",
    least: 60,
    required: ["asset", "full_name", "description", "overview", "creation_date"],
    optional: [
      "project_team",
      "foundation",
      "website",
      "whitepaper_url",
      "token_generation_event_supply",
      "supply_cap",
      "issuance_schedule_changes",
      "blog_updates",
      "asset_regulation",
      "token_purpose",
      "new_token_issuance_recipient",
      "issuing_networks",
      "bridged_networks",
      "project_github_repository",
      "asset_regulated_products",
      "etp_custodians",
      "vesting_schedule",
      "significant_historical_changes",
      "upgrade_history",
      "initial_supply_token_distribution"
    ]
  },
  {
    path: "/profile/networks",
    id: "network",
    filter: "networks",
    least: 25,
    required: ["full_name", "network", "modular_or_monolithic"],
    optional: [
      "overview",
      "consensus_mechanism",
      "hashing_algorithm",
      "transaction_finality",
      "smart_contract_deployment",
      "founding_team_identity",
      "transaction_visibility",
      "native_fee_token",
      "network_scaling_solution",
      "type_of_network",
      "available_clients",
      "foundation",
      "chain_explorers",
      "repository",
      "significant_historical_changes",
      "rollup_info",
      "upgrade_history"
    ]
  }
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

for (const { filter, id, least, optional, path, required } of kinds) {
  describe(path, () => {
    it.effect("lists its records in order, each with its required fields", () =>
      Effect.gen(function* () {
        const all = yield* every(path)
        assert.isAtLeast(all.length, least)
        const ids = names(all, id)
        assert.deepStrictEqual(ids, [...new Set(ids)].toSorted())
        for (const row of all)
          for (const field of required) assert.isString(row[field], `${field} of ${String(row[id])}`)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

    it.effect("has every optional field in some records, and leaves it out of others", () =>
      Effect.gen(function* () {
        const all = yield* every(path)
        for (const field of optional) {
          assert.isTrue(
            all.some((row) => row[field] !== undefined && row[field] !== null),
            `${field} somewhere`
          )
          assert.isTrue(
            all.some((row) => !(field in row)),
            `${field} not everywhere`
          )
        }
        const known = new Set([...required, ...optional])
        for (const row of all) for (const field of Object.keys(row)) assert.isTrue(known.has(field), field)
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

    it.effect("belongs to the paid root alone", () =>
      Effect.gen(function* () {
        const { communityUrl } = yield* Sandbox.Sandbox
        const message = "Requested resource is not available with supplied credentials."
        refused(yield* fetch(`${communityUrl}${path}`), 403, "forbidden", message)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )

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
