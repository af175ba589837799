/**
 * What a dataset knows of a range: the bookkeeping tells which times of each entity were read, whether there are records in them or not.
 */
import * as Params from "@sluice/core/Params"
import type { Definition } from "../model/Definition.ts"
import * as Moment from "../model/Moment.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Cursor, HeldRange, Kept, Time } from "../model/Store.ts"
import type { Asked } from "./Asked.ts"

/** Times of an entity that are not held. */
export interface Missing {
  /** An entity, or a wildcard of which the dataset does not have all. */
  readonly entity: string
  /** Absent from the beginning of the series. */
  readonly from?: Time | undefined
  /** Absent where it has no end. */
  readonly to?: Time | undefined
  /** Whether these times are behind all that is held of the entity: a sync is due. */
  readonly isLatest?: boolean
}

/** Where the two overlap; nothing where they do not. An end that is absent is that of the series. */
const both = (range: HeldRange, from: Time | null, to: Time | null): Omit<Missing, "entity"> | undefined => {
  const begin = from === null || (range.from !== undefined && range.from > from) ? range.from : from
  const end = to === null || (range.to !== undefined && range.to < to) ? range.to : to
  return begin !== undefined && end !== undefined && begin >= end ? undefined : { from: begin, to: end }
}

/** Where the first record may be that the dataset does not have, behind all of an entity; nothing where none can be there yet. */
const behind = ({ every }: SeriesParams.SeriesParams, { from, last }: Cursor, now: Time): Time | null | undefined => {
  if (last === null) return from
  const next = every === undefined ? Moment.next(last) : Moment.later(last, every)
  // The record of an interval comes when it has ended.
  return (every === undefined ? next : Moment.later(next, every)) <= now ? next : undefined
}

const ofEntity = (
  { range, subject }: Asked,
  definition: Definition,
  cursor: Cursor | undefined,
  entity: string,
  now: Time
): ReadonlyArray<Missing> => {
  const whole = { entity, from: range.from, to: range.to }
  if (cursor === undefined) return [whole]
  // Since when nobody asks for a metric that is retired is not known.
  const asked = SeriesParams.columnsOf(subject, definition)
  if (range.metrics.some((name) => !asked.includes(name) || !cursor.columns.includes(name))) return [whole]
  const parts: Array<Omit<Missing, "entity"> | undefined> = (cursor.todo ?? []).map(({ from, to }) =>
    both(range, from, to)
  )
  if (cursor.from !== null && cursor.from > Moment.beginning) parts.push(both(range, null, cursor.from))
  // Of one that the service no longer has there is nothing more. One that was left out is asked for when it is read.
  const isLeft = !SeriesParams.wantedBy(subject, definition)(entity)
  const next = cursor.gone === undefined || isLeft ? behind(subject, cursor, now) : undefined
  if (next !== undefined && (range.to === undefined || next === null || range.to > next)) {
    parts.push({ ...both(range, next, null), ...(isLeft ? {} : { isLatest: true }) })
  }
  return parts.flatMap((part) => (part === undefined ? [] : [{ entity, ...part }]))
}

/** What of a range a dataset does not have. Nothing where it has it all, as far as the service had it when it was read. */
export const missing = (asked: Asked, kept: Kept | undefined, now: number): ReadonlyArray<Missing> => {
  const { range, subject, wildcards } = asked
  const named = [...wildcards, ...range.entities].map((entity) => ({ entity, from: range.from, to: range.to }))
  if (kept === undefined) return named
  const { cursors, definition } = kept
  const listed = new Set(Params.items(definition.params[subject.names.entities]))
  const unknown = wildcards.filter((name) => !listed.has(name) && !listed.has("*"))
  return [
    ...named.filter(({ entity }) => unknown.includes(entity)),
    ...range.entities.flatMap((entity) =>
      ofEntity(asked, definition, cursors.get(entity), entity, Moment.ofMillis(now))
    )
  ]
}
