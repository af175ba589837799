/** `sluice sync`: a time series in a folder or a table, which every run brings up to date. */
import type * as Parameter from "@sluice/core/Parameter"
import * as Timestamp from "@sluice/core/Timestamp"
import * as Dataset from "@sluice/datasets/Dataset"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { jsonOf, Screen, type Side } from "../../terminal/Screen.ts"
import * as SyncProgress from "../../terminal/SyncProgress.ts"
import type { About } from "../flags/About.ts"
import type { SyncInput } from "../flags/DatasetFlags.ts"
import * as EventOutput from "./EventOutput.ts"
import * as NumbersNotice from "./NumbersNotice.ts"
import * as Place from "./Place.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

type Job = Dataset.Job | Dataset.Existing

export const run = Effect.fnUntraced(function* (input: SyncInput, about: About | undefined) {
  yield* expectFit(input)
  const place = yield* Place.of(input)
  const job = yield* jobOf(input, place, about)
  const work = input.check
    ? check(job, place.name)
    : showEvents(input, Dataset.sync(job), place, (side) => SyncProgress.on(side, place))
  yield* work.pipe(Suggestions.onRefused(Parameters.given(input.parameters)), Effect.provide(Connection.layerDiscover))
})

const refuse = (message: string) => new PlaceFlags.BadPlace({ message })

/** Fails where a flag needs another, or excludes it. */
export const expectFit = Effect.fnUntraced(function* (input: SyncInput) {
  if (input.only !== undefined && input.all === undefined) return yield* refuse("--only needs --all")
  if (input.watch && input.check) {
    return yield* refuse("--check and --watch exclude each other: a check changes nothing")
  }
  if (input.interval !== undefined && Duration.isZero(input.interval)) {
    return yield* refuse("--interval is a time above 0")
  }
  for (const flag of ["interval", "listen"] as const) {
    if (input.watch || input[flag] === undefined) continue
    return yield* refuse(`--${flag} needs --watch: without it a sync ends by itself`)
  }
})

export const showEvents = Effect.fnUntraced(function* <E, R>(
  input: SyncInput,
  events: Stream.Stream<Dataset.Event, E, R>,
  place: Place.Place,
  on: (side: Side) => SyncProgress.Show
) {
  const output = yield* EventOutput.make((side) => withNumbersNotice(input, place, on(side)))
  const stopped = output.stopped(
    { _tag: "Stopped", dataset: place.name },
    `Stopped: what is whole is kept in ${place.name}. The same command continues.`
  )
  yield* Stream.runForEach(events, output.tell).pipe(
    Effect.tapError(() => output.clear),
    Effect.onInterrupt(() => stopped)
  )
})

/** Says behind the beginning of a dataset what becomes of its numbers. */
export const withNumbersNotice =
  (input: SyncInput, place: Place.Place, show: SyncProgress.Show): SyncProgress.Show =>
  (event) =>
    show(event) + (event._tag === "Started" && event.isNew ? noticeOf(input, place) : "")

/** Tables have the numbers of Parquet. */
const noticeOf = ({ format }: SyncInput, { isFolder }: Place.Place) =>
  NumbersNotice.line({ ...format, as: (isFolder ? format.as : undefined) ?? "parquet" })

/** Tells on standard output what a run would do; `more` is said in JSON alone. */
export const check = Effect.fnUntraced(function* (job: Job, title: string, more: object = {}) {
  const { print } = yield* Screen
  const plan = yield* Dataset.check(job)
  const isJson = yield* GlobalFlags.Json
  yield* print(isJson ? jsonOf({ ...more, ...plan }) : SyncProgress.planned(plan, title))
})

export const jobOf = Effect.fnUntraced(function* (input: SyncInput, place: Place.Place, about: About | undefined) {
  const shared = {
    to: place.to,
    ...input.update,
    recheck: input.recheck,
    concurrency: input.concurrency,
    ...(place.isFolder
      ? {
          layout: input.layout,
          format: Parameters.given(input.format),
          snapshots: place.snapshots,
          versions: input.versions
        }
      : {})
  }
  if (input.endpoint === undefined) return shared
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.get(input.endpoint))
  const job: Dataset.Job = {
    ...shared,
    endpoint,
    params: yield* timed(place, endpoint.parameters, Parameters.given(input.parameters))
  }
  return job
})

/**
 * Puts moments in the place of times such as `-30d`. A dataset that exists has begun at one: there a start that is told
 * from now means where the dataset begins, unless it is earlier, which lets the dataset grow. Time goes on, so a start
 * that was repeated is never earlier than before.
 */
const timed = Effect.fnUntraced(function* (
  { to }: Place.Place,
  parameters: Parameter.Parameters,
  params: Readonly<Record<string, unknown>>
) {
  const given = RelativeTime.among(parameters, params)
  const resolved = yield* RelativeTime.resolve(parameters, params)
  if (Object.keys(given).length === 0) return resolved
  const begun = yield* Dataset.defined(to)
  const kept = Object.keys(given).flatMap((name) => {
    const moment = begun?.params[name]
    return moment === undefined || isEarlier(resolved[name], moment) ? [] : [[name, moment] as const]
  })
  return { ...resolved, ...Object.fromEntries(kept) }
})

const nanosOf = (time: unknown) =>
  Predicate.isString(time) ? Result.getOrUndefined(Timestamp.toEpochNanos(time)) : undefined

const isEarlier = (one: unknown, other: unknown) => {
  const [a, b] = [nanosOf(one), nanosOf(other)]
  return a !== undefined && b !== undefined && a < b
}
