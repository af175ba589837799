/**
 * Finds and takes the dataset of a job.
 */
import * as Discover from "@sluice/core/Discover"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as FolderStore from "../folder/FolderStore.ts"
import * as Look from "../folder/Look.ts"
import { BadDefinition, NoDataset } from "../model/DatasetError.ts"
import * as Definition from "../model/Definition.ts"
import type { Existing, Growing } from "../model/Job.ts"
import * as LeftColumns from "../model/LeftColumns.ts"
import * as Moment from "../model/Moment.ts"
import type { Cursor, Kept, Store } from "../model/Store.ts"
import * as Prepare from "../plan/Prepare.ts"
import * as AccessCheck from "../run/AccessCheck.ts"
import * as ListSync from "../run/ListSync.ts"
import * as Sync from "../run/Sync.ts"

/** The place of a job. */
export const storeOf = ({ format, layout, snapshots, to }: Existing) =>
  Predicate.isString(to) ? FolderStore.make(to, { layout, format, snapshots }) : Effect.succeed(to)

/** The milliseconds of a length; NaN of what is none, which the check of a job refuses by its name. */
export const millisOf = (length: Duration.Input | undefined): number | undefined =>
  length === undefined
    ? undefined
    : Option.match(Duration.fromInput(length), { onNone: () => Number.NaN, onSome: Duration.toMillis })

/** What a job asks for, beside what its place has. */
export const prepare = Effect.fnUntraced(function* (job: Growing) {
  const { endpoint, grows, lookBack, onRemoved, params, versions } = job
  const isList = endpoint?.order === "list"
  const layout = { byEntity: false, period: "none" } as const
  const isCut = Object.values(job.layout ?? {}).some(Predicate.isNotUndefined)
  const setting = isCut ? "layout" : (job.snapshots ?? "none") === "none" ? undefined : "snapshots"
  if (isList && setting !== undefined) {
    return yield* new BadDefinition({ endpoint: endpoint.path, setting, reason: "is for series: a list is one file" })
  }
  const store = yield* storeOf(isList ? { ...job, layout } : job)
  return yield* Effect.catchTag(
    Prepare.prepare(store, {
      endpoint,
      params,
      lookBack: millisOf(lookBack),
      onRemoved,
      versions,
      grows,
      isCache: job.window !== undefined
    }),
    "NoDataset",
    withFound(job.to)
  )
})

/** Adds what is there in place of a dataset, where that is known of the place. */
export const withFound = (to: string | Store) => (error: NoDataset) =>
  Predicate.isString(to) ? Effect.flatMap(Look.foundIn(to), (found) => new NoDataset({ ...error, ...found })) : error

/** A definition with these metrics no longer retired. */
const returning = (definition: Definition.Definition, metrics: ReadonlyArray<string>): Definition.Definition => {
  const { refused = [], retired = [] } = definition
  const left = retired.filter((name) => !metrics.includes(name))
  return metrics.length === 0 ? definition : Definition.withRetired(definition, left, refused)
}

/** The cursors without these metrics, so that all times of them are read. */
const without = (metrics: ReadonlyArray<string>, cursors: ReadonlyMap<string, Cursor>): ReadonlyMap<string, Cursor> =>
  metrics.length === 0
    ? cursors
    : new Map(
        [...cursors].map(([entity, cursor]) => {
          const columns = cursor.columns.filter((name) => !metrics.includes(name))
          return [entity, { ...cursor, columns }] as const
        })
      )

/** Syncs once, and fails where something could not be read. */
export const runOnce = Effect.fnUntraced(function* (job: Growing, emit: Sync.Emit) {
  const opened = yield* open(job, emit)
  const { failed } = yield* opened.run(opened.cursors, millisOf(job.recheck))
  if (failed !== undefined) return yield* failed
})

/** Takes the dataset of a job until the scope closes. */
export const open = Effect.fnUntraced(function* (job: Growing, emit: Sync.Emit) {
  const prepared = yield* prepare(job)
  const { store } = prepared
  yield* AccessCheck.lookAtNew(prepared.subject, prepared.definition, prepared.kept)
  const opened = yield* store.open({ definition: prepared.definition, series: prepared.subject })
  // What another run did before this one took the dataset.
  const current = yield* Prepare.following(prepared, opened.kept)
  const { named, subject } = current
  let { definition } = opened.kept
  // What a read asks for it has to get.
  const isBack = job.grows === true ? AccessCheck.expectBack : AccessCheck.isBack
  const back = yield* Effect.filter(named, (metric) => isBack(subject, current.definition, metric, opened.kept))
  const wanted = returning(current.definition, back)
  const define = Effect.fnUntraced(function* (next: Definition.Definition, reason: string) {
    const metrics = (next.retired ?? []).filter((name) => !definition.retired?.includes(name))
    definition = next
    yield* opened.define(next)
    if (metrics.length > 0) yield* emit({ _tag: "Retired", dataset: store.name, metrics, reason })
  })
  if (JSON.stringify(definition) !== JSON.stringify(wanted)) yield* define(wanted, "the job does not name them")
  const metrics = named.filter((name) => !back.includes(name))
  if (metrics.length > 0) {
    yield* emit({ _tag: "Retired", dataset: store.name, metrics, reason: "the service still refuses them" })
  }
  const doubted = new Set<string>()
  const isNew = prepared.kept === undefined
  /** Syncs without what was retired, from where entities are, and tells where they are then. */
  const once = Effect.fnUntraced(function* (cursors: ReadonlyMap<string, Cursor>, recheck?: number) {
    if (subject.isList) {
      const list = { dataset: store.name, subject, definition, cursors, store: opened, isNew, emit }
      return yield* Effect.raceFirst(ListSync.run(list), opened.lost)
    }
    const kept = { definition, cursors }
    const { given, plan } = yield* Effect.provide(
      Prepare.plan({ ...current, definition, kept }, recheck, job.window),
      Discover.layer()
    )
    return yield* Sync.run({
      dataset: store.name,
      subject,
      definition,
      given,
      plan,
      store: opened,
      isNew,
      concurrency: Math.max(1, Math.floor(job.concurrency ?? 10)),
      doubted,
      emit
    })
  })
  // Of those that the job names it was asked by now.
  let known = named
  let returned = back
  let complete: Pick<Kept, "begun" | "synced"> = opened.kept
  /** Asks whether the service has metrics again that it refused, and gives them. */
  const recall = Effect.fnUntraced(function* (cursors: ReadonlyMap<string, Cursor>) {
    const refused = (definition.refused ?? []).filter((name) => !known.includes(name))
    known = []
    const found = yield* AccessCheck.backAmong(subject, { definition, cursors }, refused)
    if (found.length > 0) yield* define(returning(definition, found), "")
    const all = [...returned, ...found]
    returned = []
    return all
  })
  const run = Effect.fnUntraced(function* (held: ReadonlyMap<string, Cursor>, recheck?: number) {
    doubted.clear()
    const cursors = without(yield* recall(held), held)
    const begun = yield* Clock.currentTimeMillis
    let outcome = yield* once(cursors, recheck)
    while (outcome.refused.size > 0) {
      for (const [metric, { message }] of outcome.refused) {
        // A refusal may be about something else, such as an entity that does not have the metric.
        const isRefused = yield* AccessCheck.isRefused(subject, { definition, cursors: outcome.cursors }, metric)
        if (!isRefused) {
          doubted.add(metric)
          continue
        }
        const { refused = [], retired = [] } = definition
        const now = yield* Prepare.retirementOf(complete)
        const names = { retired: [...retired, metric], refused: [...refused, metric] }
        yield* define(Definition.withRetired(definition, names.retired, names.refused, definition, now), message)
      }
      const { retired = [] } = definition
      // What this run was to read again it has not read: of these metrics all stays.
      const left = [...outcome.cursors].map(([entity, cursor]) => {
        return [entity, LeftColumns.leave(cursor, retired, cursors.get(entity))] as const
      })
      outcome = yield* once(new Map(left), recheck)
    }
    const isWhole = outcome.failed === undefined && job.window === undefined
    yield* opened.settle?.(isWhole ? begun : undefined) ?? Effect.void
    if (isWhole) complete = { begun, synced: Moment.ofMillis(begun) }
    return outcome
  })
  return { cursors: opened.kept.cursors, definition: () => definition, opened, run, store, subject }
})
