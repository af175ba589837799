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
  /** A whole number, both bounds included. */
  const int = (minimum: number, maximum: number) => minimum + below(maximum - minimum + 1)
  const chance = (part: number) => next() < part
  return {
    next,
    below,
    int,
    one: <A>(list: ReadonlyArray<A>): A => list[below(list.length)]!,
    chance,
    /** A value with a probability; otherwise `undefined`. */
    maybe: <A>(probability: number, choice: () => A): A | undefined => (chance(probability) ? choice() : undefined),
    /** Between one and `most` different items, in their order. */
    some: <A>(items: ReadonlyArray<A>, most = items.length): ReadonlyArray<A> => {
      const left = [...items]
      for (let count = int(1, Math.min(most, items.length)); left.length > count;) left.splice(below(left.length), 1)
      return left
    },
    /** One of the choices, each as often as its weight, a whole number, against the other weights. */
    weighted: <A>(choices: ReadonlyArray<readonly [weight: number, choice: () => A]>): A => {
      let at = below(choices.reduce((sum, [weight]) => sum + weight, 0))
      return choices.find(([weight]) => (at -= weight) < 0)![1]()
    }
  }
}

export type Draw = ReturnType<typeof from>
