/**
 * The store of a quota that several processes share: it holds the window and the permits of one account, and changes them in
 * steps that never overlap. `SharedQuota` is the quota over it.
 *
 * Whatever keeps a list in order can be a store: {@link over} needs nothing more than a {@link Journal}.
 */
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Semaphore from "effect/Semaphore"
import * as MemoryStore from "./internal/shared/MemoryStore.ts"
import type { State } from "./internal/shared/State.ts"
import type { Answer, Step } from "./internal/shared/Step.ts"
import * as StoredState from "./internal/shared/StoredState.ts"
import * as StoredStep from "./internal/shared/StoredStep.ts"
import * as Transition from "./internal/shared/Transition.ts"

export type { Answer, Before, Event, Join, Sent, Step } from "./internal/shared/Step.ts"
export type { Hold, Patience } from "./internal/quota/Window.ts"

/** The store of one account's quota. */
export class QuotaStore extends Context.Service<
  QuotaStore,
  {
    /** Where it is, for messages. Holds no secret. */
    readonly place: string
    /** Makes one step. A step that fails may have been made, or may still be, behind later ones. */
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

/**
 * A list to which processes of one account append, and which all of them read in the same order. It begins with a text that stands for
 * all that was before, the *base*.
 */
export interface Journal extends Pick<QuotaStore["Service"], "place" | "awaitWake"> {
  /** Appends an entry, and gives what was not read before; the new entry is the last. */
  readonly append: (next: Next) => Effect.Effect<Found, QuotaStoreUnavailable>
  /** Ends the `awaitWake` of these processes. */
  readonly wake: (processes: ReadonlyArray<string>) => Effect.Effect<void>
}

/** How far somebody has read a {@link Journal}. */
export interface Read {
  /** The name of the base; empty before anything was read. */
  readonly base: string
  /** Entries since. */
  readonly count: number
  /** When the last of them was appended; empty for none. */
  readonly at: string
}

/** What stands for the base that was read, and for so many entries after it. */
export interface Base {
  /** The text of the base. */
  readonly text: string
  /** The number of entries that it stands for. */
  readonly count: number
}

/** What is appended to a {@link Journal}. */
export interface Next {
  /** Text of the entry to append. */
  readonly entry: string
  /** What was read of the journal before. */
  readonly read: Read
  /** A name that no base has had. */
  readonly name: string
  /** The next base, where what was read is still there. If there is no journal, one begins with the name and an empty text. */
  readonly base: Base | undefined
  /** Milliseconds for which anybody needs the journal. */
  readonly keep: number
}

/** What was appended to a {@link Journal} since. */
export interface Found {
  /** Name of the base that is there. */
  readonly base: string
  /** The text of the base, and all entries since, where what was read is not there any more or has become a part of the base. */
  readonly text: string | undefined
  /** The entries since. */
  readonly entries: ReadonlyArray<Entry>
}

/** An entry of a {@link Journal}. */
export interface Entry {
  /** Microseconds since 1970 in digits, of a clock that is the same for all that append. */
  readonly at: string
  /** Its text. */
  readonly text: string
}

/**
 * The version of the rule by which processes make the steps of a journal. A journal belongs to one version, which is a part of its name:
 * processes with different rules would come to different states. A release with another rule has another version.
 */
export const version = 1

/** After entries of so many characters there is a new base, so that nobody reads many times as much as a state takes. */
const baseEvery = 32_768

const day = 86_400_000

/**
 * Builds a store over a journal of steps. Each process makes the steps of all of them, in their order and at their times, and so comes to
 * the same state and to the answer to its own. A text that no process can have written, as after somebody has changed it, is taken for
 * lost: processes tell again what they have sent.
 */
export const over = (journal: Journal): QuotaStore["Service"] => {
  const { place } = journal
  const lock = Semaphore.makeUnsafe(1)
  let read: Read = { base: "", count: 0, at: "" }
  let state: State | undefined
  let size = 0
  let due: Base | undefined

  /** Makes the steps that were not made here yet, and gives what the last of them, our own, has led to. */
  const follow = ({ base, entries, text }: Found) => {
    if (text !== undefined) {
      read = { base, count: 0, at: "" }
      size = 0
      state = StoredState.read(text)
      // Others may have read it before it was changed: with another name all read the same again.
      due = state === undefined && text !== "" ? { text: "", count: 0 } : undefined
    }
    let next: Transition.Next | undefined
    entries.forEach((entry, nth) => {
      const now = Math.floor(Number.parseInt(entry.at, 10) / 1_000)
      const step = now >= 0 ? StoredStep.read(entry.text) : undefined
      next = step === undefined ? undefined : Transition.advance(state, step, now)
      state = next?.state ?? state
      read = { base, count: read.count + 1, at: entry.at }
      size += entry.text.length
      if (state === undefined || size < baseEvery) return
      // A text is not as exact as the state, so all go on from it after the same entry. Whose entry that is makes it the base.
      const text = StoredState.write(state)
      state = StoredState.read(text)
      size = 0
      if (nth === entries.length - 1) due = { text, count: read.count }
    })
    return next
  }

  const append = Effect.fnUntraced(function* (step: Step) {
    const windows = state?.policies.map(({ window }) => 3 * window) ?? []
    const entry = StoredStep.write(step)
    const found = yield* journal.append({
      entry,
      read,
      name: (yield* Random.next).toString(36).slice(2),
      base: due,
      keep: Math.max(day, ...windows)
    })
    // Anything else is the answer to another step.
    return found.entries.at(-1)?.text === entry ? follow(found) : undefined
  })

  const step = Effect.fnUntraced(function* (step: Step) {
    const next = yield* lock.withPermit(append(step))
    if (next === undefined) {
      const reason = `the quota store ${place} cannot be used: what it gives back is not what was written`
      return yield* new QuotaStoreUnavailable({ place, reason, transient: false })
    }
    const { answer, wake } = next
    // Nobody is to wait for it, but for a process that ends and takes the connection with it.
    const waking = wake.length === 0 ? Effect.void : journal.wake(wake)
    yield* step.lease > 0 ? Effect.forkDetach(waking, { startImmediately: true }) : waking
    return answer
  })
  return QuotaStore.of({ place, awaitWake: journal.awaitWake, step })
}

/** Builds a store in memory, for all clients of one process and for tests. */
export const make = (): QuotaStore["Service"] => QuotaStore.of({ place: "memory", ...MemoryStore.make() })

/** Provides a store in memory. */
export const layerMemory: Layer.Layer<QuotaStore> = Layer.effect(QuotaStore, Effect.sync(make))
