/**
 * The stand-in of the live soak, in a process of its own: `node LiveService.ts <seed>` says where it serves. Two minutes of data
 * pass in a second, and now and then all connections end at once, or HTTP lags.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Sandbox } from "@sluice/sandbox"
import { Console, Effect, Random } from "effect"

const [seed = "0"] = process.argv.slice(2)

/** Something that happens to all connections, after a while. */
const happening = Effect.gen(function* () {
  const { live } = yield* Sandbox.Sandbox
  yield* Effect.sleep(yield* Random.nextBetween(2_000, 12_000))
  const chance = yield* Random.next
  if (chance < 0.3) yield* live.end("restart")
  else if (chance < 0.6) yield* live.end("drop")
  else yield* live.setHttpLag(yield* Random.nextBetween(0, 240_000))
})

Effect.gen(function* () {
  const { url } = yield* Sandbox.Sandbox
  yield* Console.log(`paid ${url}`)
  return yield* Random.withSeed(Effect.forever(happening), seed)
}).pipe(Effect.provide(Sandbox.layer({ live: { speed: 120 } })), NodeRuntime.runMain)
