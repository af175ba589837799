/** What follows from a seed, and is unlike what follows from the seeds beside it. */
export const from = (seed: number) => {
  let state = (seed * 2_654_435_761 + 1) >>> 0
  /** A number from 0 to 1. */
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  /** A whole number below a bound. */
  const below = (bound: number) => Math.floor(next() * bound)
  return {
    next,
    below,
    one: <A>(list: ReadonlyArray<A>): A => list[below(list.length)]!,
    chance: (part: number) => next() < part
  }
}

export type Draw = ReturnType<typeof from>
