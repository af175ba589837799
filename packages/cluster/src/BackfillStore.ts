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

/** Schema of {@link Backfill}. */
export const Backfill = Schema.Struct({
  id: Schema.String,
  /** How often it was begun: 1, and one more for each retry. */
  generation: Schema.Int,
  state: State,
  /** Why it was refused, or paused itself. */
  reason: Schema.NullOr(Schema.String),
  request: Request,
  /** How many parts it has; null until a worker has begun it. */
  parts: Schema.NullOr(Schema.Int),
  /** Milliseconds since 1970. */
  submitted: Schema.Finite,
  /** Milliseconds since 1970; null while it runs, and while what was under way when it was cancelled still ends. */
  ended: Schema.NullOr(Schema.Finite)
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

/** What became of some consecutive parts. */
export interface Outcome {
  /** The first of them. */
  readonly first: number
  /** How many they are. */
  readonly parts: number
  /** The generation of the backfill in which they were read, or found. */
  readonly generation: number
  readonly done: number
  readonly records: number
  readonly bytes: number
  readonly failed: ReadonlyArray<Failure>
}

/** How far a backfill has come. */
export interface Totals {
  readonly done: number
  readonly records: number
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
  transient: Schema.Boolean
}) {
  override get message() {
    return `the store of backfills failed: ${this.reason}`
  }
}

/** What to change of a backfill; members that are left out stay. */
export type Change = Partial<Pick<Backfill, "state" | "reason" | "parts" | "ended" | "generation">>

/** The store of backfills. */
export class BackfillStore extends Context.Service<
  BackfillStore,
  {
    /** Adds a backfill, unless it is there. Returns what the store then has. */
    readonly add: (backfill: Backfill) => Effect.Effect<Backfill, BackfillStoreFailed>
    /** The backfill with this id, if there is one. */
    readonly find: (id: string) => Effect.Effect<Backfill | undefined, BackfillStoreFailed>
    /** All of them, the latest first. */
    readonly all: Effect.Effect<ReadonlyArray<Backfill>, BackfillStoreFailed>
    /** Changes a backfill that is in one of these states; tells whether it was. */
    readonly change: (
      id: string,
      generation: number,
      states: ReadonlyArray<State>,
      change: Change
    ) => Effect.Effect<boolean, BackfillStoreFailed>
    /** Notes what became of parts, in place of what was noted of the same parts before. */
    readonly note: (id: string, outcome: Outcome) => Effect.Effect<void, BackfillStoreFailed>
    /** What became of the parts of a backfill, summed up. */
    readonly totals: (id: string) => Effect.Effect<Totals, BackfillStoreFailed>
    /** The first parts of the outcomes, from one of these on, all of whose parts are done. */
    readonly whole: (id: string, from: number) => Effect.Effect<ReadonlySet<number>, BackfillStoreFailed>
    /** How many outcomes there are of a generation, or with all parts done. */
    readonly ended: (id: string, generation: number) => Effect.Effect<number, BackfillStoreFailed>
  }
>()("@sluice/cluster/BackfillStore") {}
