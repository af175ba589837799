/** The steps of one process: what it tells the store in each exchange, and whether it has to join first. */
import * as Effect from "effect/Effect"
import type { Lane, Plan, Policy } from "../../Quota.ts"
import type { QuotaStore } from "../../QuotaStore.ts"
import * as Moment from "../retry/Moment.ts"
import * as Plans from "../quota/Plans.ts"
import type * as ProcessPermits from "../shared/ProcessPermits.ts"
import type { Answer, Step } from "../shared/Step.ts"

/** A store, or what stands in for it. */
export type Store = QuotaStore["Service"]

/** What a process tells in every step. */
export interface Settings {
  readonly process: string
  readonly nonce: string
  readonly lease: number
  readonly longest: number
  readonly probeAfter: number
  readonly parallel: number
  /** The plan that was configured. */
  readonly plan: Plan | undefined
}

/** Begins with a step that joins. */
export const make = (settings: Settings, grants: ProcessPermits.ProcessPermits<Lane>) => {
  const { lease, longest, nonce, parallel, plan, probeAfter, process } = settings
  let generation = ""
  let mustJoin = true
  let wasAlone = false
  let policies: ReadonlyArray<Policy> = []
  let count = 0
  let answered = 0
  /** How far the time of the store was ahead of ours at the last answer. */
  let ahead = 0

  const stepOf = (at: Moment.Moment, isJoin: boolean): Step => {
    const named = { process, generation, nonce: `${nonce}.${++count}`, nth: count }
    const before = answered > 0 ? { count: answered, now: Math.floor(at.monotonic + ahead) } : undefined
    const step = { ...named, before, lease, longest, probeAfter, ...grants.report(at) }
    if (!isJoin) return step
    // The list of requests says the same as the events.
    const requests = grants.list(at.monotonic)
    return { ...step, events: [], join: { alone: wasAlone, parallel, planned: Plans.planOf(plan), policies, requests } }
  }

  /** Tells a store what has happened, and joins where it has to. */
  const exchange = Effect.fnUntraced(function* (to: Store) {
    const first = yield* to.step(stepOf(yield* Moment.now, mustJoin))
    if (!first.isUnknown) return first
    mustJoin = true
    return yield* to.step(stepOf(yield* Moment.now, true))
  })

  return {
    exchange,
    /** The step that tells that the process is gone. */
    last: (at: Moment.Moment): Step => ({ ...stepOf(at, mustJoin), lease: 0 }),
    /** The step that asks for nothing. */
    look: (): Step => ({
      process: `${process}-`,
      generation: "",
      nonce: `${nonce}.${++count}`,
      want: 0,
      waited: 0,
      events: [],
      lease,
      longest: Infinity,
      probeAfter: Infinity
    }),
    /** Joins with the next step. */
    join: () => {
      mustJoin = true
    },
    /** Notes that requests are sent without the store. */
    goAlone: () => {
      wasAlone = true
    },
    /** Notes what the store, or what stands in for it, has answered. */
    hear: (answer: Answer, isStore: boolean, now: number) => {
      if (!isStore) return
      policies = answer.policies
      answered += 1
      ahead = answer.now - now
      generation = answer.generation
    },
    /** Marks the events as acknowledged: the next step does not join them. */
    settle: (isStore: boolean) => {
      mustJoin = false
      if (isStore) wasAlone = false
    }
  }
}

export type Steps = ReturnType<typeof make>
