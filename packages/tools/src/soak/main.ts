/**
 * `pnpm soak`: a service-like program under random faults, for a few minutes; says whether it stayed stable.
 */
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as Tool from "../Tool.ts"
import * as Soak from "./Soak.ts"
import * as Vitals from "./Vitals.ts"

const between = (minimum: number, maximum: number) =>
  Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum, maximum })))

const flags = {
  minutes: Flag.Finite("minutes").pipe(
    between(0.02, 10_000),
    Flag.withDescription("How long the loops run; memory is judged from 1.5 minutes on"),
    Flag.withDefault(3)
  ),
  faults: Flag.Finite("faults").pipe(
    between(1, 1_000_000),
    Flag.withDescription("One request in so many meets a fault"),
    Flag.withDefault(6)
  ),
  seed: Flag.Int("seed").pipe(
    Flag.withDescription("Which faults come; the time of day if none is given"),
    Flag.optional
  ),
  live: Flag.Boolean("live").pipe(
    Flag.withDescription(
      "Follows live streams over connections that break all the time; --faults does not matter then"
    ),
    Flag.withDefault(false)
  ),
  service: Flag.String("service").pipe(
    Flag.withDescription("A built program to serve in place of the source: of the stand-in, or of LiveService.ts"),
    Flag.optional
  )
}

const command = Command.make(
  "soak",
  flags,
  Effect.fnUntraced(function* ({ faults, live, minutes, seed, service }) {
    const now = yield* Clock.currentTimeMillis
    const settings: Soak.Settings = {
      duration: Duration.minutes(minutes),
      isLive: live,
      faults,
      seed: Option.getOrElse(seed, () => now % 1_000_000),
      service: Option.getOrUndefined(service),
      every: Duration.min(Duration.seconds(10), Duration.minutes(minutes / 4))
    }
    if (!(yield* Soak.run(settings))) return yield* new Tool.Found()
  }, Vitals.counted)
).pipe(Command.withDescription("Runs a service-like program under random faults and says whether it stays stable"))

Tool.main(command)
