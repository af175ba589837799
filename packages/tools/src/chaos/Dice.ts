/**
 * Chance that can be repeated: the same seed throws the same dice, in whatever order they are asked.
 */

/** Dice in the middle of a game. */
export interface Dice {
  /** Throws true so often, between 0 and 1. */
  readonly chance: (probability: number) => boolean
  /** Throws a whole number; both ends are possible. */
  readonly int: (least: number, most: number) => number
  readonly pick: <A>(items: ReadonlyArray<A>) => A
  /** Throws one item; its number says how often, against those of the others. */
  readonly weighted: <A>(items: ReadonlyArray<readonly [weight: number, item: A]>) => A
  /** Throws so many different items, in their order; fewer where there are not so many. */
  readonly some: <A>(items: ReadonlyArray<A>, least: number, most: number) => ReadonlyArray<A>
}

/** Makes dice. */
export const make = (seed: number): Dice => {
  // Seeds that follow each other must not give games that resemble each other.
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 2 ** 32)

  /** mulberry32. */
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const int = (least: number, most: number) => least + Math.floor(next() * (most - least + 1))

  return {
    int,
    chance: (probability) => next() < probability,
    pick: (items) => items[int(0, items.length - 1)]!,
    weighted: (items) => {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0)
      return (items.find(([weight]) => (left -= weight) < 0) ?? items.at(-1)!)[1]
    },
    some: (items, least, most) => {
      const left = Math.min(items.length, int(least, most))
      const chosen = new Set<number>()
      while (chosen.size < left) chosen.add(int(0, items.length - 1))
      return items.filter((_, index) => chosen.has(index))
    }
  }
}
