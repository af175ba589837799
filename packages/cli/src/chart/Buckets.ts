/**
 * Values along a range of time that is not known before the last one: at most so many are kept, whatever comes.
 */

interface Held<A> {
  readonly at: number
  readonly value: A
}

/**
 * Keeps each time apart as long as there are no more than `most`. Then the times are cut into intervals of one length, whose values
 * are merged, and the length doubles whenever there are too many of them again.
 */
export const make = <A>(most: number, merge: (before: A, after: A) => A) => {
  /** The length of an interval; 0 while each time is kept apart. */
  let length = 0
  let held = new Map<number, Held<A>>()
  const put = (at: number, value: A) => {
    const key = length === 0 ? at : Math.floor(at / length)
    const before = held.get(key)
    held.set(key, before === undefined ? { at, value } : { at: before.at, value: merge(before.value, value) })
  }
  const widen = () => {
    const all = [...held.values()]
    const ats = all.map(({ at }) => at)
    const range = ats.reduce((a, b) => Math.max(a, b), -Infinity) - ats.reduce((a, b) => Math.min(a, b), Infinity)
    length = length === 0 ? range / (most / 2) : length * 2
    held = new Map()
    for (const { at, value } of all) put(at, value)
  }
  return {
    add: (at: number, value: A) => {
      put(at, value)
      while (held.size > most) widen()
    },
    /** What is kept, in the order of time. */
    all: () => [...held.values()].toSorted((a, b) => a.at - b.at).map(({ value }) => value)
  }
}
