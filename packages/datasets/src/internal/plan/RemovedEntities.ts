/**
 * Which entities the service no longer has, and what becomes of them.
 */
import type { ApiError, InvalidRequest } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Definition } from "../model/Definition.ts"
import type * as RunRequests from "./RunRequests.ts"
import type { Change, Cursor, Time } from "../model/Store.ts"

/** Whether a reply without records of an entity, from a time on, would take back some that may be held. */
export const wouldVanish = (
  { reason, to }: RunRequests.Part,
  cursor: Cursor | undefined,
  from: Time | undefined
): boolean => {
  if (cursor?.last == null) return false
  // Between holes there are records.
  return reason === "hole" || ((from ?? "") <= cursor.last && (to === undefined || (cursor.first ?? "") < to))
}

/** Whether a request was refused because of one of these entities. */
export const namesOne = ({ kind, reason, value }: InvalidRequest, entities: ReadonlyArray<string>): boolean =>
  kind === "refused" &&
  entities.some((entity) => value === entity || reason.includes(`'${entity}'`) || reason.includes(`"${entity}"`))

/** The metric of these because of which a request was refused. */
export const refusedMetric = (
  error: ApiError,
  parameter: string | undefined,
  metrics: ReadonlyArray<string>
): string | undefined =>
  error._tag === "InvalidRequest" && error.parameter === parameter
    ? (metrics.find((name) => error.value === name) ?? onlyOf(metrics.filter((name) => namesOne(error, [name]))))
    : undefined

/** The only one; nothing of several, such as a name that is refused and one that is meant instead. */
const onlyOf = (names: ReadonlyArray<string>) => (names.length === 1 ? names[0] : undefined)

/** What becomes of entities that were refused. */
export interface Settled<A> {
  /** Those that are gone since this run. */
  readonly dismissed: ReadonlyArray<string>
  /** Those that stay as they are, with the refusal. */
  readonly kept: ReadonlyArray<readonly [entity: string, refusal: A]>
}

/**
 * Decides which of the entities that were refused are gone: none where all of a dataset were, since then something else
 * is wrong.
 */
export const settle = <A>(
  cursors: ReadonlyMap<string, Cursor>,
  refused: ReadonlyMap<string, A>,
  onRemoved: Definition["onRemoved"]
): Settled<A> => {
  const isLeft = [...cursors.values()].some(
    (one) => one.gone === undefined && one.last !== null && !refused.has(one.entity)
  )
  if (!isLeft)
    return { dismissed: [], kept: [...refused].filter(([entity]) => cursors.get(entity)?.gone === undefined) }
  const isKnown = (entity: string) => {
    const cursor = cursors.get(entity)
    return cursor?.gone !== undefined && (onRemoved === "keep" || cursor.last === null)
  }
  return { dismissed: [...refused.keys()].filter((entity) => !isKnown(entity)), kept: [] }
}

/** A run, as far as it tells what becomes of an entity. */
export interface Run {
  readonly given: RunRequests.Given
  readonly plan: RunRequests.RunRequests
}

/** The change that keeps or removes what is held of entities that are not read any more. */
export const changeOf = (
  { given, plan }: Run,
  cursors: Map<string, Cursor>,
  entities: ReadonlyArray<string>,
  as: "keep" | "remove"
): Change => {
  const isRemoved = as === "remove"
  // One that is asked for by name is remembered, so that it is not new to the next run.
  const named = new Set(plan.entities)
  const cursorsAfter = () =>
    entities.flatMap((entity) => {
      // Before its load it has not what the load was for.
      const now = cursors.get(entity)
      const cursor = now === plan.begun.get(entity) ? given.cursors.get(entity) : now
      const isForgotten = isRemoved && !named.has(entity)
      if (isForgotten) cursors.delete(entity)
      if (isForgotten || cursor === undefined) return []
      const { columns, from } = cursor
      const next: Cursor = isRemoved
        ? { entity, from, last: null, columns, gone: given.now }
        : { ...cursor, gone: given.now }
      cursors.set(entity, next)
      return [next]
    })
  return {
    spans: isRemoved ? entities.toSorted().map((entity) => ({ entity, from: undefined, to: undefined })) : [],
    records: Stream.empty,
    cursors: Effect.sync(cursorsAfter),
    removes: isRemoved,
    forget: isRemoved ? entities.filter((entity) => !named.has(entity)) : []
  }
}
