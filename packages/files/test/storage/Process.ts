/**
 * A process that a test simulates, as its disk and its bucket know it.
 */
import type { Effect } from "effect"

/** Chooses a whole number below a bound. */
export type Below = (bound: number) => Effect.Effect<number>

/** Operations at which a kill cuts most: in what adds to a file or a table, and where a file that readers see is named or removed. */
export type Kind = "added" | "named" | "removed"

/** How a process sees disk and bucket. */
export interface Process {
  /** Distinguishes it from those before and beside it. */
  readonly number: number
  /** The machine that it runs on. */
  readonly machine: string
  /** The time of the disk, whatever clock the process has. */
  readonly now: Effect.Effect<number>
  /** Waits before and after each operation; never ends where the process was killed. */
  readonly turn: (kind?: Kind) => Effect.Effect<void>
  /** Whether operations take time: those that were begun happen, also where the fiber that began them was interrupted. */
  readonly isSlow: boolean
  /** Chooses what befalls it: nothing where it is calm. */
  readonly below: Below
  /** Does something for it by the right time. */
  readonly outside: <A>(self: Effect.Effect<A>) => Effect.Effect<A>
  /** How long a request to a bucket is on its way. */
  readonly delay: Effect.Effect<void>
}
