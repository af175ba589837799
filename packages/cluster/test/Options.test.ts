// Options as a program gives them that no compiler has checked: each is refused by its name, and nothing is kept.
import { assert, describe, it } from "@effect/vitest"
import { Backfill, Worker } from "@sluice/cluster"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { endpoints, job, noWorker, worker, world } from "./Harness.ts"
import * as MemoryStore from "../src/internal/MemoryStore.ts"

// Type boundary: what the compiler refuses is what is tested.
const unchecked = (given: unknown) => given as never

const { endpoint, params } = job
const url = Redacted.make("postgres://me:zebra@localhost:1/none")

const jobs: ReadonlyArray<readonly [wrong: object, message: RegExp]> = [
  [{ ...job, to: "" }, /^to: must be the path of a folder/],
  [{ ...job, to: undefined }, /^to: is required$/],
  [{ ...job, to: "out", concurrency: 3 }, /^concurrency: is not an option; the options are endpoint, /],
  [{ ...job, to: "out", onFailure: "stop" }, /^onFailure: is not an option; the options are endpoint, /],
  [{ ...job, to: "out", resume: "never" }, /^resume: is not an option; the options are endpoint, /],
  [{ ...job, to: "out", verify: true }, /^verify: is not an option; the options are endpoint, /],
  [{ ...job, to: "out", formt: job.format }, /^formt: is not an option; did you mean "format"\?$/],
  [{ endpoint, params, into: undefined }, /"into" is required/],
  [{ endpoint, params, into: { folder: "" } }, /"folder" must be the path of a folder/],
  [
    { endpoint, params, into: { folder: "out", looback: "1 day" } },
    /"looback" is not an option; did you mean "lookBack"\?/
  ],
  [{ endpoint, params, into: { url, tabel: "prices" } }, /"tabel" is not an option; did you mean "table"\?/],
  [{ endpoint, params, into: { url: "postgres://me:zebra@db/x", table: "t" } }, /"url" must be a Redacted/],
  [{ endpoint, params, into: { url, table: "public.prices" } }, /"table" has a point/]
]

const workers: ReadonlyArray<readonly [wrong: object, message: string]> = [
  [{}, "endpoints: is required"],
  [
    { endpoints: [endpoint.path] },
    "endpoints: must be a list of endpoints of many records, such as [Timeseries.assetMetrics], got a list"
  ],
  [{ endpoints, concurrency: Number.NaN }, "concurrency: must be a number from 1 up, got NaN"],
  [{ endpoints, concurency: 4 }, 'concurency: is not an option; did you mean "concurrency"?'],
  [{ endpoints, name: "" }, "name: must be text that is not empty"],
  [{ endpoints, database: "postgres://me:zebra@db/x" }, "database: must be a Redacted: Redacted.make(text)"]
]

describe("an option that no compiler has checked", () => {
  it.effect("is refused by a submission, which keeps nothing", () =>
    Effect.gen(function* () {
      for (const [wrong, message] of jobs) {
        const error = yield* Effect.flip(Backfill.submit(unchecked(wrong)))
        assert.match(error.message, message)
        assert.notInclude(error.message, "zebra")
      }
      assert.deepStrictEqual(yield* Backfill.list, [])
    }).pipe(Effect.provide(Layer.merge(noWorker, MemoryStore.layer)), Effect.scoped, Effect.provide(world))
  )

  it.effect("is refused by a worker", () =>
    Effect.gen(function* () {
      for (const [wrong, message] of workers) {
        const error = yield* Effect.flip(Layer.build(Worker.layer(unchecked(wrong))))
        assert.strictEqual(error.message, message)
      }
    }).pipe(Effect.provide(worker), Effect.provide(MemoryStore.layer), Effect.scoped, Effect.provide(world))
  )
})
