/**
 * The condition of each day of an entity.
 */
import * as Moment from "../model/Moment.ts"
import type { Condition, ConditionWord } from "./Finding.ts"

export const day = 86_400_000

/** The number of the day of a moment. */
export const dayOf = (millis: number): number => Math.floor(millis / day)

const textOf = (number: number): string => Moment.ofMillis(number * day).slice(0, 10)

const mark = (days: Set<number>) => (from: number, to: number) => {
  for (let number = dayOf(from); number <= dayOf(to); number++) days.add(number)
}

/** Days of which there is something to tell: three sets of an entity at a time, or of all where entities share files. */
export const make = (entity: string) => {
  const held = new Set<number>()
  const degraded = new Set<number>()
  const absent = new Set<number>()
  const pending = new Set<number>()
  let before = Number.NaN

  const wordOf = (number: number): ConditionWord => {
    if (absent.has(number) && !held.has(number)) return "missing"
    if (degraded.has(number) || absent.has(number)) return "degraded"
    return pending.has(number) ? "pending" : "available"
  }

  return {
    /** Adds the moment of a record. */
    add: (millis: number) => {
      const number = dayOf(millis)
      if (number !== before) held.add((before = number))
    },
    /** Something was found from one moment to another. */
    degrade: mark(degraded),
    /** Records are missing from one moment to another. */
    miss: mark(absent),
    /** Records may still come from one moment to another. */
    await: mark(pending),
    /** Days that are alike, in order. */
    end: (): ReadonlyArray<Condition> => {
      const days = [...new Set([...held, ...degraded, ...absent, ...pending])].toSorted((a, b) => a - b)
      const found: Array<Condition> = []
      const [begin = 0, end = -1] = [days[0], days.at(-1)]
      let from = begin
      for (let number = begin; number <= end; number++) {
        const condition = wordOf(number)
        if (number < end && wordOf(number + 1) === condition) continue
        found.push({
          _tag: "Condition",
          entity,
          condition,
          from: textOf(from),
          to: textOf(number),
          days: number - from + 1
        })
        from = number + 1
      }
      return found
    }
  }
}

/** Days of an entity. */
export type Days = ReturnType<typeof make>
