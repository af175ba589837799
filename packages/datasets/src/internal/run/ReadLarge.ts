/**
 * Reads a part that has more records than a page: they are kept while they are read, so that they are never in memory together.
 */
import type { ApiError } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { type StoreError, UnexpectedRecord } from "../model/DatasetError.ts"
import type { Part } from "../plan/Part.ts"
import * as RunState from "./RunState.ts"
import type { Change } from "../model/Store.ts"

/**
 * Reads a part, and keeps it. Where it has no record of entities that are held, it is read again without them, and they
 * stay as they are.
 */
export const read = (state: RunState.RunState, part: Part): Effect.Effect<void, ApiError | StoreError> =>
  Effect.suspend(() => {
    const tracker = RunState.trackerOf(state, part)
    let vanished: ReadonlyArray<string> = []
    const complete = Stream.suspend(() => {
      const seen = part.entities.filter((entity) => tracker.of(entity) !== undefined)
      if (part.reason === "new") for (const entity of seen) state.alive.add(entity)
      vanished = part.entities.filter(
        (entity) => tracker.of(entity) === undefined && RunState.wouldVanish(state, part, entity, part.from)
      )
      const [entity] = vanished
      if (entity === undefined) return Stream.empty
      const { dataset } = state
      return Stream.fail(new UnexpectedRecord({ dataset, entity, time: part.from ?? "", reason: "is there no more" }))
    })
    const change: Change = {
      // What is asked for is replaced, also where an entity was wanted from a later time on.
      spans: part.entities.map((entity) => ({ entity, from: part.from, to: part.to })),
      records: Stream.concat(RunState.read(state, part, tracker), complete),
      cursors: RunState.advance(state, { ...part, own: new Map() }, part.entities, tracker),
      forget: []
    }
    return Effect.catchTag(RunState.apply(state, change), "UnexpectedRecord", (error) =>
      vanished.length === 0 ? Effect.fail(error) : readWithout(state, part, vanished)
    )
  })

/** Reads a part without entities of which it has no record. */
const readWithout = Effect.fnUntraced(function* (
  state: RunState.RunState,
  part: Part,
  vanished: ReadonlyArray<string>
) {
  if (part.reason === "hole") yield* RunState.applyInVain(state, part, vanished, RunState.trackerOf(state, part))
  const entities = part.entities.filter((entity) => !vanished.includes(entity))
  if (entities.length > 0) yield* read(state, { ...part, entities })
})
