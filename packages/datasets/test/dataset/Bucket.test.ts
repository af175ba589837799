import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import * as Files from "@sluice/files/internal/folder/Files"
import * as FolderVerify from "../../src/internal/folder/FolderVerify.ts"
import * as Ledger from "../../src/internal/ledger/Ledger.ts"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as S3Server from "../../../files/test/storage/S3Server.ts"
import * as Days from "../database/Days.ts"
import { temporary } from "./Harness.ts"

const job = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth", "ltc"], metrics: ["PriceUSD", "TxCnt"], start_time: "2026-08-20" },
  lookBack: "5 days",
  layout: { period: "month", rows: 20 },
  format: { as: "ndjson" }
} as const

/** Waits are divided by this: where the storage fails, each request more waits. The time of day is the real one. */
const haste = 20

const hastily = Effect.updateService(Clock.Clock, (clock) => ({
  ...WallClock.at(clock, () => clock.currentTimeMillisUnsafe()),
  sleep: (time: Duration.Duration) => clock.sleep(Duration.divideUnsafe(time, haste))
}))

/** Every file below a folder by its name, but for the bookkeeping. */
const contents = Effect.fnUntraced(function* (folder: string) {
  const files = yield* Files.make
  const found = new Map<string, string | undefined>()
  const folders = [""]
  for (let below = folders.pop(); below !== undefined; below = folders.pop()) {
    for (const name of ((yield* files.names(files.join(folder, below))) ?? []).toSorted()) {
      if (name === ".sluice") continue
      if (name.endsWith(".ndjson")) found.set(`${below}${name}`, yield* files.text(files.join(folder, below, name)))
      else folders.push(`${below}${name}/`)
    }
  }
  return found
})

describe("a dataset in a bucket", () => {
  it.live(
    "has what one in a folder has, day after day, with all versions, however often it was stopped and its storage failed",
    () =>
      Effect.gen(function* () {
        const root = yield* S3Server.start
        for (const seed of TestMode.seeds(2, 6)) {
          const draw = Draw.from(seed)
          const service = yield* Days.make(seed)
          const local = yield* temporary
          const to = `s3://data/prices ${seed}`
          const versions = TestMode.isLong || seed % 2 === 1 ? "keep" : undefined
          yield* Effect.gen(function* () {
            const known: Array<readonly [number, ReadonlyArray<string>]> = []
            for (const day of [0, 1, 3, 4]) {
              service.at(day)
              yield* Effect.provide(Stream.runDrain(Dataset.sync({ ...job, to: local })), service.layer)
              const sync = Effect.provide(Stream.runDrain(Dataset.sync({ ...job, to, versions })), service.layer)
              for (let run = draw.below(3); run > 0; run--) {
                const fiber = yield* Effect.forkChild(Effect.ignore(sync))
                yield* Effect.sleep(haste * draw.below(300))
                yield* Fiber.interrupt(fiber)
              }
              yield* sync
              assert.deepStrictEqual(yield* contents(to), yield* contents(local), `seed ${seed}, day ${day}`)
              const lines = [...(yield* contents(to)).values()].flatMap((text) => text?.trim().split("\n") ?? [])
              known.push([yield* Clock.currentTimeMillis, lines.toSorted()])
              yield* Effect.sleep(haste * 2)
            }
            // Then the moments before are those of the past.
            yield* Effect.provide(Stream.runDrain(Dataset.sync({ to })), service.layer)
            for (const [at, lines] of versions === undefined ? [] : TestMode.isLong ? known : known.slice(1, 2)) {
              const options = { from: to, offline: true, asOf: new Date(at).toISOString() } as const
              const read = yield* Stream.runCollect(Dataset.read(job.endpoint, job.params, options))
              assert.deepStrictEqual(read.map((record) => JSON.stringify(record)).toSorted(), lines, `seed ${seed}`)
            }
            yield* Stream.runDrain(Dataset.verify(to))
            assert.deepStrictEqual((yield* Dataset.status(to))?.entities, (yield* Dataset.status(local))?.entities)
          }).pipe(
            Effect.provide(S3Server.layer(root, seed % 2 === 0 ? Draw.from(seed) : undefined), { local: true }),
            hastily
          )
        }
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer)),
    240_000
  )

  it.live("has versions whose files are copies of its own, and of a version that it has no more", () =>
    Effect.gen(function* () {
      const service = yield* Days.make(1)
      const to = "s3://data/closes"
      yield* Effect.gen(function* () {
        const files = yield* Files.make
        const seen = new Set<string>()
        for (const day of [0, 1, 2]) {
          service.at(day)
          const sync = Dataset.sync({ ...job, to, format: { as: "parquet" }, snapshots: "delta" })
          yield* Effect.provide(Stream.runDrain(sync), service.layer)
          const log = ((yield* files.names(`${to}.delta/_delta_log`)) ?? []).filter((name) => name.endsWith(".json"))
          const all = new Set<string>()
          for (const name of log.toSorted()) {
            for (const line of ((yield* files.text(`${to}.delta/_delta_log/${name}`)) ?? "").trim().split("\n")) {
              const { add, remove } = JSON.parse(line)
              if (remove) all.delete(remove.path)
              if (add) all.add(add.path)
            }
          }
          for (const path of all) seen.add(path)
          const sumOf = (path: string) => FolderVerify.checksumOf(files, path)
          const ledger = yield* Ledger.read(files, to, `${to}/.sluice`)
          assert.sameMembers(
            yield* Effect.forEach(all, (path) => sumOf(`${to}.delta/${path}`)),
            [...(ledger?.files.values() ?? [])].map(({ sha256 }) => sha256)
          )
          const names = (yield* files.names(`${to}.delta`))?.filter((name) => name.endsWith(".parquet"))
          assert.sameMembers(names ?? [], [...seen])
        }
        assert.isAbove(seen.size, 5)
        assert.include((yield* Effect.flip(Dataset.sql(to))).message, '"sql" is for folders of a disk')
      }).pipe(Effect.provide(S3Server.layer(yield* S3Server.start), { local: true }))
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
