/**
 * Many months, one after another.
 */
import { Effect } from "effect"
import * as Month from "./Month.ts"
import * as Scenario from "./Scenario.ts"
import * as Summary from "./Summary.ts"

/** What is changed about the months that are drawn. */
export interface Narrowing {
  /** Only so many days of each. */
  readonly days?: number | undefined
  /** Nothing disturbs the syncs before this day. */
  readonly calmBefore?: number | undefined
  /** Each is kept there. */
  readonly store?: Scenario.Scenario["store"] | undefined
}

const drawn = (seed: number, { calmBefore = 0, days, store }: Narrowing) =>
  Effect.map(Scenario.draw(seed, store), (scenario) => Scenario.calm(Scenario.shortened(scenario, days), calmBefore))

/** A month that fails at the same day though less happens before it; undefined where all of it is needed. */
const smaller = Effect.fnUntraced(function* ({ failedAt = 0, scenario }: Month.Outcome) {
  const short = Scenario.shortened(scenario, failedAt + 1)
  for (const before of [failedAt + 1, failedAt, failedAt - 1]) {
    if (before <= 0) continue
    const candidate = Scenario.calm(short, before)
    const { failedAt: at } = yield* Month.run(candidate)
    if (at === failedAt) return candidate
  }
  return undefined
})

/** Explains a failure: what went wrong, and how to repeat it with as little as possible. */
export const explain = (failed: Month.Outcome): Effect.Effect<string> =>
  Effect.map(smaller(failed), (candidate) => Summary.explain(failed, candidate))

/** Runs the months of `count` seeds. */
export const run = Effect.fnUntraced(function* (
  first: number,
  count: number,
  narrowing: Narrowing = {},
  after: (summary: Summary.Summary) => Effect.Effect<void> = () => Effect.void
) {
  const summary = Summary.empty()
  for (let seed = first; seed < first + count; seed++) {
    Summary.add(summary, yield* Month.run(yield* drawn(seed, narrowing)))
    yield* after(summary)
  }
  return summary
})
