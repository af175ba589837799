import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { CatalogV2, type Client, ReferenceData, Taxonomy } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as FakeApi from "../../../core/test/FakeApi.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import { bare, collected, temporary, world } from "./Harness.ts"

type Needs = Client.Client | FileSystem.FileSystem | Path.Path

interface Item {
  readonly asset: string
  readonly metrics: ReadonlyArray<object>
}

const start = Date.UTC(2026, 9, 1)

const textOf = (millis: number) => new Date(millis).toISOString()

/** A catalog that changes: assets are listed and delisted, and their metrics reach further. */
const service = (draw: Draw.Draw) => {
  let list: ReadonlyArray<Item> = []
  let isDown = false
  const item = (asset: string): Item => ({
    asset,
    metrics: [
      {
        metric: "PriceUSD",
        frequencies: [{ frequency: "1d", min_time: "2020-01-01", max_time: `2026-10-${10 + draw.below(20)}` }]
      }
    ]
  })
  const api = FakeApi.serve(() => {
    const half = Math.ceil(list.length / 2)
    const pages = [list.slice(0, half), list.slice(half)]
    const isSecond = api.seen.at(-1)?.target.includes("next_page_token") === true
    if (isDown) return Effect.succeed(FakeApi.refusal(403, "forbidden", "no"))
    return Effect.succeed(FakeApi.page([...pages[isSecond ? 1 : 0]!], isSecond ? undefined : "second"))
  })
  return {
    api,
    list: () => list,
    down: (is: boolean) => (isDown = is),
    clear: () => (list = []),
    set: (items: ReadonlyArray<Item>) => (list = items),
    change: () => {
      const names = Array.from({ length: 12 }, (_, at) => `a${at}`)
      const held = new Map(list.map((one) => [one.asset, one]))
      list = names.flatMap((asset) => {
        const kind = draw.below(8)
        const own = held.get(asset)
        if (own === undefined) return kind < 3 || asset === "a0" ? [item(asset)] : []
        return kind === 0 && asset !== "a0" ? [] : kind === 1 ? [item(asset)] : [own]
      })
    }
  }
}

const byId = (records: ReadonlyArray<Item>) => records.map(bare).toSorted()

/** What of a job or a read is refused. */
const refused = <A>(run: Effect.Effect<A, Dataset.DatasetError, Needs>) =>
  Effect.map(Effect.flip(run), (error) => ("setting" in error ? error.setting : error._tag))

describe("a list that is kept with its versions", () => {
  it.live("is as of each moment what the service listed when it was read last, and tells what changed", () =>
    Effect.gen(function* () {
      const real = yield* Clock.Clock
      let [pairs, kinds] = [0, new Set<string>()]
      for (const seed of TestMode.seeds(3, 24)) {
        const draw = Draw.from(seed)
        const { api, change, clear, down, list, set } = service(draw)
        let now = start
        const to = yield* temporary
        const format = draw.one([{ as: "ndjson" }, { as: "parquet" }, { as: "csv" }] as const)
        const catalog = { endpoint: CatalogV2.assetMetrics, params: {}, format, versions: "keep" } as const
        const known: Array<{ readonly at: number; readonly items: ReadonlyArray<Item> }> = []
        yield* Effect.gen(function* () {
          for (let step = 0; step < 12; step++) {
            now += 1_000 + draw.below(1_000_000)
            change()
            const before = list()
            const fault = step === 0 ? 5 : draw.below(6)
            if (fault === 0) down(true)
            if (fault === 1) clear()
            const sync = Dataset.sync(step < 2 ? { ...catalog, to } : { to })
            const end = yield* Effect.result(Stream.runDrain(sync))
            down(false)
            set(before)
            if (fault > 1) known.push({ at: now, items: before })
            assert.strictEqual(end._tag, fault > 1 ? "Success" : "Failure")
            if (end._tag === "Failure") assert.strictEqual(end.failure._tag, "SyncFailed")
            if (fault === 1 && end._tag === "Failure")
              assert.include(end.failure.message, "the list came without items")
          }
          const read = (asOf: number) =>
            Dataset.read(CatalogV2.assetMetrics, {}, { from: to, asOf: textOf(asOf), offline: true })
          const last = known.at(-1)!
          const moments = [
            ...known.map(({ at }) => at),
            ...Array.from({ length: 20 }, () => start + draw.below(last.at - start))
          ]
          for (const moment of moments) {
            const then = known.findLast(({ at }) => at <= moment)
            const found = yield* Effect.result(collected(read(moment)))
            const when = `seed ${seed}, ${textOf(moment)}, ${format.as}`
            if (found._tag === "Failure") {
              const { path: endpoint } = CatalogV2.assetMetrics
              assert.deepInclude(found.failure, { _tag: "BadDefinition", endpoint, setting: "asOf" }, when)
            }
            if (then === undefined) assert.strictEqual(found._tag, "Failure", when)
            else assert.deepStrictEqual(found._tag === "Success" && found.success.toSorted(), byId(then.items), when)
            pairs += 1
          }
          const held = yield* collected(Dataset.read(CatalogV2.assetMetrics, {}, { from: to, offline: true }))
          assert.deepStrictEqual(held, byId(last.items))
          const sent = api.seen.length
          const fresh = yield* collected(Dataset.read(CatalogV2.assetMetrics, {}, { from: to, maxAge: "1 day" }))
          assert.deepStrictEqual([fresh, api.seen.length], [held, sent])
          const told = yield* Stream.runCollect(Dataset.revisions(CatalogV2.assetMetrics, {}, { from: to }))
          const expected = known.flatMap(({ at, items }, index) => {
            const before = new Map((known[index - 1]?.items ?? items).map((one) => [one.asset, bare(one)]))
            const after = new Map(items.map((one) => [one.asset, bare(one)]))
            return [...new Set([...before.keys(), ...after.keys()])].flatMap((asset) => {
              const [a, b] = [before.get(asset), after.get(asset)]
              return a === b
                ? []
                : [
                    `${textOf(at).slice(0, 23)} ${asset} ${a === undefined ? "added" : b === undefined ? "removed" : "changed"}`
                  ]
            })
          })
          const words = told.map(
            ({ after, at, before, entity }) =>
              `${at.slice(0, 23)} ${entity} ${before === undefined ? "added" : after === undefined ? "removed" : "changed"}`
          )
          for (const word of words) kinds.add(word.split(" ")[2]!)
          assert.deepStrictEqual(words.toSorted(), expected.toSorted(), `seed ${seed}, ${format.as}`)
          yield* Stream.runDrain(Dataset.verify(to))
        }).pipe(
          Effect.provide(api.layer()),
          Effect.provideService(
            Clock.Clock,
            WallClock.at(real, () => now)
          )
        )
      }
      assert.strictEqual(kinds.size, 3)
      assert.isAbove(pairs, 60)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("has an item once for each time from which it held, where the list has several", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const params = { version: "*" }
      yield* Stream.runDrain(Dataset.sync({ endpoint: Taxonomy.assets, params, to, versions: "keep" }))
      const direct = yield* collected(Taxonomy.assets(params))
      const found = yield* collected(Dataset.read(Taxonomy.assets, params, { from: to, offline: true }))
      assert.deepStrictEqual(found.toSorted(), direct.toSorted())
      assert.isBelow(new Set(direct.map((record) => JSON.parse(record).asset)).size, direct.length)
      yield* Stream.runDrain(Dataset.verify(to))
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  it.live("is begun by a read, and refused where it would not be one list with versions", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const { assets } = ReferenceData
      const direct = yield* collected(assets({ assets: ["btc", "eth"] }))
      const params = { assets: ["btc", "eth"] }
      const read = Dataset.read(assets, params, { from: to })
      assert.deepStrictEqual(yield* collected(read), direct.toSorted())
      const [first] = yield* Stream.runCollect(Dataset.columns(assets, params, { from: to, columns: ["full_name"] }))
      assert.strictEqual(first?.length, 2)
      assert.deepStrictEqual((yield* Dataset.check({ to })).requests.length, 1)
      const status = yield* Dataset.status(to)
      assert.deepStrictEqual([status?.entities[0]?.rows, status?.unread], [2, []])
      const job = { endpoint: assets, params, to: `${to}/other` } as const
      const sync = (more: object) => Stream.runDrain(Dataset.sync({ ...job, ...more }))
      assert.strictEqual(yield* refused(sync({})), "versions")
      assert.strictEqual(yield* refused(sync({ versions: "keep", layout: { period: "year" } })), "layout")
      assert.strictEqual(yield* refused(sync({ versions: "keep", snapshots: "delta" })), "snapshots")
      assert.strictEqual(yield* refused(sync({ versions: "keep", params: { page_size: 10 } })), "page_size")
      assert.strictEqual(yield* refused(sync({ versions: "keep", to, params: {} })), "OtherDefinition")
      assert.strictEqual(yield* refused(Stream.runDrain(Dataset.read(assets, {}, { from: to }))), "OtherDefinition")
      assert.strictEqual(yield* refused(Dataset.coverage(assets, params, { from: to })), "endpoint")
      assert.strictEqual(yield* refused(Dataset.compare(to)), "endpoint")
      assert.strictEqual(yield* refused(Dataset.sql(to)), "endpoint")
      assert.strictEqual(yield* refused(Stream.runDrain(Dataset.audit(to))), "endpoint")
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})
