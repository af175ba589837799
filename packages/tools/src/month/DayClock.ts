/**
 * Clocks of a simulated month. The service stands still while a day is read, so that a dataset and what it is compared with are
 * of one moment; a sync begins at that moment, and its own waits are real ones, of milliseconds.
 */
import type * as Clock from "effect/Clock"
import * as WallClock from "../../../core/test/WallClock.ts"

/** The moment of a month. */
export interface Moment {
  /** In milliseconds since 1970. */
  now: number
  /** When it became that, by the clock of the machine. */
  begun: number
}

/** The clock of the service: it stands still at the moment. */
export const ofService = (real: Clock.Clock, moment: Moment): Clock.Clock => WallClock.at(real, () => moment.now)

/** The clock of a sync: it goes on from the moment. */
export const ofSync = (real: Clock.Clock, moment: Moment): Clock.Clock =>
  WallClock.at(real, () => moment.now + real.currentTimeMillisUnsafe() - moment.begun)

/** Sets the moment. */
export const set = (real: Clock.Clock, moment: Moment, now: number): void => {
  moment.now = now
  moment.begun = real.currentTimeMillisUnsafe()
}
