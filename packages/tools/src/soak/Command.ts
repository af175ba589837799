/**
 * The command of `pnpm soak` and its flags.
 */
import { Clock, Duration, Effect, Option, Runtime, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as LiveSoak from "./LiveSoak.ts"
import * as Soak from "./Soak.ts"
import * as Vitals from "./Vitals.ts"

/** Something was not stable; the list of checks has said what. */
class Unstable extends Schema.TaggedError<Unstable>()("Unstable", {}) {
  override readonly [Runtime.errorReported] = false
}

const minutes = Flag.Finite("minutes").pipe(
  Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum: 0.02, maximum: 10_000 }))),
  Flag.withDescription("How long the loops run; memory is judged from 1.5 minutes on"),
  Flag.withDefault(3)
)

const faults = Flag.Finite("faults").pipe(
  Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000 }))),
  Flag.withDescription("One request in so many meets a fault"),
  Flag.withDefault(6)
)

const seed = Flag.Int("seed").pipe(
  Flag.withDescription("Which faults come, in which order; any number, the time of day if none is given"),
  Flag.optional
)

const live = Flag.Boolean("live").pipe(
  Flag.withDescription("Follows live streams over connections that break all the time; --faults does not matter then"),
  Flag.withDefault(false)
)

const service = Flag.String("service").pipe(
  Flag.withDescription(
    "The file of a built program to serve in place of the source: of the stand-in, or of LiveService.ts"
  ),
  Flag.optional
)

/** Runs the soak that the arguments of the process ask for, and fails where something was not stable. */
export const run = Command.make(
  "soak",
  { minutes, faults, seed, live, service },
  Effect.fnUntraced(function* (flags) {
    const now = yield* Clock.currentTimeMillis
    const settings = {
      duration: Duration.minutes(flags.minutes),
      faults: flags.faults,
      seed: Option.getOrElse(flags.seed, () => now % 1_000_000),
      service: Option.getOrUndefined(flags.service),
      every: Duration.min(Duration.seconds(10), Duration.minutes(flags.minutes / 4))
    }
    const { checks } = yield* flags.live ? LiveSoak.run(settings) : Soak.run(settings)
    if (!checks.every(({ isKept }) => isKept)) return yield* new Unstable()
  })
).pipe(
  Command.withDescription("Runs a service-like program under random faults and says whether it stays stable"),
  Command.run({ version: "0.1.0" }),
  Vitals.counted
)
