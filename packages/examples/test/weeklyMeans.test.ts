import { assert, it } from "@effect/vitest"
import { Client } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Effect, Stream } from "effect"
import { weeklyMeans } from "../src/pipeline.ts"

it.live("weekly means are complete, though the service fails twice", () =>
  Effect.gen(function* () {
    const means = yield* Stream.runCollect(weeklyMeans)
    assert.strictEqual(means.length, 84)
  }).pipe(Effect.provide(Sandbox.layerClient(Client.layer, { fault: "status=503;times=2" })))
)
