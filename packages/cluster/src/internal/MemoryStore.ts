/** The store of one process. */
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Backfill, BackfillStore, type Gap, type Outcome, type Verdict } from "../BackfillStore.ts"

export const mostFailures = 100

/** For how many milliseconds a worker is believed. */
export const believedFor = 30_000

export const make = (): BackfillStore["Service"] => {
  const backfills = new Map<string, Backfill>()
  /** Generations of those that were forgotten. */
  const forgotten = new Map<string, number>()
  const outcomes = new Map<string, Map<number, Outcome>>()
  /** Of the generation that was begun last. */
  const begun = new Map<string, { readonly generation: number; readonly gaps: ReadonlyArray<Gap> }>()
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
        begun.delete(id)
        forgotten.set(id, generation)
        return true
      }),
    endedBefore: (time) =>
      Effect.sync(() => [...backfills.values()].filter(({ ended }) => ended !== null && ended < time)),
    begin: (id, generation, found, gaps) =>
      Effect.sync(() => {
        if (backfills.get(id)?.generation !== generation) return undefined
        const first = begun.get(id)
        if (first?.generation === generation) return first.gaps
        begun.set(id, { generation, gaps })
        outcomes.set(id, new Map(found.map((outcome) => [outcome.first, outcome])))
        return gaps
      }),
    note: (id, generation, outcome) =>
      Effect.sync(() => {
        if (backfills.get(id)?.generation !== generation) return outcome
        const noted = of(id).get(outcome.first)
        if (noted !== undefined && (noted.isWhole || noted.parts !== outcome.parts)) return noted
        const pieces = noted?.pieces ?? outcome.pieces
        outcomes.set(id, of(id).set(outcome.first, { ...outcome, pieces }))
        return { ...outcome, pieces }
      }),
    extent: (id, generation, first) =>
      Effect.sync(() => (backfills.get(id)?.generation === generation ? of(id).get(first) : undefined)),
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
    tried: (id, generation) =>
      Effect.sync(() => {
        const all = [...of(id).values()]
        if (backfills.get(id)?.generation !== generation || all.some(({ isWhole }) => !isWhole)) return 0
        return all.reduce((sum, { parts }) => sum + parts, 0)
      }),
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
