/**
 * One of several processes with one key: asks for a small page as often as the quota lets it, and tells how often that was.
 */
import { NodeRuntime } from "@effect/platform-node"
import { ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Clock, Config, Console, Effect, Stream } from "effect"

const page = Stream.runDrain(Stream.take(ReferenceData.assets.pages({ page_size: 1 }), 1))

const work = Effect.gen(function* () {
  const millis = yield* Config.Number("LOAD_MILLIS")
  const loops = yield* Config.Int("LOAD_LOOPS")
  // All begin together, when each has started.
  yield* Effect.sleep(Math.max(0, (yield* Config.Number("LOAD_START")) - (yield* Clock.currentTimeMillis)))
  const end = (yield* Clock.currentTimeMillis) + millis
  const counted = end - millis + (yield* Config.Number("LOAD_WARM"))
  let replies = 0
  let failures = 0
  const loop = Effect.gen(function* () {
    while ((yield* Clock.currentTimeMillis) < end) {
      const exit = yield* Effect.exit(page)
      if ((yield* Clock.currentTimeMillis) < counted) continue
      if (exit._tag === "Success") replies += 1
      else failures += 1
    }
  })
  yield* Effect.timeoutOption(
    Effect.all(
      Array.from({ length: loops }, () => loop),
      { concurrency: "unbounded", discard: true }
    ),
    millis
  )
  yield* Console.log(JSON.stringify({ replies, failures }))
})

if (import.meta.main) work.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
