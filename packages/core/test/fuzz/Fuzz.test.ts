import { assert, describe, it } from "@effect/vitest"
import { Endpoints } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as TestMode from "../TestMode.ts"
import * as Heap from "./Heap.ts"
import * as Properties from "./Properties.ts"
import * as Target from "./Target.ts"

// `pnpm fuzz` draws a new one each time.
const seed = TestMode.firstSeed

const kibibyte = 1_024

describe("whatever the service answers", () => {
  it("is tried on every endpoint", () => {
    const paths = new Set(Target.all.map(({ endpoint }) => endpoint.path))
    assert.sameMembers(
      [...paths],
      Endpoints.all.map(({ path }) => path)
    )
  })

  it.live(
    "a call ends with the records of the reply or an ApiError, in bounded time and requests, and says nothing of the key",
    () =>
      Effect.map(Properties.all.promises({ runs: TestMode.times(40, 2_500), seed }), (found) =>
        assert.isUndefined(found, found)
      )
  )

  it.live("the borders of its chunks change nothing", () =>
    Effect.map(Properties.all.chunks({ runs: TestMode.times(25, 800), seed }), (found) =>
      assert.isUndefined(found, found)
    )
  )

  it.live("known layouts are read as JSON.parse and the schema read them: the same records, the same errors", () =>
    Effect.map(Properties.all.readings({ runs: TestMode.times(25, 3_000), seed }), (found) =>
      assert.isUndefined(found, found)
    )
  )

  it.live.skipIf(!TestMode.isLong)("memory is given back", () =>
    Effect.gen(function* () {
      // What is made once is made by the first calls: decoders, compiled code, the made-up records of each endpoint.
      const runs = 200
      yield* Properties.all.promises({ runs, seed })
      const before = Heap.used()
      yield* Properties.all.promises({ runs, seed })
      assert.isBelow(Heap.used() - before, runs * 40 * kibibyte)
    })
  )
})
