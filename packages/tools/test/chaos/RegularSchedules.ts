import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Cover from "../../src/chaos/Cover.ts"
import * as Run from "../../src/chaos/Run.ts"
import type * as Schedule from "../../src/chaos/Schedule.ts"

const many = { memory: 2_000, wire: 100 }

/** The schedules of every run, always the same: what differs among many. A long run, like `pnpm chaos`, has all of them. */
export const schedules = (world: Schedule.World): ReadonlyArray<Schedule.Schedule> => {
  const all = Effect.runSync(Stream.runCollect(Run.draw(1, many[world], world)))
  return TestMode.isLong ? all : Cover.take(all)
}

/** Schedules as tests of a few of them each. */
export const chunks = (world: Schedule.World, size: number) => {
  const drawn = schedules(world)
  const count = Math.ceil(drawn.length / size)
  return Array.from({ length: count }, (_, index) => Stream.fromIterable(drawn.slice(index * size, (index + 1) * size)))
}
