/**
 * The store of a quota that several processes share: it holds the window and the permits of one account, and changes them in
 * steps that never overlap. `SharedQuota` is the quota over it.
 *
 * {@link advance} is the step itself. A store on something that can hold a {@link State}, a {@link Log} and a lock needs
 * nothing more. `RedisQuotaStore` runs the same as a script in the server.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as MemoryLog from "./internal/shared/MemoryLog.ts"
import type { Log, State } from "./internal/shared/State.ts"
import type { Answer, Step } from "./internal/shared/Step.ts"
import * as StoredState from "./internal/shared/StoredState.ts"
import * as Transition from "./internal/shared/Transition.ts"

export type { Answer, Event, Hold, Join, Sent, Step } from "./internal/shared/Step.ts"
export type { Block, Log, Others, PaceState, PermitState, Process, Rates, State } from "./internal/shared/State.ts"
export type { Next } from "./internal/shared/Transition.ts"

/** The store of one account's quota. */
export class QuotaStore extends Context.Service<
  QuotaStore,
  {
    /** Where it is, for messages. Holds no secret. */
    readonly place: string
    /** Makes one step. A step that fails may have been made. */
    readonly step: (step: Step) => Effect.Effect<Answer, QuotaStoreUnavailable>
    /** Ends when the process may have got permits in the step of another. May end early, and may never end. */
    readonly awaitWake: (process: string) => Effect.Effect<void>
  }
>()("@sluice/core/QuotaStore") {}

/** The store of a shared quota cannot be reached, or refuses. Nothing was sent to the service. */
export class QuotaStoreUnavailable extends Data.TaggedError("QuotaStoreUnavailable")<{
  /** Where the store is. */
  readonly place: string
  /** A sentence that names the place. */
  readonly reason: string
  /** Whether a later attempt may succeed. */
  readonly transient: boolean
}> {
  /** `kind` of the `Unavailable` with which calls fail for it. */
  readonly kind = "quotaStore"
  override get message() {
    return this.reason
  }
}

/** Makes one step: the new state, the answer, and the processes to wake. Changes `before` and `log`; `now` in milliseconds. */
export const advance: (before: State | undefined, log: Log, step: Step, now: number) => Transition.Next =
  Transition.advance

/**
 * Reads the state that was kept as JSON before a step, with the log beside it: undefined where no step can have left them like this, as after
 * somebody has changed them. Then it is to be taken for lost, and the log to be emptied: processes tell what they have sent.
 */
export const read: (text: string, log: Log, step: Step) => State | undefined = StoredState.read

/**
 * Builds a store in memory, for all clients of one process and for tests. `initial` is the state to begin with.
 */
export const make = (initial?: { readonly state: State; readonly log: Log }): QuotaStore["Service"] => {
  let state = initial?.state
  const log = initial?.log ?? MemoryLog.make()
  const latches = new Map<string, Latch.Latch>()
  const latchOf = (process: string) => {
    const known = latches.get(process)
    if (known !== undefined) return known
    const latch = Latch.makeUnsafe(false)
    latches.set(process, latch)
    return latch
  }
  return QuotaStore.of({
    place: "memory",
    step: (step) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const next = Transition.advance(state, log, step, now)
        state = next.state
        for (const process of next.wake) latchOf(process).openUnsafe()
        return next.answer
      }),
    awaitWake: (process) =>
      Effect.suspend(() => {
        const latch = latchOf(process)
        return Effect.tap(latch.await, latch.close)
      })
  })
}

/** Provides a store in memory. */
export const layerMemory: Layer.Layer<QuotaStore> = Layer.effect(
  QuotaStore,
  Effect.sync(() => make())
)
