import { assert, it } from "@effect/vitest"
import { Client } from "@sluice/core"
import { Simulation } from "@sluice/sandbox"
import { Effect, Logger } from "effect"
import { highest } from "../src/bulkStream.ts"

it.live("the highest rates are the same, whatever fails and in whatever order", () =>
  Effect.gen(function* () {
    const rates = yield* highest
    assert.strictEqual(rates.size, 12)
    assert.closeTo(rates.get("btc") ?? 0, 52_457.15, 0.01)
  }).pipe(Effect.provide([Simulation.layerClient(Client.layer), Logger.layer([])]), Simulation.check({ seeds: 20 }))
)
