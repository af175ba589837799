/**
 * The store of a quota that several processes share: it holds the window and the permits of one account, and changes them in
 * steps that never overlap. `SharedQuota` is the quota over it.
 *
 * Whatever keeps one text by compare-and-set can be a store: {@link over} needs nothing more than a {@link Cell}.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as MemoryStore from "./internal/shared/MemoryStore.ts"
import type { Answer, Step } from "./internal/shared/Step.ts"
import * as StoredState from "./internal/shared/StoredState.ts"
import * as Transition from "./internal/shared/Transition.ts"

export type { Answer, Event, Join, Sent, Step } from "./internal/shared/Step.ts"
export type { Hold, Patience } from "./internal/quota/Window.ts"

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

/** A text that is kept by compare-and-set, which processes of one account share. */
export interface Cell extends Pick<QuotaStore["Service"], "place" | "awaitWake"> {
  /**
   * Keeps the next text where nobody has written since the one before it, and tells what is kept now. Without a next text, it only
   * tells that.
   */
  readonly exchange: (next?: Next) => Effect.Effect<Kept, QuotaStoreUnavailable>
}

/** What a {@link Cell} keeps. */
export interface Kept {
  /** Names the text; empty while there is none. */
  readonly version: string
  /** May be left out where it was written by this exchange. */
  readonly text: string
  /** Milliseconds since 1970, of a clock that is the same for all that share it. */
  readonly now: number
}

/** What a {@link Cell} is to keep. */
export interface Next extends Pick<Kept, "version" | "text"> {
  /** The version of the text that it replaces. */
  readonly before: string
  /** Milliseconds for which anybody needs it. */
  readonly keep: number
  /** The processes whose `awaitWake` is to end. */
  readonly wake: ReadonlyArray<string>
}

/** The longest pause before a step is tried again because another process was faster, in milliseconds, at first and at last. */
const pauses = { first: 2, last: 64 }

/** After so many tries, which take a second or two, the store counts as out of reach. */
const mostTries = 50

const day = 86_400_000

/**
 * Builds a store over a cell. A text that no step can have left, as after somebody has changed it, is taken for lost: processes tell
 * again what they have sent.
 */
export const over = (cell: Cell): QuotaStore["Service"] => {
  const { place } = cell
  let written = 0
  const step = Effect.fnUntraced(function* (step: Step) {
    let pause = pauses.first
    for (let tries = 0; tries < mostTries; tries++) {
      // Read each time, for the time of the cell: a reply that came before must not be noted as earlier than it was.
      const { now, text, version: before } = yield* cell.exchange()
      const { answer, state, wake } = Transition.advance(StoredState.read(text, step.lease), step, Math.floor(now))
      const keep = Math.max(day, ...state.policies.map(({ window }) => 3 * window))
      written += 1
      const version = `${step.process} ${written}`
      const kept = yield* cell.exchange({ before, version, text: StoredState.write(state), keep, wake })
      if (kept.version === version) return answer
      yield* Effect.sleep(yield* Random.nextBetween(0, pause))
      pause = Math.min(pauses.last, pause * 2)
    }
    const reason = `the quota store ${place} cannot be used: other processes were faster ${mostTries} times`
    return yield* new QuotaStoreUnavailable({ place, reason, transient: true })
  })
  return QuotaStore.of({ place, awaitWake: cell.awaitWake, step })
}

/** Builds a store in memory, for all clients of one process and for tests. */
export const make = (): QuotaStore["Service"] => QuotaStore.of({ place: "memory", ...MemoryStore.make() })

/** Provides a store in memory. */
export const layerMemory: Layer.Layer<QuotaStore> = Layer.effect(QuotaStore, Effect.sync(make))
