/**
 * What a cluster knows of its backfills beside the workflows themselves: the request of each, what users want of it (that it
 * pauses, say), and how far it has come. The engine of the workflows cannot be asked for this.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { placeOf, Request } from "./internal/Request.ts"

export { placeOf, Request }

/** Schema of {@link State}. */
export const State = Schema.Literals(["running", "paused", "cancelled", "refused", "incomplete", "finished"])
/**
 * What a backfill is doing. `incomplete` ended with failed parts, `refused` before its first part, and `cancelled` by its
 * user; these can be retried.
 */
export type State = typeof State.Type

/** Schema of {@link Unable}. */
export const Unable = Schema.Struct({
  /** The name of the worker. */
  worker: Schema.String,
  /**
   * What is different: `endpoint` is one that it does not know. `key` and `folder` are what it met at a part, and tries
   * again after a minute: the service refused its key, or it does not have the folder, or may not write there.
   */
  setting: Schema.Literals(["root", "database", "endpoint", "version", "key", "folder"]),
  reason: Schema.String
})
/** A worker that cannot do its share of a backfill, and leaves it to others. */
export type Unable = typeof Unable.Type

/** Schema of {@link Workers}. */
export const Workers = Schema.Struct({
  /** How many can do their share. */
  able: Schema.Int,
  unable: Schema.Array(Unable)
})
/** The workers of the last half minute, by whether they can do their share of a backfill. */
export type Workers = typeof Workers.Type

/** What a worker tells of a backfill: why it cannot do its share, or null. */
export interface Verdict {
  /** Id of the backfill. */
  readonly backfill: string
  /** Why the worker cannot do it; null where it can. */
  readonly unable: Unable | null
}

/** Schema of {@link Backfill}. */
export const Backfill = Schema.Struct({
  id: Schema.String,
  /** How often it was begun: 1, and one more for each retry. */
  generation: Schema.Int,
  state: State,
  /** Why it was refused, or paused itself. */
  reason: Schema.NullOr(Schema.String),
  /** The tag of the error behind the reason, such as `Unauthorized`. */
  error: Schema.NullOr(Schema.String),
  request: Request,
  /** How many parts it has; null until a worker begins it. */
  parts: Schema.NullOr(Schema.Int),
  /** Milliseconds since 1970. */
  submitted: Schema.Finite,
  /** Milliseconds since 1970; null while it runs, and while what was under way when it was cancelled still ends. */
  ended: Schema.NullOr(Schema.Finite),
  /** Which backfill gets the next free slot of a worker: the highest. Absent where it is 0. */
  priority: Schema.optionalKey(Schema.Int),
  /** How many of its parts are read at once, over all workers; absent where nothing but the workers says so. */
  concurrency: Schema.optionalKey(Schema.Int)
})
/** A backfill, as the store has it. */
export type Backfill = typeof Backfill.Type

/** Schema of {@link Failure}. */
export const Failure = Schema.Struct({
  /** Index of the part, from 0. */
  part: Schema.Int,
  /** Name of its file, which does not exist. */
  file: Schema.String,
  /** The tag of the error, such as `Forbidden`. */
  error: Schema.String,
  reason: Schema.String
})
/** A part that could not be read. */
export type Failure = typeof Failure.Type

/** What became of some consecutive parts: those of a batch, or some that were found. */
export interface Outcome {
  /** The first of them. */
  readonly first: number
  /** How many they are. */
  readonly parts: number
  /** Among how many further batches those behind them are divided; 0 where there are none. */
  readonly pieces: number
  /** Whether all of them were tried, in this generation. */
  readonly isWhole: boolean
  /** Parts that were read. */
  readonly done: number
  /** Records that they have. */
  readonly records: number
  /** Bytes of their files. */
  readonly bytes: number
  /** Parts that could not be read, each with why. */
  readonly failed: ReadonlyArray<Failure>
}

/** How many parts a batch has, as it was decided first. */
export type Extent = Pick<Outcome, "parts" | "pieces" | "isWhole">

/** A part, and the one that is no longer meant. */
export type Gap = readonly [first: number, end: number]

/** How far a backfill has come. */
export interface Totals {
  /** Parts that were read. */
  readonly done: number
  /** Records that they have. */
  readonly records: number
  /** Bytes of their files. */
  readonly bytes: number
  /** How many parts failed. */
  readonly failed: number
  /** The first of them, at most a hundred. */
  readonly failures: ReadonlyArray<Failure>
}

/** The store cannot be reached, or has something else under its names. */
export class BackfillStoreFailed extends Schema.TaggedError<BackfillStoreFailed>()("BackfillStoreFailed", {
  reason: Schema.String,
  /** Whether a later attempt may succeed. False where it refuses, or has something else under its names. */
  transient: Schema.Boolean,
  /** The id of the one backfill that cannot be read, where the store has the others. */
  backfill: Schema.optionalKey(Schema.String)
}) {
  override get message() {
    return `the store of backfills failed: ${this.reason}`
  }
}

/** What to change of a backfill; members that are left out stay. */
export type Change = Partial<
  Pick<
    Backfill,
    "state" | "reason" | "error" | "request" | "parts" | "ended" | "generation" | "priority" | "concurrency"
  >
>

/** The store of backfills. */
export class BackfillStore extends Context.Service<
  BackfillStore,
  {
    /** Whether other processes see it too, and so work on what it has. */
    readonly isShared: boolean
    /**
     * Adds a backfill, unless it is there. Returns what the store then has: the generation of one that was forgotten is
     * one more than it had, since the engine keeps what it has run.
     */
    readonly add: (backfill: Backfill) => Effect.Effect<Backfill, BackfillStoreFailed>
    /** The backfill with this id, if there is one. */
    readonly find: (id: string) => Effect.Effect<Backfill | undefined, BackfillStoreFailed>
    /** The ids of all of them, the latest first. */
    readonly all: Effect.Effect<ReadonlyArray<string>, BackfillStoreFailed>
    /** The ids of those that have not ended. */
    readonly open: Effect.Effect<ReadonlyArray<string>, BackfillStoreFailed>
    /** Changes a backfill that is in one of these states; tells whether it was. */
    readonly change: (
      id: string,
      generation: number,
      states: ReadonlyArray<State>,
      change: Change
    ) => Effect.Effect<boolean, BackfillStoreFailed>
    /** Forgets a backfill of this generation, if it has ended; tells whether it has. */
    readonly forget: (id: string, generation: number) => Effect.Effect<boolean, BackfillStoreFailed>
    /** Those that have ended before this time. */
    readonly endedBefore: (
      time: number
    ) => Effect.Effect<ReadonlyArray<Pick<Backfill, "id" | "generation">>, BackfillStoreFailed>
    /**
     * Notes what was found of the parts, in place of all that was noted of them before, and the gaps that are to be read.
     * Returns the gaps of whoever was the first to note some in this generation; undefined where there is a later one.
     */
    readonly begin: (
      id: string,
      generation: number,
      found: ReadonlyArray<Outcome>,
      gaps: ReadonlyArray<Gap>
    ) => Effect.Effect<ReadonlyArray<Gap> | undefined, BackfillStoreFailed>
    /**
     * Notes what became of a batch, and returns its extent. What was noted first decides it: another worker may have
     * started others for the rest. Nothing is noted of a backfill that has been begun again since, or forgotten.
     */
    readonly note: (id: string, generation: number, outcome: Outcome) => Effect.Effect<Extent, BackfillStoreFailed>
    /** The extent of the batch that begins with a part, if it was noted. */
    readonly extent: (
      id: string,
      generation: number,
      first: number
    ) => Effect.Effect<Extent | undefined, BackfillStoreFailed>
    /** What became of the parts of a backfill, summed up. */
    readonly totals: (id: string) => Effect.Effect<Totals, BackfillStoreFailed>
    /** How many parts were found or tried in a generation; 0 where some are being read apart from their batch. */
    readonly tried: (id: string, generation: number) => Effect.Effect<number, BackfillStoreFailed>
    /** Keeps what a worker can do, for half a minute. */
    readonly announce: (worker: string, verdicts: ReadonlyArray<Verdict>) => Effect.Effect<void, BackfillStoreFailed>
    /** Forgets a worker. */
    readonly leave: (worker: string) => Effect.Effect<void, BackfillStoreFailed>
    /** The workers of which the store has heard in the last half minute, as far as they have judged a backfill. */
    readonly workers: (id: string) => Effect.Effect<Workers, BackfillStoreFailed>
  }
>()("@sluice/cluster/BackfillStore") {}
