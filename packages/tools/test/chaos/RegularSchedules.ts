import * as TestMode from "../../../core/test/TestMode.ts"
import * as Cover from "../../src/chaos/Cover.ts"
import * as Schedule from "../../src/chaos/Schedule.ts"

const many = { memory: TestMode.times(600, 1_700), wire: TestMode.times(100, 300) }

/** So many schedules, each of its own seed. */
export const draw = (world: Schedule.World, count = many[world]) =>
  Array.from({ length: count }, (_, nth) => Schedule.draw(nth + 1, world))

const drawn = new Map<Schedule.World, ReadonlyArray<Schedule.Schedule>>()

/**
 * The schedules of every run, always the same: what differs among many. A long run, like `pnpm chaos`, has all that are drawn,
 * and they are drawn once.
 */
export const schedules = (world: Schedule.World): ReadonlyArray<Schedule.Schedule> => {
  const earlier = drawn.get(world)
  if (earlier !== undefined) return earlier
  const all = draw(world)
  const regular = TestMode.isLong ? all : Cover.take(all)
  drawn.set(world, regular)
  return regular
}

/** Schedules as tests of a few of them each. */
export const chunks = (world: Schedule.World, size: number) => {
  const drawn = schedules(world)
  const count = Math.ceil(drawn.length / size)
  return Array.from({ length: count }, (_, index) => drawn.slice(index * size, (index + 1) * size))
}
