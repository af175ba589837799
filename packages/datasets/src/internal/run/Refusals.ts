/**
 * Reads parts of which the service may refuse something: then all others of a part are read, and what was refused is noted.
 */
import { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { StoreError, UnexpectedRecord } from "../model/DatasetError.ts"
import * as RemovedEntities from "../plan/RemovedEntities.ts"
import type { Part } from "../plan/Part.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import * as ReadLarge from "./ReadLarge.ts"
import * as ReadSmall from "./ReadSmall.ts"
import * as RunState from "./RunState.ts"

const isApiError = Schema.is(ApiError)

/** Entities of which more has to be asked for. */
type Behind = ReadonlyArray<string>

/**
 * Reads a part, or its halves where the service refuses it or a value cannot be kept, down to the entity of which that
 * is. Gives the entities of which more has to be asked for.
 */
export const attempt = (state: RunState.RunState, part: Part): Effect.Effect<Behind, StoreError, Client> =>
  Effect.suspend(() => (state.refused.size > 0 ? Effect.succeed([]) : read(state, part))).pipe(
    Effect.catchIf(isApiError, (error) => refused(state, part, error)),
    Effect.catchTag("UnexpectedRecord", (error) => renamed(state, part, error)),
    Effect.catchTag("Unwritable", (error) =>
      part.entities.length > 1
        ? inHalves(state, part)
        : Effect.as(RunState.noteFailure(state, part.entities, error), [])
    )
  )

const read = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part
): Effect.fn.Return<Behind, ApiError | StoreError, Client> {
  if (part.isLarge) return yield* Effect.as(ReadLarge.read(state, part), [])
  const { alone, behind } = yield* ReadSmall.read(state, part)
  const more = yield* Effect.forEach(alone, (entity) => attempt(state, { ...part, entities: [entity] }))
  return [...behind, ...more.flat()]
})

const inHalves = Effect.fnUntraced(function* (state: RunState.RunState, part: Part) {
  const middle = Math.ceil(part.entities.length / 2)
  const halves = [part.entities.slice(0, middle), part.entities.slice(middle)]
  const behind = yield* Effect.forEach(halves, (entities) => attempt(state, { ...part, entities }))
  return behind.flat()
})

/** Looks for the entity whose records come under another name. Under that of another one they may come twice. */
const renamed = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part,
  error: UnexpectedRecord
): Effect.fn.Return<Behind, StoreError, Client> {
  if (part.entities.length > 1) return yield* inHalves(state, part)
  const { given, otherNames, unknown } = state
  const [entity = ""] = part.entities
  if (error.entity === entity || error.entity === "") yield* RunState.noteFailure(state, [entity], error)
  else if (given.listed.has(error.entity)) {
    if (given.cursors.has(entity)) unknown.set(entity, error)
  } else otherNames.set(entity, { entity, now: error.entity })
  return []
})

/** Looks for the entity that the service refused. */
const refused = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part,
  error: ApiError
): Effect.fn.Return<Behind, StoreError, Client> {
  const { given, subject, unknown } = state
  const isNamed = error._tag === "InvalidRequest" && RemovedEntities.namesOne(error, part.entities)
  const isOfOne = error._tag === "Forbidden" || isNamed
  const column = isNamed ? undefined : refusedColumn(state, error)
  if (column !== undefined) {
    state.refused.set(column, error)
    return []
  }
  if (isOfOne && part.entities.length > 1) return yield* inHalves(state, part)
  const [entity = ""] = part.entities
  // Any other refusal is about the request, and tells nothing of the entity.
  const isUnknown =
    isOfOne &&
    error._tag === "InvalidRequest" &&
    error.parameter === subject.names.entities &&
    given.cursors.has(entity)
  if (isUnknown) unknown.set(entity, error)
  else yield* RunState.noteFailure(state, part.entities, error)
  return []
})

/** The metric that the service refuses, where the dataset has it and others. */
const refusedColumn = (state: RunState.RunState, error: ApiError) => {
  const { definition, given, subject } = state
  const asked = SeriesParams.columnsOf(subject, definition)
  const column = RemovedEntities.refusedMetric(error, subject.names.columns, asked)
  if (column !== undefined && state.doubted.has(column)) return undefined
  const isHeld = [...given.cursors.values()].some(
    ({ columns, last }) => last !== null && column !== undefined && columns.includes(column)
  )
  return isHeld && asked.length > 1 ? column : undefined
}
