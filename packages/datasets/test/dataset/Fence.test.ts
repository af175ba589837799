import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Files from "@sluice/files/internal/folder/Files"
import * as Effect from "effect/Effect"
import * as Bucket from "../../../files/test/storage/Bucket.ts"
import * as Changes from "../../src/internal/ledger/Changes.ts"
import * as Look from "../../src/internal/folder/Look.ts"
import * as Ledger from "../../src/internal/ledger/Ledger.ts"
import * as Recovery from "../../src/internal/folder/Recovery.ts"

const folder = "s3://data/prices"

const beginning: Omit<Recovery.Beginning, "snapshots"> = {
  definition: {
    root: "https://api.invalid",
    endpoint: "/timeseries/asset-metrics",
    params: {},
    lookBack: 0,
    onRemoved: "keep"
  },
  field: "asset",
  layout: { byEntity: true, period: "year", rows: 100 },
  format: { as: "ndjson" }
}

const line: Ledger.Line = { files: [], deleted: ["asset=btc/btc-2026.ndjson"], cursors: [], forget: [] }

/** Takes the folder, as the process that opens it does when it has the lock. */
const take = Effect.gen(function* () {
  const files = yield* Files.make
  const paths = Look.pathsOf(files, folder)
  const { moment, working } = yield* Recovery.recover(files, paths, beginning)
  const changes = yield* Changes.open(files, paths.bookkeeping, moment, working, beginning, 0)
  const read = Effect.flatMap(Ledger.read(files, folder, paths.bookkeeping), Effect.fromNullishOr)
  return { ...moment, changes, read, files, paths }
})

const isRefused = Effect.fnUntraced(function* <A>(self: Effect.Effect<A, Files.FilesError>) {
  assert.deepInclude(yield* Effect.flip(self), { _tag: "FileFailed", code: "PreconditionFailed" })
})

const inBucket = <A, E>(
  run: Effect.Effect<A, E, Effect.Services<typeof take>>,
  layer = Bucket.make().layer(Bucket.calm)
): Effect.Effect<A, E> => run.pipe(Effect.scoped, Effect.provide([layer, NodeServices.layer]))

describe("a process that has lost its folder in a bucket", () => {
  it.effect("adds no change, which the one that has it does not know", () =>
    inBucket(
      Effect.gen(function* () {
        const one = yield* take
        yield* one.changes.add(line)
        const two = yield* take
        assert.isAbove(two.moment, one.moment)
        yield* isRefused(one.changes.add(line))
        yield* two.changes.add(line)
        assert.strictEqual((yield* two.read).changes, 1)
      })
    )
  )

  it.effect("adds none while the other one takes it", () =>
    inBucket(
      Effect.gen(function* () {
        const { changes, files, paths, read } = yield* take
        yield* Ledger.take(files, folder, paths.bookkeeping)
        yield* isRefused(changes.add(line))
        assert.deepStrictEqual([...(yield* read).deleted], [])
      })
    )
  )

  it.effect("begins no moment", () =>
    inBucket(
      Effect.gen(function* () {
        const one = yield* take
        for (let count = 0; count < 9; count++) yield* one.changes.add(line)
        const two = yield* take
        yield* isRefused(one.changes.settle)
        assert.strictEqual((yield* two.read).moment, two.moment)
      })
    )
  )

  it.effect("writes no ledger", () =>
    inBucket(
      Effect.gen(function* () {
        const { files, paths, tag } = yield* take
        yield* take
        const whole = { ...beginning, moment: 9, files: new Map(), cursors: new Map(), removed: undefined }
        yield* isRefused(Ledger.write(files, paths.bookkeeping, whole, tag))
      })
    )
  )

  it.effect("leaves the names of removed files to nobody", () =>
    inBucket(
      Effect.gen(function* () {
        yield* (yield* take).changes.add(line)
        assert.deepStrictEqual([...((yield* (yield* take).read).removed ?? [])], line.deleted)
      })
    )
  )
})
