import { assert, describe, it } from "@effect/vitest"
import { CatalogAll, type Client, ReferenceData, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as FakeApi from "../FakeApi.ts"

const mebibyte = 1_048_576

/** A page of so many records of about a hundred bytes, or with a name of another length. */
const page = (count: number, name = 80) =>
  `{"data":[${Array.from({ length: count }, (_, n) => `{"asset":"a${n}","full_name":"${"x".repeat(name)}"}`).join(",")}]}`

const chunk = new Uint8Array(65_536).fill(32)

/** So many, of which each chunk arrives when the one before it was read: all at once would be held twice. */
const blanks = (mebibytes: number): FakeApi.Reply => ({
  body: [Effect.void, ...Array.from({ length: mebibytes * 16 }, () => chunk)]
})
const failing = (api: FakeApi.FakeApi, call: typeof ReferenceData.assets, params: object, limits?: Client.Limits) =>
  Stream.runDrain(call(params)).pipe(
    Effect.flip,
    Effect.provide(api.layer({ retry: Retry.none, ...(limits && { limits }) }))
  )

describe("the limit of a page", () => {
  it.effect("follows from how many records are asked for", () =>
    Effect.gen(function* () {
      const one = yield* failing(FakeApi.make([blanks(12)]), ReferenceData.assets, { page_size: 1 })
      assert.strictEqual(one._tag, "Decode")
      assert.match(one.message, /the body is longer than \d+ /)
      // Within its limit, and no page.
      const many = yield* failing(FakeApi.make([blanks(12)]), ReferenceData.assets, { page_size: 10_000 })
      assert.notInclude(many.message, "the body is longer than")
      const all = yield* failing(FakeApi.make([blanks(200)]), ReferenceData.assets, {})
      assert.match(all.message, /the body is longer than \d+ /)
    })
  )

  it.effect("counts records too: a page with more than the endpoint's largest has fails with Decode", () =>
    Effect.gen(function* () {
      const assets = Array.from({ length: 10_001 }, () => ({ asset: "a" }))
      const api = FakeApi.make([FakeApi.page(assets), FakeApi.page(assets)])
      const layer = api.layer({ onDisorder: "ignore" })
      const records: Array<unknown> = []
      const read = Stream.runForEach(ReferenceData.assets(), (record) => Effect.sync(() => records.push(record)))
      const issue = "the page has more than 10000 records, which is the most there may be"
      for (const call of [read, Stream.runDrain(ReferenceData.assets.pages())]) {
        const error = yield* Effect.flip(Effect.provide(call, layer))
        assert.deepInclude({ ...error }, { _tag: "Decode", page: 1, path: "data", issue })
      }
      assert.isAtMost(records.length, 10_000)
      assert.lengthOf(api.seen, 2)
    })
  )

  it.effect("accepts a page longer than page_size, up to the endpoint's largest page", () =>
    Effect.gen(function* () {
      const assets = Array.from({ length: 10_000 }, (_, index) => FakeApi.asset(`a${index}`))
      const api = FakeApi.make([FakeApi.page(assets)])
      const read = Stream.runCollect(ReferenceData.assets({ page_size: 100 })).pipe(Effect.provide(api.layer()))
      assert.lengthOf(yield* read, 10_000)
    })
  )

  it.effect("is that of the client where it has one", () =>
    Effect.gen(function* () {
      const smaller = yield* failing(FakeApi.make([blanks(2)]), ReferenceData.assets, {}, { maxPageBytes: mebibyte })
      assert.include(smaller.message, "the body is longer than 1 MiB")
      const larger = yield* failing(
        FakeApi.make([blanks(12)]),
        ReferenceData.assets,
        { page_size: 1 },
        { maxPageBytes: 2 ** 30 }
      )
      assert.notInclude(larger.message, "the body is longer than")
    })
  )

  it.effect("leaves room for a catalog, which comes whole", () =>
    Effect.gen(function* () {
      const body = page(15_000, 1_080)
      assert.isAbove(body.length, 15 * mebibyte)
      const records = yield* Stream.runCount(CatalogAll.assets()).pipe(Effect.provide(FakeApi.make([{ body }]).layer()))
      assert.strictEqual(records, 15_000)
    })
  )
})

describe("pages that are received at once", () => {
  const body = page(100)
  const pieces = Array.from({ length: Math.ceil(body.length / 500) }, (_, n) => body.slice(n * 500, n * 500 + 500))
  const limits = { maxReceivingBytes: 2_000 }

  /** Serves one page to everybody, and remembers how many bytes of unfinished pages were taken at most. */
  const watched = (between: Effect.Effect<unknown>) => {
    const taken: Array<number> = []
    let most = 0
    const api = FakeApi.serve(() =>
      Effect.sync(() => {
        const index = taken.push(0) - 1
        const after = (piece: string) =>
          Effect.tap(between, () =>
            Effect.sync(() => {
              taken[index] = taken[index]! + piece.length
              const [, ...younger] = taken.filter((bytes) => bytes > 0 && bytes < body.length)
              most = Math.max(
                most,
                younger.reduce((sum, bytes) => sum + bytes, 0)
              )
            })
          )
        return { body: pieces.flatMap((piece): ReadonlyArray<FakeApi.Piece> => [after(piece), piece]) }
      })
    )
    return { api, most: () => most }
  }
  const all = Effect.all(
    Array.from({ length: 6 }, () => Stream.runCount(ReferenceData.assets())),
    { concurrency: "unbounded" }
  )

  it.effect("share a budget; the oldest goes on beyond it, and all end", () =>
    Effect.gen(function* () {
      const { api, most } = watched(Effect.yieldNow)
      const counts = yield* all.pipe(Effect.provide(api.layer({ limits })))
      assert.deepStrictEqual(counts, [100, 100, 100, 100, 100, 100])
      // Each may have one piece more under way when the budget is used up.
      assert.isAtMost(most(), limits.maxReceivingBytes + 5 * 500)
      assert.isAbove(5 * body.length, 10 * (limits.maxReceivingBytes + 5 * 500))
    })
  )

  it.effect("are not held to the limit of idleness while they wait for an older one", () =>
    Effect.gen(function* () {
      const { api } = watched(Effect.sleep("3 seconds"))
      const fiber = yield* Effect.forkChild(all.pipe(Effect.provide(api.layer({ limits, idle: "5 seconds" }))))
      yield* Effect.repeat(TestClock.adjust("3 seconds"), { until: () => fiber.pollUnsafe() !== undefined })
      assert.deepStrictEqual(yield* Fiber.join(fiber), [100, 100, 100, 100, 100, 100])
      assert.strictEqual(api.seen.length, 6)
    })
  )

  it.effect("give everything back when they are interrupted while they wait", () =>
    Effect.gen(function* () {
      let isStuck = true
      const api = FakeApi.serve(() => Effect.succeed({ body: isStuck ? [...pieces.slice(0, 10), Effect.never] : body }))
      yield* Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(all)
        yield* Effect.repeat(TestClock.adjust("1 millis"), { times: 20 })
        assert.strictEqual(yield* api.open, 6)
        yield* Fiber.interrupt(fiber)
        assert.strictEqual(yield* api.open, 0)
        isStuck = false
        assert.deepStrictEqual(yield* all, [100, 100, 100, 100, 100, 100])
      }).pipe(Effect.provide(api.layer({ limits })))
    })
  )

  it.effect("leave their share when they fail", () =>
    Effect.gen(function* () {
      let failures = 0
      const api = FakeApi.serve(() =>
        Effect.sync((): FakeApi.Reply => ({ body: failures++ < 6 ? [...pieces.slice(0, 10), FakeApi.cut] : body }))
      )
      const counts = yield* all.pipe(
        Effect.provide(api.layer({ limits, retry: Retry.make({ base: "0 millis", times: 10 }) }))
      )
      assert.deepStrictEqual(counts, [100, 100, 100, 100, 100, 100])
    })
  )
})

const large = () => FakeApi.make([{ body: page(5_000, 1_080) }])

describe("parsing a large page", () => {
  const reads = {
    "as it is read": Stream.runForEachArray(ReferenceData.assets(), () => Effect.void),
    "as a whole": Stream.runDrain(ReferenceData.assets.pages()),
    "from the end": Stream.runDrain(ReferenceData.assets({ paging_from: "end" }))
  }
  for (const [name, read] of Object.entries(reads)) {
    it.effect(`lets others have their turn: ${name}`, () =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(read.pipe(Effect.provide(large().layer())))
        let turns = 0
        yield* Effect.repeat(Effect.sync(() => turns++).pipe(Effect.andThen(Effect.yieldNow)), {
          until: () => fiber.pollUnsafe() !== undefined
        })
        yield* Fiber.join(fiber)
        // One for each mebibyte at least.
        assert.isAtLeast(turns, 5)
      })
    )

    it.effect(`hears an interruption in the middle: ${name}`, () =>
      Effect.gen(function* () {
        const fiber = yield* Effect.forkChild(read.pipe(Effect.provide(large().layer())))
        yield* Effect.repeat(Effect.yieldNow, { times: 3 })
        assert.isUndefined(fiber.pollUnsafe())
        yield* Fiber.interrupt(fiber)
        assert.isTrue(Exit.hasInterrupts(yield* Fiber.await(fiber)))
      })
    )
  }
})
