import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as Files from "@sluice/files/internal/folder/Files"
import { FileFailed } from "@sluice/files/internal/storage/FileError"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createHash } from "node:crypto"
import * as Bucket from "../../../files/test/storage/Bucket.ts"
import * as Changes from "../../src/internal/ledger/Changes.ts"
import type { StoreError } from "../../src/internal/model/DatasetError.ts"
import * as Look from "../../src/internal/folder/Look.ts"
import * as Ledger from "../../src/internal/ledger/Ledger.ts"
import * as Recovery from "../../src/internal/folder/Recovery.ts"
import * as Snapshots from "../../src/internal/snapshots/Snapshots.ts"

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
  return { ...moment, changes, read, files, paths, working }
})

/** Opens the versions of the folder, which has this file alone, as a process does that has taken it. */
const versions = Effect.fnUntraced(function* (file: string, put: (put: Files.Files["put"]) => Files.Files["put"]) {
  const { files, paths, working } = yield* take
  const all = { ...working, files: new Map<string, Ledger.FileEntry>() }
  const time = "2026-01-01T00:00:00.000000000Z"
  /** Gives the folder another file in the place of the one it has. */
  const has = Effect.fnUntraced(function* (file: string) {
    const path = `asset=btc/${file}.parquet`
    const sha256 = createHash("sha256").update(file).digest("hex")
    const start = { entity: "btc", time }
    yield* files.put(files.join(folder, path), file)
    all.files.clear()
    all.files.set(path, { path, entity: "btc", start, rows: 1, first: time, last: time, bytes: file.length, sha256 })
  })
  yield* has(file)
  const format = { as: "parquet", times: Snapshots.times } as const
  const subject = { endpoint: "/timeseries/asset-metrics", format, entity: "asset", columns: [] }
  const found = yield* Snapshots.begin({ ...files, put: put(files.put) }, paths, all, "delta", undefined, subject)
  const names = Effect.map(files.names(`${folder}.delta`), (names = []) =>
    names.filter((name) => !name.startsWith("_"))
  )
  return { has, names, ...(yield* Effect.fromNullishOr(found)) }
})

const isRefused = Effect.fnUntraced(function* <A>(self: Effect.Effect<A, StoreError>) {
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

  it.effect("makes no version after another process has made one, and removes no file until it has made one", () =>
    Effect.forEach([true, false], (isInTime) =>
      inBucket(
        Effect.gen(function* () {
          const [reached, gate] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const one = yield* versions(
            "one",
            (put) =>
              (path, ...rest) =>
                path.endsWith("delta.json")
                  ? Deferred.succeed(reached, undefined).pipe(
                      Effect.andThen(Deferred.await(gate)),
                      Effect.andThen(put(path, ...rest))
                    )
                  : put(path, ...rest)
          )
          const publishing = yield* Effect.forkChild(one.publish)
          yield* Deferred.await(reached)
          const shared = yield* one.names
          const two = yield* versions("two", (put) => put)
          if (!isInTime) yield* two.publish
          yield* Deferred.succeed(gate, undefined)
          const [mine, ...others] = isInTime ? [two.publish, Fiber.join(publishing)] : [Fiber.join(publishing)]
          for (const other of others) yield* other
          yield* isRefused(mine)
          const names = yield* one.names
          assert.lengthOf(names, isInTime ? 2 : 1)
          if (isInTime) assert.includeMembers([...names], shared)
        })
      )
    )
  )

  it.effect("keeps the files of a version that is there though its text could not be written", () =>
    inBucket(
      Effect.gen(function* () {
        const failed = new FileFailed({ operation: "write", path: "", code: undefined, reason: "it is full" })
        const killed = yield* versions(
          "one",
          (put) =>
            (path, ...rest) =>
              path.endsWith("delta.json") ? Effect.fail(failed) : put(path, ...rest)
        )
        yield* Effect.flip(killed.publish)
        const shared = yield* killed.names
        let isFull = true
        const next = yield* versions(
          "one",
          (put) =>
            (path, ...rest) =>
              Effect.suspend(() => (isFull && path.includes("/_delta_log/") ? Effect.fail(failed) : put(path, ...rest)))
        )
        yield* Effect.flip(next.publish)
        isFull = false
        yield* next.has("two")
        yield* next.publish
        assert.includeMembers([...(yield* next.names)], shared)
        assert.lengthOf(yield* next.names, 2)
      })
    )
  )
})
