/**
 * Bounds V8's young generation, as `node --max-semi-space-size=8` does. Without a bound V8 doubles it during a long
 * download, which takes 100 MB more.
 *
 * The option itself would have to stand in the first line of the command, which takes `env -S`; BusyBox, and so Alpine Linux,
 * has none. V8 reads the factor of growth each time it grows, so it can be set while the program runs.
 */
import * as Effect from "effect/Effect"
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8"

/** Two halves of 8 MiB, each used in turn. */
const limit = 16 * 1024 * 1024

const size = Effect.sync(
  () => getHeapSpaceStatistics().find((space) => space.space_name === "new_space")?.space_size ?? 0
)

/** Waits until the young generation has its limit, and then lets it grow no more. Never fails. */
export const bound: Effect.Effect<void> = size.pipe(
  Effect.delay("100 millis"),
  Effect.repeat({ until: (bytes) => bytes >= 0.9 * limit }),
  Effect.andThen(Effect.sync(() => setFlagsFromString("--semi-space-growth-factor=1"))),
  // Another runtime than Node.js may lack these functions.
  Effect.ignoreCause
)
