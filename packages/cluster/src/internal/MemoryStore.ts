/**
 * The store of one process.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Backfill, BackfillStore, type Outcome } from "../BackfillStore.ts"

/** How many failures are told. */
export const mostFailures = 100

/** Makes an empty store. */
export const make = (): BackfillStore["Service"] => {
  const backfills = new Map<string, Backfill>()
  const outcomes = new Map<string, Map<number, Outcome>>()
  const of = (id: string) => outcomes.get(id) ?? new Map<number, Outcome>()
  return {
    add: (backfill) =>
      Effect.sync(() => {
        const found = backfills.get(backfill.id) ?? backfill
        backfills.set(backfill.id, found)
        return found
      }),
    find: (id) => Effect.sync(() => backfills.get(id)),
    all: Effect.sync(() => [...backfills.values()].toSorted((a, b) => b.submitted - a.submitted)),
    change: (id, generation, states, change) =>
      Effect.sync(() => {
        const found = backfills.get(id)
        if (found === undefined || found.generation !== generation || !states.includes(found.state)) return false
        backfills.set(id, { ...found, ...change })
        return true
      }),
    note: (id, outcome) =>
      Effect.sync(() => {
        outcomes.set(id, of(id).set(outcome.first, outcome))
      }),
    totals: (id) =>
      Effect.sync(() => {
        const all = [...of(id).values()]
        const sum = (count: (outcome: Outcome) => number) => all.reduce((total, one) => total + count(one), 0)
        const failures = all.toSorted((a, b) => a.first - b.first).flatMap(({ failed }) => failed)
        return {
          done: sum(({ done }) => done),
          records: sum(({ records }) => records),
          bytes: sum(({ bytes }) => bytes),
          failed: failures.length,
          failures: failures.slice(0, mostFailures)
        }
      }),
    whole: (id, from) =>
      Effect.sync(
        () =>
          new Set(
            [...of(id).values()].filter((one) => one.first >= from && one.done === one.parts).map(({ first }) => first)
          )
      ),
    ended: (id, generation) =>
      Effect.sync(
        () => [...of(id).values()].filter((one) => one.generation === generation || one.done === one.parts).length
      )
  }
}

/** The store of this process, which ends with it: what was finished is found in the folder again. */
export const layer: Layer.Layer<BackfillStore> = Layer.sync(BackfillStore, make)
