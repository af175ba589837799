/**
 * The settings of a client, checked before anything is sent.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Misconfigured } from "../../ApiError.ts"
import type { Options } from "../../Client.ts"

/** Settings that would make every call hang or fail are refused once, here. */
export const check = Effect.fnUntraced(function* ({ parallel = 10, ...options }: Options) {
  if (!Number.isSafeInteger(parallel) || parallel < 1) {
    return yield* new Misconfigured({ setting: "parallel", reason: "expected a whole number from 1 up" })
  }
  for (const [name, most] of Object.entries(options.limits ?? {})) {
    if (most !== undefined && !(most >= 1)) {
      const what = name === "maxEmptyPages" ? "pages" : "bytes"
      return yield* new Misconfigured({ setting: `limits.${name}`, reason: `expected ${what}, at least one` })
    }
  }
  for (const setting of ["firstByte", "idle"] as const) {
    const duration = options[setting]
    if (duration !== undefined && Duration.toMillis(duration) <= 0) {
      return yield* new Misconfigured({ setting, reason: "expected more than zero; Infinity waits for ever" })
    }
  }
  if (
    options.minBytesPerSecond !== undefined &&
    !(Number.isFinite(options.minBytesPerSecond) && options.minBytesPerSecond >= 0)
  ) {
    return yield* new Misconfigured({
      setting: "minBytesPerSecond",
      reason: "expected a finite number of bytes a second; 0 for any"
    })
  }
  if (options.longestWait !== undefined && Duration.toMillis(options.longestWait) < 0) {
    return yield* new Misconfigured({ setting: "longestWait", reason: "expected zero or more" })
  }
})
