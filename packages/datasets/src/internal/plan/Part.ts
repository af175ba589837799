/**
 * What a run asks for, request by request, and what that follows from.
 */
import type { Window } from "../model/Bounds.ts"
import type { Definition } from "../model/Definition.ts"
import * as Moment from "../model/Moment.ts"
import type { Cursor, Cut, Span, Time } from "../model/Store.ts"
import type { SeriesParams } from "../model/SeriesParams.ts"

/** Why something is asked for. */
export type Reason = "new" | "earlier" | "hole" | "columns" | "probe"

/** Records that are asked for together: of some entities, from one time to another. */
export interface Part {
  readonly reason: Reason
  /** In ascending order. */
  readonly entities: ReadonlyArray<string>
  readonly from: Time | undefined
  readonly to: Time | undefined
  /** Where each entity is asked for from, if later than the others. What comes before is left out. */
  readonly own?: ReadonlyMap<string, Time>
  /** Whether it has more records than a page. */
  readonly isLarge: boolean
  /** Only the latest so many of each entity. */
  readonly limit?: number
  /** Which loads are read before it: those of lower turns may have times of one file with it. */
  readonly turn?: number
}

/** What a part asks for of an entity. */
export const spanOf = ({ from, own, to }: Part, entity: string): Span => ({
  entity,
  from: own?.get(entity) ?? from,
  to
})

/**
 * Whether a part has all that there is from its first time on. A hole has records behind it, whatever this machine
 * takes for now.
 */
export const isOpen = ({ reason, to }: Part, now: number): boolean =>
  to === undefined || (reason !== "hole" && to > Moment.ofMillis(now))

/**
 * What is read of an entity when a part was: one that reaches beyond now has all that there is, unless more of it is held, or still to be
 * read, by a clock that was ahead, or of a service whose clock is.
 */
export const reachedOf = (part: Part, { entity, last, todo = [] }: Cursor, now: number): Span => {
  const span = spanOf(part, entity)
  const { to = "" } = span
  const isAll = isOpen(part, now) && (last ?? "") < to && todo.every(({ from }) => (from ?? "") < to)
  return isAll ? { ...span, to: undefined } : span
}

/** Records of one entity that are wanted. */
export interface Wanted {
  readonly reason: Reason
  readonly entity: string
  readonly from: Time | undefined
  readonly to: Time | undefined
  readonly turn?: number | undefined
}

/** What a plan follows from. */
export interface Given {
  readonly subject: SeriesParams
  readonly definition: Definition
  readonly cut: Cut
  readonly cursors: ReadonlyMap<string, Cursor>
  /** The entities that the service has. */
  readonly entities: ReadonlyArray<string>
  readonly listed: ReadonlySet<string>
  /** Where the series of an entity begins, as far as a catalog says. */
  readonly begins: ReadonlyMap<string, Time>
  /** Milliseconds since 1970. */
  readonly now: number
  /** Absent where all times are read. */
  readonly window?: Window | undefined
  /** Whether this run fills what a read lacks. */
  readonly isRead?: boolean | undefined
  /** How long before the last record of each entity this run reads again, if longer than the look-back, in milliseconds. */
  readonly recheck?: number | undefined
}

/** Records that are read at once at most, as lines of one reply. */
export const large = 100_000

/** Milliseconds of a day. */
export const day = 86_400_000

/** About how many records an entity has between two times. */
export const estimate = (
  { begins, now, subject }: Given,
  entity: string,
  cursor: Cursor | undefined,
  from: Time | undefined,
  to: Time | undefined
): number => {
  const begin = from ?? begins.get(entity) ?? "2009-01-01T00:00:00.000000000Z"
  const length = Math.max(0, (to === undefined ? now : Moment.millisOf(to)) - Moment.millisOf(begin))
  if (subject.every !== undefined) return length / subject.every + 1
  return cursor?.pace === undefined ? Infinity : (length / day) * cursor.pace + 1
}
