/**
 * The first load of a dataset by several processes: each reads other parts, and what they have seen makes the cursors.
 */
import type * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Advance from "../read/Advance.ts"
import type { Definition } from "../model/Definition.ts"
import * as Keys from "../model/Keys.ts"
import type { Part } from "../plan/RunRequests.ts"
import type { Cursor } from "../model/Store.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Tracker } from "../read/Tracker.ts"

const Times = Schema.Tuple([Schema.String, Schema.String])

/** Schema of {@link Note}. */
export const Note = Schema.Struct({
  /** When the part was read, in milliseconds since 1970. */
  now: Schema.Finite,
  /** What was seen of each entity that has records in it. */
  seen: Schema.Array(
    Schema.Struct({
      entity: Schema.String,
      count: Schema.Int,
      first: Schema.String,
      last: Schema.String,
      gaps: Schema.Array(Times),
      isSparse: Schema.Boolean,
      open: Schema.optionalKey(Times)
    })
  )
})
/** What was seen while a part was read. */
export type Note = typeof Note.Type

/** Parameters without an end: a dataset has none. */
export const withoutEnd = (
  { parameters }: Endpoint.Info,
  params: Readonly<Record<string, unknown>>
): Readonly<Record<string, unknown>> => {
  const names = [Parameter.find(parameters, "End", "time")?.name, Parameter.find(parameters, "EndInclusive")?.name]
  return Struct.omit(
    params,
    names.filter((name) => name !== undefined)
  )
}

/** The parts of a split request as requests of a dataset, from one time to the first after it. */
export const partsOf = (subject: SeriesParams.SeriesParams, parts: ReadonlyArray<Bulk.Part>): ReadonlyArray<Part> =>
  parts.map(({ params }): Part => {
    const { names } = subject
    const start = params[names.start]
    return {
      reason: "new",
      entities: Params.items(params[names.entities]).toSorted(),
      from: Predicate.isString(start) ? Keys.normal(start) : undefined,
      to: SeriesParams.endOf(subject, params),
      own: new Map(),
      isLarge: true
    }
  })

/** What to keep of a part that was read. */
export const noteOf = ({ entities }: Part, tracker: Tracker, now: number): Note => ({
  now,
  seen: entities.flatMap((entity) => {
    const found = tracker.of(entity)
    if (found === undefined) return []
    const { open, ...seen } = found
    return [{ entity, ...seen, ...(open === undefined ? {} : { open }) }]
  })
})

/** What the cursors of a load follow from. */
export interface Loaded {
  readonly subject: SeriesParams.SeriesParams
  readonly definition: Definition
  readonly parts: ReadonlyArray<Part>
  /** What was read since the cursors were kept, by the index of the part. */
  readonly read: ReadonlyMap<number, Note>
  /** The cursors that are kept. */
  readonly cursors: ReadonlyMap<string, Cursor>
}

/** How far entities are. What was not read is left to a sync, or to the load when it is tried again. */
export const cursorsOf = ({ cursors, definition, parts, read, subject }: Loaded): ReadonlyArray<Cursor> => {
  const found = new Map(cursors)
  const spans = new Map<string, Array<NonNullable<Cursor["todo"]>[number]>>()
  for (const { entities, from = null, to = null } of parts) {
    for (const entity of entities) {
      const others = spans.get(entity)
      if (others === undefined) spans.set(entity, [{ from, to }])
      else others.push({ from, to })
    }
  }
  const columns = SeriesParams.columnsOf(subject, definition)
  for (const [entity, todo] of spans) {
    if (found.has(entity)) continue
    found.set(entity, { entity, from: SeriesParams.startOf(subject, definition) ?? null, last: null, columns, todo })
  }
  for (const [index, { from, to, entities }] of parts.entries()) {
    const note = read.get(index)
    if (note === undefined) continue
    for (const entity of entities) {
      const cursor = found.get(entity)
      if (cursor === undefined) continue
      const seen = note.seen.find((one) => one.entity === entity)
      found.set(
        entity,
        Advance.advance(cursor, {
          subject,
          definition,
          span: { entity, from, to },
          reason: "new",
          seen: seen === undefined ? undefined : { ...seen, gaps: [...seen.gaps], open: seen.open },
          now: note.now
        })
      )
    }
  }
  return [...spans.keys()].toSorted().flatMap((entity) => found.get(entity) ?? [])
}
