/**
 * Which backfills this worker can do its share of, and whether others can do the rest. Every worker tells the store, so that one
 * that cannot do a backfill knows whether there is another to leave it to, and `status` what keeps it from going on.
 */
import * as Monotonic from "@sluice/files/internal/progress/Monotonic"
import * as Recent from "@sluice/files/internal/progress/Recent"
import * as Cache from "effect/Cache"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as RcMap from "effect/RcMap"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Semaphore from "effect/Semaphore"
import { randomUUID } from "node:crypto"
import { BackfillStore, type Unable } from "../BackfillStore.ts"
import type * as Persistence from "./Persistence.ts"
import type { Unfit } from "./Target.ts"

/** Where a backfill is to be done: by this worker, by another, or by nobody that is there. */
export type Place = "here" | "elsewhere" | "nowhere"

/** How often a worker tells what it can do: some times in the half minute for which the store believes it. */
const announceEvery = "5 seconds"

/** Within this time, every worker that is there has told. */
const toldWithin = "6 seconds"

/** For how many milliseconds an answer of the store is used. */
const lookEvery = 1_000

/**
 * For how many milliseconds a worker leaves a backfill to others after what it met at a part. Then it tries again: its key may be
 * accepted by now, or its disk be there.
 */
const leavesFor = 60_000

/** What a worker met at a part of a backfill, in one of its runs. */
interface Obstacle {
  readonly generation: number
  /** In milliseconds of the monotonic clock. */
  readonly until: number
  readonly unable: Unable
}

interface Run {
  readonly id: string
  readonly generation: number
}

/** Whether the settings of a worker keep it from a backfill. */
interface Verdict {
  readonly unable: Unable | null
  /** Whether that will be so whenever it is asked. */
  readonly lasts: boolean
}

const able: Verdict = { unable: null, lasts: true }
const gone: Verdict = { unable: null, lasts: false }

/** What a worker judges by. */
export interface Options {
  readonly persistently: Persistence.Persistently
  /** Builds what the worker would write into. */
  readonly targetOf: (id: string) => Effect.Effect<unknown, Unfit | { readonly _tag: "Stopped" }, Scope.Scope>
}

/** Judges for one worker, and tells the store until the scope closes. */
export const make = Effect.fnUntraced(function* ({ persistently, targetOf }: Options) {
  const store = yield* BackfillStore
  const worker = randomUUID()

  const judge = Effect.fnUntraced(function* (id: string): Effect.fn.Return<Verdict> {
    const result = yield* Effect.result(Effect.scoped(targetOf(id)))
    if (result._tag === "Success") return able
    if (result.failure._tag === "Stopped") return gone
    const { reason, setting, worker } = result.failure
    yield* Effect.logWarning(`Backfill ${id} is left to other workers: ${reason}`)
    return { unable: { worker, setting, reason }, lasts: true }
  })
  // Settings of a process do not change, and a request only with the generation; what was forgotten may be submitted again.
  const verdicts = yield* Cache.makeWith(judge, {
    capacity: 10_000,
    timeToLive: (exit) => (Exit.isSuccess(exit) && exit.value.lasts ? Infinity : 0)
  })

  /** The generation that was left to others for good, by the backfill. */
  const left = new Map<string, number>()
  const judgeAgain = (id: string) =>
    Effect.suspend(() => (left.delete(id) ? Cache.invalidate(verdicts, id) : Effect.void))

  /** By the backfill. */
  const obstacles = new Map<string, Obstacle>()
  const unableFor = Effect.fnUntraced(function* (id: string) {
    const { unable: lasting } = yield* Cache.get(verdicts, id)
    const passing = obstacles.get(id)
    if (lasting !== null || passing === undefined) return lasting
    if ((yield* Monotonic.now) < passing.until) return passing.unable
    obstacles.delete(id)
    return null
  })

  const announce = Effect.gen(function* () {
    const open = yield* persistently(store.open)
    const now = yield* Monotonic.now
    // Those of backfills that have ended too, of which nobody asks any more.
    for (const [id, { until }] of obstacles) if (until <= now) obstacles.delete(id)
    for (const id of left.keys()) if (!open.includes(id)) yield* judgeAgain(id)
    const judged = yield* Effect.forEach(open, (backfill) =>
      Effect.map(unableFor(backfill), (unable) => ({ backfill, unable }))
    )
    yield* persistently(store.announce(worker, judged))
  })
  yield* Effect.addFinalizer(() =>
    store.leave(worker).pipe(Effect.interruptible, Effect.timeout("1 second"), Effect.ignore)
  )
  // One at a time, so that what is told last is what holds.
  const telling = yield* Semaphore.make(1)
  yield* Effect.forkScoped(Effect.repeat(telling.withPermit(announce), Schedule.spaced(announceEvery)))

  const others = yield* RcMap.make({
    lookup: (id: string) =>
      Recent.make(
        Effect.map(persistently(store.workers(id)), ({ able }) => able > 0),
        lookEvery
      ),
    idleTimeToLive: "10 seconds"
  })

  return {
    /** Where a backfill is to be done. */
    placeOf: Effect.fnUntraced(function* ({ generation, id }: Run) {
      // A retry is tried here too.
      if ((obstacles.get(id)?.generation ?? generation) < generation) obstacles.delete(id)
      if ((left.get(id) ?? generation) < generation) yield* judgeAgain(id)
      const unable = yield* unableFor(id)
      if (unable === null) return "here"
      if (!obstacles.has(id)) left.set(id, generation)
      return (yield* (yield* RcMap.get(others, id)).get) ? "elsewhere" : "nowhere"
    }, Effect.scoped) satisfies (run: Run) => Effect.Effect<Place>,
    /**
     * Leaves a backfill to others for a minute, after what this worker met; false where there is no other that may do
     * it. So where all of them meet it, one after the other leaves it to the rest, and the last is told that nobody is
     * left.
     */
    leave: Effect.fnUntraced(function* ({ generation, id }: Run, unable: Unable) {
      if (!store.isShared) return false
      if ((yield* unableFor(id)) !== null) return true
      obstacles.set(id, { generation, until: (yield* Monotonic.now) + leavesFor, unable })
      yield* telling.withPermit(announce)
      const isAble = Effect.map(persistently(store.workers(id)), ({ able }) => able > 0)
      // Of a backfill that was just submitted, others may not have told yet.
      const isLeft = (yield* isAble) || (yield* Effect.delay(isAble, toldWithin))
      if (!isLeft) obstacles.delete(id)
      else yield* Effect.logWarning(`Backfill ${id} is left to other workers for a minute: ${unable.reason}`)
      return isLeft
    }) satisfies (run: Run, unable: Unable) => Effect.Effect<boolean>
  }
})
