/**
 * Every choice of a simulated run: which fiber goes on, for how long, and whatever a program asks for. A choice is a number below
 * a bound. 0 is what happens without a simulation, and only other numbers are kept, so a run is told by a few of them.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { below, seed as seedOf, unit } from "../random/Noise.ts"

/** The choices of a run that were not 0, by their place in the run. */
export type Deviations = ReadonlyMap<number, number>

export type Choices = ReturnType<typeof make>

const make = (choose: (at: number, bound: number, chance: number | undefined) => number) => {
  const deviations = new Map<number, number>()
  let at = 0
  return {
    /**
     * Chooses a whole number below a bound: 0, or with a probability one of the others, all alike. The probability is that of the
     * run where none is given.
     */
    below: (bound: number, chance?: number): number => {
      if (bound < 2) return 0
      const chosen = choose(at, bound, chance)
      if (chosen !== 0) deviations.set(at, chosen)
      at++
      return chosen
    },
    /** What was chosen so far, as it can be given to {@link replayed}. */
    deviations,
    count: () => at
  }
}

/** How often a run deviates: a few times, now and then, or nearly always. Seeds take turns, as each finds what others miss. */
const rates = [0.01, 0.05, 0.3, 0.7, 0.95] as const

export const drawn = (seed: number): Choices => {
  const key = seedOf(`simulation ${seed}`)
  const rate = rates[below(key, -1, rates.length)]!
  return make((at, bound, chance = rate) => (unit(key, 2 * at) < chance ? 1 + below(key, 2 * at + 1, bound - 1) : 0))
}

/** Choices that are known; a number that is not below the bound is 0. */
export const replayed = (known: Deviations): Choices =>
  make((at, bound) => {
    const chosen = known.get(at) ?? 0
    return chosen < bound ? chosen : 0
  })

/** Writes deviations, such as `12:1 40:3`. */
export const toText = (deviations: Deviations): string => [...deviations].map((one) => one.join(":")).join(" ")

/** Reads what {@link toText} wrote. */
export const fromText = (text: string): Deviations =>
  new Map([...text.matchAll(/(\d+):(\d+)/g)].map(([, at, chosen]) => [Number(at), Number(chosen)]))

/** The choices of the run that an effect is a part of; outside of one all are 0. */
export const Current = Context.Reference<Choices>("@sluice/sandbox/Simulation/Choices", {
  defaultValue: () => replayed(new Map())
})

/**
 * Takes deviations away, halves first and single ones last, as long as the run fails without them. `fails` gives the deviations
 * that a run really had, or nothing where it did not fail.
 */
export const shrink = Effect.fnUntraced(function* <R>(
  found: Deviations,
  most: number,
  fails: (deviations: Deviations) => Effect.Effect<Deviations | undefined, never, R>
) {
  let left = found
  let runs = 0
  for (let size = left.size; size >= 1 && runs < most; size = Math.floor(size / 2)) {
    // From the end: what is taken there does not move what comes before.
    for (let end = left.size; end > 0 && runs < most; end -= size) {
      const entries = [...left]
      runs++
      const failed = yield* fails(new Map(entries.toSpliced(Math.max(0, end - size), Math.min(size, end))))
      if (failed !== undefined && failed.size < left.size) left = failed
    }
  }
  return left
})
