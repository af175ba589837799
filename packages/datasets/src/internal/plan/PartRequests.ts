/**
 * The requests of a part, and their records as one stream.
 */
import * as Batch from "@sluice/core/Batch"
import type { ApiError } from "@sluice/core/ApiError"
import * as Bulk from "@sluice/core/Bulk"
import type { Client } from "@sluice/core/Client"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { Definition } from "../model/Definition.ts"
import * as Keys from "../model/Keys.ts"
import * as Moment from "../model/Moment.ts"
import type { Part } from "./RunRequests.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import type { Time } from "../model/Store.ts"

/**
 * The end of a part, in whole milliseconds, as it is not known whether the service reads more digits. An end one nanosecond after a
 * whole millisecond is sent as that, inclusive.
 */
const endOf = ({ names }: SeriesParams.SeriesParams, to: Time) => {
  const last = Moment.previous(to)
  const isIncluded = isWhole(last)
  return { [names.end]: isIncluded ? last : isWhole(to) ? to : Moment.nextMilli(to), [names.endInclusive]: isIncluded }
}

const isWhole = (time: Time) => Moment.floor(time) === time

/** Parameters of a part. */
const paramsOf = (subject: SeriesParams.SeriesParams, definition: Definition, part: Part): Bulk.AnyParams => {
  const { names, page } = subject
  return {
    ...Struct.omit(SeriesParams.askedOf(subject, definition), [names.start]),
    [names.entities]: part.entities,
    ...(part.from === undefined ? {} : { [names.start]: Moment.floor(part.from) }),
    ...(part.to === undefined ? {} : endOf(subject, part.to)),
    ...(part.limit === undefined || names.limitPer === undefined ? {} : { [names.limitPer]: part.limit }),
    // A page arrives as a whole or not at all, so its end needs no request of its own.
    ...(part.isLarge || names.pageSize === undefined ? {} : { [names.pageSize]: page })
  }
}

/**
 * Reads the records of a part, by as many requests as its entities need: a request has room for so many names. Small
 * parts as pages, large ones as lines of one reply, whose arrays are lazy.
 */
export const records = (
  subject: SeriesParams.SeriesParams,
  definition: Definition,
  part: Part
): Stream.Stream<unknown, ApiError, Client> => {
  const { from, to } = part
  const all = requested(subject, definition, part)
  if ([from, to].every((bound) => bound === undefined || isWhole(bound))) return all
  // What was asked for may be up to a millisecond more.
  return Stream.filter(all, (record) => {
    const time = Keys.timeOf(record)
    return (from === undefined || time >= from) && (to === undefined || time < to)
  })
}

const requested = (subject: SeriesParams.SeriesParams, definition: Definition, part: Part) => {
  const { names } = subject
  // Type boundary: the parameters were checked when the definition was made; here they are data.
  const split = Bulk.split(subject.endpoint, paramsOf(subject, definition, part), {
    by: names.entities,
    size: Infinity
  })
  const read = (one: Bulk.Part<Bulk.AnyParams>): Stream.Stream<unknown, ApiError, Client> =>
    Bulk.read(subject.endpoint, one, part.isLarge ? { lazy: Batch.lazy } : {})
  const all = Effect.map(split, (parts) =>
    // Most parts are of one entity: each array of theirs would pass through what joins streams.
    parts.length === 1 ? read(parts[0]!) : Stream.flatMap(Stream.rechunk(Stream.fromIterable(parts), 1), read)
  )
  // The parameters of a definition can be split: its entities are named, and it has no end.
  return Stream.unwrap(Effect.orDie(all))
}
