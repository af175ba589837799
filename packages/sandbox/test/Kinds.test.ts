import { describe, it, assert } from "@effect/vitest"
import { Fault, Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { inMemory, overSocket, under } from "./Exchange.ts"
import { cases } from "./KindCases.ts"

describe("Every kind of fault", () => {
  for (const { example, kind } of Fault.table) {
    const { check, path } = cases[kind]

    it.live(`${example}: over a socket`, () =>
      Effect.gen(function* () {
        const plain = yield* under(overSocket, "", path)
        check(yield* under(overSocket, example, path), plain)
        // Whatever became of the connection, its place is free again.
        const { stats } = yield* Sandbox.Sandbox
        yield* Effect.repeat(stats, { until: ({ running }) => running === 0, schedule: Schedule.spaced("1 millis") })
      }).pipe(Effect.provide(Sandbox.layer()))
    )

    it.effect(`${example}: in memory`, () =>
      Effect.gen(function* () {
        const plain = yield* under(inMemory, "", path)
        check(yield* under(inMemory, example, path), plain)
        const { stats } = yield* Sandbox.Sandbox
        assert.strictEqual((yield* stats).running, 0)
      }).pipe(Effect.provide(Sandbox.layerMemory()))
    )
  }
})
