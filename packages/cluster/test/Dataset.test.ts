import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Backfill } from "@sluice/cluster"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import { createHash } from "node:crypto"
import { alone, client, ended, inTime, picture, temporary, until, world } from "./Harness.ts"

/** Where the time of the stand-in stands still. */
const present = "2026-11-01T00:00:00Z"

/** Days of trades of two markets, each of which is a part, in files of some thousand. */
const trades = {
  endpoint: Timeseries.marketTrades,
  params: {
    markets: ["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"],
    start_time: "2026-10-30T12:00:00Z",
    end_time: present
  },
  how: { layout: { period: "day", rows: 2_000 }, format: { as: "csv" }, lookBack: "1 hour" }
} as const

/** Of each market: two days, and the moment that begins the third. */
const parts = 6

const requests = Effect.flatMap(Sandbox.Sandbox, ({ stats }) => Effect.map(stats, (stats) => stats.requests))

/** The checksums of the files of a dataset by their paths, without its bookkeeping. */
const files = Effect.fnUntraced(function* (folder: string) {
  const all = Object.entries(yield* picture(folder)).filter(([path]) => !path.startsWith(".sluice"))
  return all.map(([path, content]) => `${path} ${createHash("sha256").update(content, "latin1").digest("hex")}`)
})

const load = (folder: string) => {
  const { endpoint, how, params } = trades
  return Backfill.submit({ endpoint, params, into: { ...how, folder } })
}

const sync = (folder: string) => {
  const { end_time: _, ...params } = trades.params
  return Stream.runDrain(Dataset.sync({ endpoint: trades.endpoint, params, ...trades.how, to: folder }))
}

/** What a dataset has of its entities, without when it was read. */
const held = (folder: string) => Effect.map(Dataset.status(folder), (status) => status?.entities)

const verify = (folder: string) => Effect.map(Stream.runCollect(Dataset.verify(folder)), (events) => events.at(-1))

/** Runs at the time of the stand-in, which a worker begins at. */
const now = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(Date.parse(present)), inTime(Effect.provide(self, alone)))

describe("a backfill into the folder of a dataset", () => {
  it.effect(
    "leaves the files of a sync by one process, byte for byte, and a sync goes on without reading them again",
    () =>
      now(
        Effect.gen(function* () {
          const folder = yield* temporary
          yield* sync(`${folder}/one`)
          const needed = yield* requests
          const status = yield* ended(yield* load(`${folder}/many`))
          const found = yield* files(`${folder}/many`)
          assert.deepInclude(status, { state: "finished", parts, done: parts, failed: 0 })
          assert.isAtMost(yield* requests, 2 * needed)
          assert.isAbove(found.length, 4)
          assert.deepStrictEqual(found, yield* files(`${folder}/one`))
          assert.deepStrictEqual(yield* held(`${folder}/many`), yield* held(`${folder}/one`))
          assert.deepInclude(yield* verify(`${folder}/many`), { files: found.length, records: status.records })
          const before = yield* requests
          yield* Stream.runDrain(Dataset.sync({ to: `${folder}/many` }))
          // What is new of both markets, and the look-back, in one request for each.
          assert.isAtMost((yield* requests) - before, 2)
          assert.deepStrictEqual(yield* files(`${folder}/many`), found)
        })
      ).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect(
    "is not seen by a sync before its end, which is told of it, and a retry goes on where it was cancelled",
    () =>
      now(
        Effect.gen(function* () {
          const folder = yield* temporary
          const id = yield* load(folder)
          const paused = yield* until(id, ({ state }) => state === "paused")
          assert.strictEqual(paused.error, "Unauthorized")
          const told = yield* Effect.flip(sync(folder))
          assert.strictEqual(
            told.message,
            `${folder} is loaded for the first time by backfill ${id}, which has not ended; it becomes a dataset when that has`
          )
          yield* Backfill.cancel(id)
          const { done, state } = yield* ended(id)
          assert.strictEqual(state, "cancelled")
          assert.deepStrictEqual(yield* files(folder), [])
          assert.strictEqual((yield* Effect.flip(sync(folder)))._tag, "LoadUnfinished")
          const before = yield* requests
          yield* Backfill.retry(id)
          assert.deepInclude(yield* ended(id), { state: "finished", done: parts })
          // A look at the names, and of each part that was left its records and its end.
          assert.isAtMost((yield* requests) - before, 1 + 2 * (parts - done))
          yield* verify(folder)
        })
      ).pipe(Effect.scoped, Effect.provide(client("status=401;after=3;times=1")), Effect.provide(world))
  )

  it.effect("has all but a part that failed, which a retry reads, or else the next sync", () =>
    now(
      Effect.gen(function* () {
        const folder = yield* temporary
        const id = yield* load(folder)
        const status = yield* ended(id)
        assert.deepInclude(status, { state: "incomplete", done: parts - 1, failed: 1 })
        yield* verify(folder)
        const fs = yield* FileSystem.FileSystem
        yield* fs.copy(folder, `${folder}/../copy-${id}`)
        yield* Backfill.retry(id)
        assert.deepInclude(yield* ended(id), { state: "finished", done: parts, failed: 0 })
        yield* verify(folder)
        const synced = `${folder}/../copy-${id}`
        yield* sync(synced)
        assert.deepStrictEqual(yield* files(synced), yield* files(folder))
        yield* fs.remove(synced, { recursive: true })
      })
    ).pipe(Effect.scoped, Effect.provide(client("status=403;after=3;times=1")), Effect.provide(world))
  )

  it.effect("is finished when it is tried again after the dataset has grown, which stays as it is", () =>
    now(
      Effect.gen(function* () {
        const folder = yield* temporary
        const id = yield* load(folder)
        yield* ended(id)
        const { end_time: _, ...params } = trades.params
        const grown = { ...params, markets: [...params.markets, "kraken-btc-usd-spot"] }
        const grow = Stream.runDrain(
          Dataset.sync({ endpoint: trades.endpoint, params: grown, ...trades.how, to: folder })
        )
        yield* grow
        const before = [yield* files(folder), yield* held(folder)]
        yield* Backfill.retry(id)
        assert.deepInclude(yield* ended(id), { state: "finished", done: parts, failed: 0 })
        assert.deepStrictEqual([yield* files(folder), yield* held(folder)], before)
        yield* grow
      })
    ).pipe(Effect.scoped, Effect.provide(world))
  )

  it.effect("is refused where another process without a cluster does the same, until that has ended", () =>
    now(
      Effect.gen(function* () {
        const folder = yield* temporary
        const id = yield* load(folder)
        yield* until(id, ({ state }) => state === "paused")
        // A second engine, store and worker, as another process has.
        const again = Effect.flatMap(load(folder), (id) =>
          until(id, ({ ended, state }) => ended !== null || state === "paused")
        )
        const other = Effect.provide(again, Layer.fresh(alone))
        const refused = yield* other
        assert.deepInclude(refused, { id, state: "refused", error: "FolderInUse" })
        yield* Backfill.resume(id)
        assert.deepInclude(yield* ended(id), { state: "finished", done: parts })
        assert.deepInclude(yield* other, { id, state: "finished", done: parts })
        yield* verify(folder)
      })
    ).pipe(Effect.scoped, Effect.provide(client("status=401;after=3;times=1")), Effect.provide(world))
  )
})
