/**
 * Clocks of a simulated month. The service stands still while a day is read, so that a dataset and what it is compared with are
 * of one moment; a sync begins at that moment, and its own waits are real ones, of milliseconds. While a dataset is watched, time
 * passes for both, faster than it really does.
 */
import { type Clock, Duration } from "effect"
import * as WallClock from "../../../core/test/WallClock.ts"

/** The moment of a month. */
export interface Moment {
  /** In milliseconds since 1970. */
  now: number
  /** When it became that, by the clock of the machine. */
  begun: number
  /** How much faster than by the clock of the machine it goes on for the service; 0 where it stands. */
  speed: number
}

const clock = (real: Clock.Clock, moment: Moment, now: () => number): Clock.Clock => ({
  ...WallClock.at(real, now),
  sleep: (duration) => real.sleep(Duration.times(duration, 1 / Math.max(1, moment.speed)))
})

const passed = (real: Clock.Clock, { begun }: Moment) => real.currentTimeMillisUnsafe() - begun

/** The clock of the service: it stands still at the moment, but while a dataset is watched. */
export const ofService = (real: Clock.Clock, moment: Moment): Clock.Clock =>
  clock(real, moment, () => moment.now + passed(real, moment) * moment.speed)

/** The clock of a sync: it goes on from the moment. */
export const ofSync = (real: Clock.Clock, moment: Moment): Clock.Clock =>
  clock(real, moment, () => moment.now + passed(real, moment) * Math.max(1, moment.speed))

/** Sets the moment, and how fast time passes from it on. */
export const set = (real: Clock.Clock, moment: Moment, now: number, speed = 0): void => {
  moment.now = now
  moment.speed = speed
  moment.begun = real.currentTimeMillisUnsafe()
}
