import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Timeseries } from "@sluice/core"
import { Download, SharedFolder } from "@sluice/files"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Files from "../../src/internal/folder/Files.ts"
import { job, temporary, world } from "../download/Harness.ts"
import * as S3Server from "./S3Server.ts"

/** The files of a folder, but for the bookkeeping. */
const contents = Effect.fnUntraced(function* (folder: string) {
  const files = yield* Files.make
  const names = ((yield* files.names(folder)) ?? []).filter((name) => name !== ".sluice").toSorted()
  return yield* Effect.forEach(names, (name) =>
    Effect.map(files.text(files.join(folder, name)), (text) => [name, text])
  )
})

const last = <A, E, R>(events: Stream.Stream<A, E, R>) => Stream.runLast(events).pipe(Effect.flatMap(Effect.fromOption))

describe("a download into a bucket", () => {
  it.live(
    "has the files of one into a folder, however often it was stopped and its storage failed",
    () =>
      Effect.gen(function* () {
        const root = yield* S3Server.start
        const local = yield* temporary
        yield* Stream.runDrain(Download.run({ ...job, to: local }))
        const expected = yield* contents(local)
        for (const seed of TestMode.seeds(2, 30)) {
          const draw = Draw.from(seed)
          const to = `s3://data/prices ${seed}`
          yield* Effect.gen(function* () {
            for (let run = draw.below(4); run > 0; run--) {
              const fiber = yield* Effect.forkChild(Effect.ignore(Stream.runDrain(Download.run({ ...job, to }))))
              yield* Effect.sleep(draw.below(400))
              yield* Fiber.interrupt(fiber)
            }
            yield* Stream.runDrain(Download.run({ ...job, to }))
            assert.deepStrictEqual(yield* contents(to), expected)
            const again = yield* last(Download.run({ ...job, to, verify: true }))
            assert.deepInclude(again, { _tag: "Finished", files: expected.length })
            const files = yield* Files.make
            const left = (yield* files.names(`${to}/.sluice`)) ?? []
            assert.deepStrictEqual(left.toSorted(), ["done.ndjson", "manifest.json"])
          }).pipe(Effect.provide(S3Server.layer(root, seed % 2 === 0 ? Draw.from(seed) : undefined), { local: true }))
        }
      }).pipe(Effect.scoped, Effect.provide(world), Effect.provide(NodeServices.layer)),
    240_000
  )

  it.live("is filled by two processes of a group, of which one is stopped", () =>
    Effect.gen(function* () {
      const root = yield* S3Server.start
      const local = yield* temporary
      yield* Stream.runDrain(Download.run({ ...job, to: local }))
      yield* Effect.gen(function* () {
        const to = "s3://data/shared"
        const [one, two] = [
          yield* SharedFolder.make({ ...job, to }, "group"),
          yield* SharedFolder.make({ ...job, to }, "group")
        ]
        const { parts } = yield* one.begin
        const fiber = yield* Effect.forkChild(Effect.forEach([0, 1, 2, 3, 4], one.read, { concurrency: 2 }))
        yield* Effect.sleep(100)
        yield* Fiber.interrupt(fiber)
        for (let part = 0; part < parts; part++) if ((yield* two.find(part)) === undefined) yield* two.read(part)
        yield* two.end
        assert.deepStrictEqual(yield* contents(to), yield* contents(local))
        const again = yield* last(Download.run({ ...job, to, verify: true }))
        assert.deepInclude(again, { _tag: "Finished", files: parts })
      }).pipe(Effect.provide(S3Server.layer(root)))
    }).pipe(Effect.scoped, Effect.provide(world))
  )

  for (const as of ["ndjson", "parquet"] as const) {
    it.live(`has files of megabytes as a folder has them: ${as}`, () =>
      Effect.gen(function* () {
        const root = yield* S3Server.start
        const local = yield* temporary
        const minutes = {
          endpoint: Timeseries.assetMetrics,
          params: {
            assets: ["btc", "eth", "ltc", "ada"],
            metrics: ["PriceUSD", "ReferenceRateUSD"],
            frequency: "1m",
            start_time: "2024-03-01",
            end_time: "2024-03-10"
          },
          split: { every: "1 month" },
          format: { as }
        } as const
        yield* Stream.runDrain(Download.run({ ...minutes, to: local }))
        yield* Effect.gen(function* () {
          const to = `s3://data/${as}`
          yield* Stream.runDrain(Download.run({ ...minutes, to }))
          const files = yield* Files.make
          const [name = ""] = ((yield* files.names(local)) ?? []).filter((name) => name !== ".sluice")
          assert.isAbove((yield* files.size(files.join(to, name))) ?? 0, 700_000)
          yield* Stream.runDrain(Download.run({ ...minutes, to, verify: true }))
        }).pipe(Effect.provide(S3Server.layer(root)))
      }).pipe(Effect.scoped, Effect.provide(world))
    )
  }

  it.live("has its folder for itself", () =>
    Effect.gen(function* () {
      const root = yield* S3Server.start
      yield* Effect.gen(function* () {
        const to = "s3://data/one"
        const begun = yield* Deferred.make<void>()
        const first = yield* Effect.forkChild(
          Stream.runForEach(Download.run({ ...job, to }), ({ _tag }) =>
            _tag === "PartDone" ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never) : Effect.void
          )
        )
        yield* Deferred.await(begun)
        const error = yield* Effect.flip(Stream.runDrain(Download.run({ ...job, to })))
        assert.deepInclude(error, { _tag: "FolderInUse", folder: to, seen: true })
        yield* Fiber.interrupt(first)
        yield* Stream.runDrain(Download.run({ ...job, to }))
      }).pipe(Effect.provide(S3Server.layer(root)))
    }).pipe(Effect.scoped, Effect.provide(world))
  )
})
