/**
 * Many months, one after another.
 */
import { Console, Effect } from "effect"
import * as Tool from "../Tool.ts"
import * as Month from "./Month.ts"
import * as Scenario from "./Scenario.ts"

/** What is changed about the months that are drawn. */
export interface Narrowing {
  /** Only so many days of each. */
  readonly days?: number | undefined
  /** Nothing disturbs the syncs before this day. */
  readonly calmBefore?: number | undefined
  /** Each is kept there. */
  readonly store?: Scenario.Scenario["store"] | undefined
}

/** The day from which on something has to disturb a month that fails on a day; undefined where all of it is needed. */
const calmBefore = Effect.fnUntraced(function* ({ failedAt = 0, scenario }: Month.Outcome) {
  const short = Scenario.shortened(scenario, failedAt + 1)
  for (const before of [failedAt + 1, failedAt, failedAt - 1]) {
    if (before <= 0) continue
    const { failedAt: at } = yield* Month.run(Scenario.calm(short, before))
    if (at === failedAt) return before
  }
  return undefined
})

/** Explains a failure: what went wrong, and how to repeat it with as little as possible. */
const explain = Effect.fnUntraced(function* (failed: Month.Outcome) {
  const { failedAt = 0, findings, scenario } = failed
  const { days, ...settings } = scenario
  const before = yield* calmBefore(failed)
  const calm = before === undefined ? "" : ` --calm-before ${before}`
  return [
    `seed ${scenario.seed}, day ${failedAt}:`,
    ...findings.map((text) => `  - ${text}`),
    `  ${JSON.stringify(settings)}`,
    `  the day: ${JSON.stringify(days[failedAt])}`,
    `  again with: pnpm month --seed ${scenario.seed} --store ${scenario.store} --days ${failedAt + 1}${calm}`
  ].join("\n")
})

/** Runs the months of seeds, and tells of those that fail. */
export const run = Effect.fnUntraced(function* (
  seeds: ReadonlyArray<number>,
  { calmBefore = 0, days, store }: Narrowing = {}
) {
  const total = { ...Month.nothing, months: 0, days: 0 }
  const kinds: Record<string, number> = {}
  const failed: Array<string> = []
  for (const seed of seeds) {
    const drawn = yield* Scenario.draw(seed, store)
    const scenario = Scenario.calm(Scenario.shortened(drawn, days), calmBefore)
    const outcome = yield* Month.run(scenario)
    const done = { ...outcome.total, months: 1, days: scenario.days.length }
    for (const name of Object.keys(done) as Array<keyof typeof done>) total[name] += done[name]
    for (const kind of [scenario.target, `in ${scenario.store}`]) Tool.count(kinds, kind)
    if (outcome.findings.length > 0) {
      failed.push(yield* explain(outcome))
      yield* Console.log(failed.at(-1))
    }
    if (total.months % 20 === 0) yield* Console.log(`${total.months} of ${seeds.length}, ${failed.length} failed`)
  }
  return { failed, total, text: `${Tool.shown(total)}\n${Tool.shown(kinds)}\nfailed ${failed.length}` }
})
