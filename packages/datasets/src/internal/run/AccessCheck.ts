/**
 * Looks, before a dataset begins or grows, whether the service answers what it is to hold: a name that it refuses would
 * otherwise be part of the dataset for good.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import type { Definition } from "../model/Definition.ts"
import type { Kept } from "../model/Store.ts"
import { refusedMetric } from "../plan/RemovedEntities.ts"
import { askedOf, type SeriesParams } from "../model/SeriesParams.ts"

/** Names that fit a request, however long they are. */
const mostNamed = 100

/** The items of a list parameter. */
const listOf = (definition: Definition | undefined, name: string | undefined) =>
  name === undefined ? [] : Params.items(definition?.params[name])

/**
 * Requests one record of the entities that are new, or of all where metrics are new. Sends nothing where nothing is.
 * Wildcards stand for what a catalog has, so they are asked for only where there is nothing else.
 */
export const look = Effect.fnUntraced(function* (
  subject: SeriesParams,
  wanted: Definition,
  held: Kept | undefined
): Effect.fn.Return<void, ApiError, Client> {
  const { endpoint, names } = subject
  const isStreamOnly = Parameter.isStreamOnly(endpoint.parameters, Object.entries(wanted.params))
  if (names.pageSize === undefined && !isStreamOnly) return
  const kept = held?.definition
  const isMore = (name: string | undefined) => {
    const before = new Set(listOf(kept, name))
    return listOf(wanted, name).filter((item) => !before.has(item))
  }
  const entities = isMore(names.columns).length > 0 ? listOf(wanted, names.entities) : isMore(names.entities)
  // That the service has some no more is known.
  const present = entities.filter((item) => held?.cursors.get(item)?.gone === undefined)
  const named = present.filter((item) => !item.includes("*"))
  const asked = named.length > 0 ? named : present
  const groups = Array.from({ length: Math.ceil(asked.length / mostNamed) }, (_, index) =>
    asked.slice(index * mostNamed, (index + 1) * mostNamed)
  )
  yield* Effect.forEach(groups, (group) => firstOf(subject, { ...askedOf(subject, wanted), [names.entities]: group }), {
    concurrency: 10,
    discard: true
  })
})

/** The first record of a request, from the beginning of the series on; nothing where there is none. */
const firstOf = (
  { endpoint, names }: SeriesParams,
  params: Schema.JsonObject
): Effect.Effect<unknown, ApiError, Client> => {
  const all = Struct.omit(params, [names.start])
  // Type boundary: the parameters were checked when the definition was made; here they are data.
  const records: Stream.Stream<unknown, ApiError, Client> =
    names.pageSize === undefined
      ? endpoint(all as never)
      : Stream.map(endpoint.pages({ ...all, [names.pageSize]: 1 } as never), ({ data }) => data[0])
  return Effect.map(Stream.runHead(records), Option.getOrUndefined)
}

/** The same, where metrics that are held may be refused by now: that is found, and kept, by the run itself. */
export const lookAtNew = (
  subject: SeriesParams,
  wanted: Definition,
  held: Kept | undefined
): Effect.Effect<void, ApiError, Client> =>
  look(subject, wanted, held).pipe(
    Effect.catchTag(
      "InvalidRequest",
      Effect.fnUntraced(function* (error) {
        const others = listOf(held?.definition, subject.names.columns)
        const metric = refusedMetric(error, subject.names.columns, others)
        if (metric === undefined || held === undefined || wanted.retired?.includes(metric)) return yield* error
        if (!(yield* isRefused(subject, held, metric))) return yield* error
        yield* lookAtNew(subject, { ...wanted, retired: [...(wanted.retired ?? []), metric] }, held)
      })
    )
  )

/** Whether the service refuses a metric, asked for by itself and of entities that have it, and says so of nothing else. */
export const isRefused = (
  subject: SeriesParams,
  { cursors, definition }: Kept,
  metric: string
): Effect.Effect<boolean, ApiError, Client> => {
  const { columns, entities } = subject.names
  const holders = [...cursors.values()].flatMap(({ columns, entity, gone, last }) =>
    last !== null && gone === undefined && columns.includes(metric) ? [entity] : []
  )
  const { retired: _, ...plain } = definition
  const params = { ...definition.params, [entities]: holders.slice(0, mostNamed), [columns ?? ""]: [metric] }
  return Effect.as(look(subject, { ...plain, params }, undefined), false).pipe(
    Effect.catchTag("InvalidRequest", (error) => Effect.succeed(refusedMetric(error, columns, [metric]) !== undefined))
  )
}

/** Fails where the service does not have a metric again that was retired. */
export const expectBack = (
  subject: SeriesParams,
  wanted: Definition,
  metric: string,
  held: Kept
): Effect.Effect<boolean, ApiError, Client> => {
  const retired = wanted.retired?.filter((name) => name !== metric) ?? []
  // As if it had never been held.
  const before = { ...held, definition: { ...held.definition, params: {} } }
  return Effect.as(look(subject, { ...wanted, retired }, before), true)
}

/** Whether the service has it again. A refusal of any kind says that it has not. */
export const isBack = (...given: Parameters<typeof expectBack>): Effect.Effect<boolean, ApiError, Client> =>
  Effect.catchTag(expectBack(...given), ["InvalidRequest", "Forbidden", "NotFound"], () => Effect.succeed(false))

/**
 * The metrics of these that the service has again, by one request for all of them. Where the series can leave out what is refused, they
 * are those of its first record; of one that comes later, the next run hears. Elsewhere they are all or none. A failure tells nothing.
 */
export const backAmong = Effect.fnUntraced(function* (
  subject: SeriesParams,
  { cursors, definition }: Kept,
  metrics: ReadonlyArray<string>
): Effect.fn.Return<ReadonlyArray<string>, never, Client> {
  const { endpoint, names } = subject
  const held = [...cursors.values()].filter(({ gone, last }) => last !== null && gone === undefined)
  if (metrics.length === 0 || held.length === 0 || names.columns === undefined || names.pageSize === undefined)
    return []
  const lenient = Struct.keys(Params.leniency).filter((name) => endpoint.parameters.has(name))
  const first = firstOf(subject, {
    ...definition.params,
    [names.entities]: held.slice(0, mostNamed).map(({ entity }) => entity),
    [names.columns]: metrics,
    ...Object.fromEntries(lenient.map((name) => [name, true] as const))
  })
  const record = yield* Effect.orElseSucceed(first, () => undefined)
  if (record === undefined) return []
  return lenient.length === 0 ? metrics : metrics.filter((name) => hasValue(record, name))
})

const hasValue = (record: unknown, name: string) => Predicate.hasProperty(record, name) && record[name] != null
