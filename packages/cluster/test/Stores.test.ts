// What a store says of the batches of a backfill, in memory and in a real PostgreSQL.
import { assert, describe, it } from "@effect/vitest"
import { Cluster } from "@sluice/cluster"
import * as Effect from "effect/Effect"
import { type Backfill, BackfillStore, type Outcome } from "../src/BackfillStore.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"
import * as Request from "../src/internal/Request.ts"
import * as Postgres from "./Postgres.ts"

const id = "0123456789abcdef"

const backfill: Backfill = {
  id,
  generation: 1,
  state: "running",
  reason: null,
  error: null,
  request: {
    version: Request.version,
    root: "http://a.example/v4",
    endpoint: "/a",
    params: {},
    split: {},
    folder: "/d"
  },
  parts: null,
  submitted: 1,
  ended: null
}

const outcome = (first: number, parts: number, pieces: number, isWhole = true): Outcome => ({
  first,
  parts,
  pieces,
  isWhole,
  done: parts,
  records: 10 * parts,
  bytes: 100 * parts,
  failed: []
})

/** What becomes of a backfill of twenty parts, of which ten are there. */
const story = Effect.gen(function* () {
  const store = yield* BackfillStore
  yield* store.add(backfill)
  assert.deepStrictEqual(yield* store.find(id), backfill)
  yield* store.change(id, 1, ["running"], { priority: 2, concurrency: 3 })
  assert.deepInclude(yield* store.find(id), { priority: 2, concurrency: 3 })
  const found = [outcome(0, 10, 0)]
  assert.deepStrictEqual(yield* store.begin(id, 1, found, [[10, 20]]), [[10, 20]])
  // Whoever stood still meanwhile has found less, and goes by what was noted first.
  assert.deepStrictEqual(yield* store.begin(id, 1, [], [[0, 20]]), [[10, 20]])
  assert.isUndefined(yield* store.begin(id, 2, [], [[0, 20]]))
  assert.deepInclude(yield* store.totals(id), { done: 10, records: 100, bytes: 1_000 })
  assert.isUndefined(yield* store.extent(id, 1, 10))
  // A batch that is cut at a part which takes long, and ends later with the same extent.
  const cut = { parts: 3, pieces: 2, isWhole: false }
  assert.deepInclude(yield* store.note(id, 1, { ...outcome(10, 3, 2, false), done: 2 }), cut)
  assert.deepInclude(yield* store.extent(id, 1, 10), cut)
  assert.deepInclude(yield* store.note(id, 1, outcome(10, 5, 1)), cut)
  assert.strictEqual((yield* store.totals(id)).done, 12)
  yield* store.note(id, 1, outcome(13, 7, 0))
  assert.strictEqual(yield* store.tried(id, 1), 0)
  assert.deepInclude(yield* store.note(id, 1, outcome(10, 3, 7)), { parts: 3, pieces: 2, isWhole: true })
  assert.strictEqual(yield* store.tried(id, 1), 20)
  // What has ended stays.
  assert.deepInclude(yield* store.note(id, 1, { ...outcome(13, 7, 0), done: 0 }), {
    parts: 7,
    pieces: 0,
    isWhole: true
  })
  assert.strictEqual((yield* store.totals(id)).done, 20)
  // A retry finds again, and nothing that is late counts for it.
  yield* store.change(id, 1, ["running"], { generation: 2 })
  const failed = [{ part: 1, file: "b", error: "Forbidden", reason: "no" }]
  assert.deepStrictEqual(yield* store.begin(id, 2, [outcome(0, 1, 0)], [[1, 20]]), [[1, 20]])
  yield* store.note(id, 1, outcome(1, 19, 0))
  yield* store.note(id, 2, { ...outcome(1, 2, 1), done: 1, failed })
  assert.deepStrictEqual(yield* store.totals(id), { done: 2, records: 30, bytes: 300, failed: 1, failures: failed })
  assert.strictEqual(yield* store.tried(id, 2), 3)
  yield* store.change(id, 2, ["running"], { state: "incomplete", ended: 5_000 })
  assert.lengthOf(yield* store.endedBefore(5_000), 0)
  const [ended] = yield* store.endedBefore(5_001)
  assert.deepInclude(ended, { id, generation: 2 })
  assert.isFalse(yield* store.forget(id, 1))
  assert.isTrue(yield* store.forget(id, 2))
  assert.isUndefined(yield* store.find(id))
  assert.strictEqual((yield* store.add(backfill)).generation, 3)
})

describe("a store of backfills", () => {
  it.effect("keeps of a batch what was noted first, in memory", () => Effect.provide(story, MemoryStore.layer))

  it.live.skipIf(!Postgres.isInstalled)("does the same in PostgreSQL", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres.make
      yield* Effect.provide(story, Cluster.layerClient({ url: postgres.url }))
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(!Postgres.isInstalled)("does the same in the tables of a version without priorities and batches", () =>
    Effect.gen(function* () {
      const postgres = yield* Postgres.make
      yield* postgres.query(`CREATE TABLE sluice_backfills (id text PRIMARY KEY, generation integer NOT NULL, state text NOT NULL,
          reason text, error text, request jsonb NOT NULL, parts integer, submitted bigint NOT NULL, ended bigint);
        CREATE TABLE sluice_backfill_parts (backfill text NOT NULL REFERENCES sluice_backfills ON DELETE CASCADE,
          first integer NOT NULL, parts integer NOT NULL, generation integer NOT NULL, done integer NOT NULL,
          records bigint NOT NULL, bytes bigint NOT NULL, failed jsonb NOT NULL, PRIMARY KEY (backfill, first))`)
      yield* Effect.provide(story, Cluster.layerClient({ url: postgres.url }))
    }).pipe(Effect.scoped)
  )
})
