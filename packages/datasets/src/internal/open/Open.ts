/**
 * Finds and takes the dataset of a job.
 */
import * as Discover from "@sluice/core/Discover"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as FolderStore from "../folder/FolderStore.ts"
import { NoDataset } from "../model/DatasetError.ts"
import type { Asked, Existing } from "../model/Job.ts"
import type { Cursor, Store } from "../model/Store.ts"
import * as Prepare from "../plan/Prepare.ts"
import * as AccessCheck from "../run/AccessCheck.ts"
import * as Sync from "../run/Sync.ts"

/** The place of a job. */
export const storeOf = ({ format, layout, to }: Existing) =>
  Predicate.isString(to) ? FolderStore.make(to, { layout, format }) : Effect.succeed(to)

/** The milliseconds of a length; NaN of what is none, which the check of a job refuses by its name. */
export const millisOf = (length: Duration.Input | undefined): number | undefined =>
  length === undefined
    ? undefined
    : Option.match(Duration.fromInput(length), { onNone: () => Number.NaN, onSome: Duration.toMillis })

/** What a job asks for, beside what its place has. */
export const prepare = Effect.fnUntraced(function* (job: Asked) {
  const { endpoint, lookBack, onRemoved, params } = job
  const store = yield* storeOf(job)
  return yield* Effect.catchTag(
    Prepare.prepare(store, { endpoint, params, lookBack: millisOf(lookBack), onRemoved }),
    "NoDataset",
    withFound(job.to)
  )
})

/** Adds what is there in place of a dataset, where that is known of the place. */
export const withFound = (to: string | Store) => (error: NoDataset) =>
  Predicate.isString(to)
    ? Effect.flatMap(FolderStore.foundIn(to), (found) => new NoDataset({ dataset: error.dataset, found }))
    : error

/** Takes the dataset of a job until the scope closes. */
export const open = Effect.fnUntraced(function* (job: Asked, emit: Sync.Emit) {
  const prepared = yield* prepare(job)
  const { store } = prepared
  yield* AccessCheck.look(prepared.subject, prepared.definition, prepared.kept)
  const opened = yield* store.open({ definition: prepared.definition, series: prepared.subject })
  // What another run did before this one took the dataset.
  const current = yield* Prepare.following(prepared, opened.kept)
  const { definition, subject } = current
  if (JSON.stringify(opened.kept.definition) !== JSON.stringify(definition)) yield* opened.define(definition)
  /** Syncs from where entities are, and tells where they are then. */
  const run = Effect.fnUntraced(function* (cursors: ReadonlyMap<string, Cursor>, recheck?: number) {
    const kept = { definition, cursors }
    const { given, plan } = yield* Effect.provide(Prepare.plan({ ...current, kept }, recheck), Discover.layer())
    return yield* Sync.run({
      dataset: store.name,
      subject,
      definition,
      given,
      plan,
      store: opened,
      isNew: prepared.kept === undefined,
      concurrency: Math.max(1, Math.floor(job.concurrency ?? 10)),
      emit
    })
  })
  return { cursors: opened.kept.cursors, definition, opened, run, store, subject }
})
