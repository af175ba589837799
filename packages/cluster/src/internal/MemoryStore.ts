/**
 * The store of one process.
 */
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Backfill, BackfillStore, type Outcome, type Verdict } from "../BackfillStore.ts"

/** How many failures are told. */
export const mostFailures = 100

/** For how many milliseconds a worker is believed. */
export const believedFor = 30_000

/** Makes an empty store. */
export const make = (): BackfillStore["Service"] => {
  const backfills = new Map<string, Backfill>()
  /** Generations of those that were forgotten. */
  const forgotten = new Map<string, number>()
  const outcomes = new Map<string, Map<number, Outcome>>()
  const workers = new Map<string, { readonly seen: number; readonly verdicts: ReadonlyArray<Verdict> }>()
  const of = (id: string) => outcomes.get(id) ?? new Map<number, Outcome>()
  return {
    isShared: false,
    add: (backfill) =>
      Effect.sync(() => {
        const generation = (forgotten.get(backfill.id) ?? 0) + backfill.generation
        const found = backfills.get(backfill.id) ?? { ...backfill, generation }
        backfills.set(backfill.id, found)
        return found
      }),
    find: (id) => Effect.sync(() => backfills.get(id)),
    all: Effect.sync(() => [...backfills.values()].toSorted((a, b) => b.submitted - a.submitted).map(({ id }) => id)),
    open: Effect.sync(() => [...backfills.values()].filter(({ ended }) => ended === null).map(({ id }) => id)),
    change: (id, generation, states, change) =>
      Effect.sync(() => {
        const found = backfills.get(id)
        if (found === undefined || found.generation !== generation || !states.includes(found.state)) return false
        backfills.set(id, { ...found, ...change })
        return true
      }),
    forget: (id, generation) =>
      Effect.sync(() => {
        const found = backfills.get(id)
        if (found === undefined || found.generation !== generation || found.ended === null) return false
        backfills.delete(id)
        outcomes.delete(id)
        forgotten.set(id, generation)
        return true
      }),
    note: (id, generation, outcome) =>
      Effect.sync(() => {
        if (backfills.get(id)?.generation === generation) outcomes.set(id, of(id).set(outcome.first, outcome))
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
      ),
    announce: (worker, verdicts) =>
      Effect.map(Monotonic.now, (seen) => {
        workers.set(worker, { seen, verdicts })
      }),
    leave: (worker) =>
      Effect.sync(() => {
        workers.delete(worker)
      }),
    workers: (id) =>
      Effect.map(Monotonic.now, (now) => {
        const judged = [...workers.values()]
          .filter(({ seen }) => now - seen < believedFor)
          .flatMap(({ verdicts }) => verdicts.filter(({ backfill }) => backfill === id))
        return {
          able: judged.filter(({ unable }) => unable === null).length,
          unable: judged.map(({ unable }) => unable).filter((unable) => unable !== null)
        }
      })
  }
}

/** The store of this process, which ends with it: what was finished is found in the folder again. */
export const layer: Layer.Layer<BackfillStore> = Layer.sync(BackfillStore, make)
