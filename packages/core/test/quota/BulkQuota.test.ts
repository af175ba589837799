import { assert, describe, it } from "@effect/vitest"
import { Bulk, Client, ReferenceData } from "@sluice/core"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

/** Whether the end of a stream is asked for. */
const isLast = ({ searchParams }: URL) =>
  searchParams.get("page_size") === "1" && searchParams.get("paging_from") === "end"

/** Serves lines that stand open until they are let go; tells by the first letter of their assets how many are open. */
const holding = () => {
  const open: Record<string, number> = {}
  const gates: Array<Deferred.Deferred<void>> = []
  const api = FakeApi.serve(({ url }) => {
    const [letter = ""] = url.searchParams.get("assets") ?? ""
    if (isLast(url)) return Effect.succeed(FakeApi.assets([letter]))
    const gate = Deferred.makeUnsafe<void>()
    gates.push(gate)
    open[letter] = (open[letter] ?? 0) + 1
    const end = Effect.ensuring(
      Deferred.await(gate),
      Effect.sync(() => {
        open[letter] = (open[letter] ?? 0) - 1
      })
    )
    return Effect.succeed({ body: [FakeApi.lines([letter]), end] })
  })
  /** Lets so many of the oldest end. */
  const release = (count: number) =>
    Effect.andThen(
      Effect.suspend(() =>
        Effect.forEach(gates.splice(0, count), (gate) => Deferred.succeed(gate, undefined), { discard: true })
      ),
      goOn
    )
  return { api, open, release }
}

/** Long enough for whatever can go on to have gone on. */
const goOn = Effect.delay(Effect.void, 10)

/** So many parts that begin with a letter. */
const many = (letter: string, count: number) =>
  Bulk.split(
    ReferenceData.assets,
    { assets: Array.from({ length: count }, (_, index) => `${letter}${String(index).padStart(3, "0")}`) },
    { by: "assets" }
  )

const download = Effect.fnUntraced(function* (letter: string, count: number, options: Bulk.Options) {
  const parts = yield* many(letter, count)
  const fiber = yield* Effect.forkChild(Stream.runDrain(Bulk.records(ReferenceData.assets, parts, options)))
  yield* goOn
  return fiber
})

describe("Bulk and the quota", () => {
  it.effect("shares the permits evenly between downloads and what else runs, whatever each would run at once", () =>
    Effect.gen(function* () {
      const { api, open, release } = holding()
      yield* Effect.gen(function* () {
        const first = yield* download("a", 60, { concurrency: 60 })
        assert.deepStrictEqual(open, { a: 10 })
        const second = yield* download("b", 40, { concurrency: 20 })
        assert.deepStrictEqual(open, { a: 10 })
        // What comes free goes to who holds less, until both hold the same.
        yield* release(3)
        assert.deepStrictEqual(open, { a: 7, b: 3 })
        yield* release(2)
        assert.deepStrictEqual(open, { a: 5, b: 5 })
        yield* release(4)
        assert.deepStrictEqual(open, { a: 5, b: 5 })
        const single = yield* Effect.forkChild(
          Stream.runDrain(ReferenceData.assets({ assets: "c", format: "json_stream" }))
        )
        yield* goOn
        yield* release(1)
        assert.deepInclude(open, { c: 1 })
        // What one leaves the other takes.
        yield* Fiber.interrupt(second)
        yield* goOn
        assert.deepStrictEqual(open, { a: 9, b: 0, c: 1 })
        yield* Effect.repeat(release(10), { until: () => first.pollUnsafe() !== undefined })
        yield* Fiber.join(first)
        yield* Fiber.join(single)
        assert.deepInclude(yield* Client.quota, { inFlight: 0, waiting: 0 })
      }).pipe(Effect.provide(api.layer({ plan: "default" })), Virtual.run)
    })
  )

  it.effect("gives all back when it is interrupted while it waits, and sends nothing more", () =>
    Effect.gen(function* () {
      const { api, release } = holding()
      yield* Effect.gen(function* () {
        const first = yield* download("a", 60, { concurrency: 30 })
        const second = yield* download("b", 60, { concurrency: 30 })
        assert.deepInclude(yield* Client.quota, { inFlight: 10, waiting: 50 })
        yield* Fiber.interrupt(second)
        yield* goOn
        assert.deepInclude(yield* Client.quota, { inFlight: 10, waiting: 20 })
        yield* Fiber.interrupt(first)
        yield* goOn
        assert.deepInclude(yield* Client.quota, { inFlight: 0, waiting: 0, sent: 10 })
        yield* release(10)
      }).pipe(Effect.provide(api.layer({ plan: "default" })), Virtual.run)
    })
  )
})
