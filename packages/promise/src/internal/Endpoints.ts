/** Every endpoint as a function that gives a promise or an async iterable, over the endpoints as they are. */
import * as Bulk from "@sluice/core/Bulk"
import type { Client } from "@sluice/core/Client"
import * as Columns from "@sluice/core/Columns"
import * as Endpoint from "@sluice/core/Endpoint"
import { sections as all } from "@sluice/core/Endpoints"
import * as Job from "@sluice/core/Job"
import * as Retry from "@sluice/core/Retry"
import * as Effect from "effect/Effect"
import type { FileSystem } from "effect/FileSystem"
import type { Path } from "effect/Path"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as Download from "@sluice/files/Download"
import { InvalidRequest } from "@sluice/core/ApiError"
import * as Parameter from "@sluice/core/Parameter"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type {
  CallOptions,
  ColumnOptions,
  DownloadOptions,
  JobCall,
  JobOptions,
  Records,
  ResultOptions,
  Sections,
  SingleOptions,
  Source,
  PlanOptions,
  SplitOptions
} from "./Call.ts"
import * as CallShape from "./CallShape.ts"
import * as Names from "./Names.ts"
import type { Session } from "./Session.ts"

export type Needs = Client | FileSystem | Path

/** The policy of an option that holds a policy or its limits. */
export const policyOf = (retry: Retry.Options | Retry.Policy | undefined): Retry.Policy | undefined =>
  retry === undefined || isPolicy(retry) ? retry : Retry.make(retry)

// Type boundary: a schedule does not know at run time what it takes.
const isPolicy = (retry: Retry.Options | Retry.Policy): retry is Retry.Policy => Schedule.isSchedule(retry)

/** A stream that is read while a loop asks for it. */
export const source = <A, E, R>(
  session: Session<R>,
  stream: Stream.Stream<A, E, R>,
  signal?: AbortSignal
): Source<A> => ({
  [Symbol.asyncIterator]: () => session.iterate(stream, signal),
  batches: () => source(session, Stream.chunks(stream), signal),
  toArray: () => session.run(Stream.runCollect(stream), signal)
})

// Live operations need a connection of their own.
const { Live: _, ...sections } = all

export const make = (session: Session<Needs>): Sections =>
  // Type boundary: `Sections` maps the same sections by the same rule, and each endpoint by what its own type says.
  Object.fromEntries(
    Object.entries(sections).map(([name, section]) => [
      `${name.charAt(0).toLowerCase()}${name.slice(1)}`,
      Object.fromEntries(
        Object.entries(section).flatMap(
          ([name, member]: readonly [string, unknown]): ReadonlyArray<[string, unknown]> => {
            if (Endpoint.isEndpoint(member)) return [[name, listCall(session, member)]]
            if (Job.isJob(member)) return [[name, jobCall(session, member)]]
            return Endpoint.isSingle(member) ? [[name, singleCall(session, member)]] : []
          }
        )
      )
    ])
  ) as unknown as Sections

// Type boundary: a schedule does not know at run time what it takes.
const isPolling = (poll: Job.PollingOptions | Job.Polling): poll is Job.Polling => Schedule.isSchedule(poll)

/** The options of core that those of a call stand for. Core refuses the name of one that does not belong to a call. */
const coreOptions = (options: CallOptions & ResultOptions) => {
  const { poll, retry } = options
  return {
    ...Struct.omit(options, ["poll", "retry", "signal"]),
    ...(retry === undefined ? {} : { retry: policyOf(retry) }),
    ...(poll === undefined ? {} : { poll: isPolling(poll) ? poll : Job.polling(poll) })
  }
}

type CoreOptions = ReturnType<typeof coreOptions>

/** Parameters with their dates as text. Type boundary: the endpoint checks them. */
const inText = (endpoint: Endpoint.Info, params: object | undefined) =>
  Effect.map(Effect.andThen(Names.check(endpoint, params), withDates(endpoint, params)), (checked) => checked as never)

const singleCall =
  (session: Session<Needs>, endpoint: Endpoint.AnySingle) =>
  (params?: object, options: SingleOptions = {}): Promise<unknown> =>
    session.run(
      Effect.andThen(
        CallShape.checkSingle(options),
        Effect.flatMap(inText(endpoint, params), (checked) => endpoint(checked, coreOptions(options)))
      ),
      options.signal
    )

const jobCall = (session: Session<Needs>, job: Job.Any): JobCall<object, unknown> => {
  const call = (params: object, options: JobOptions = {}) => {
    const read = Effect.map(inText(job, params), (checked) => job(checked, coreOptions(options)))
    return source(session, Stream.unwrap(Effect.andThen(CallShape.checkJob(options), read)), options.signal)
  }
  return Object.assign(call, {
    submit: (params: object, options: SingleOptions = {}) =>
      session.run(
        Effect.andThen(
          CallShape.checkSingle(options),
          Effect.flatMap(inText(job, params), (checked) => job.submit(checked, coreOptions(options)))
        ),
        options.signal
      ),
    results: (id: string, options: ResultOptions = {}) => {
      const read = Effect.map(CallShape.checkResults(options), () => job.results(id, coreOptions(options)))
      return source(session, Stream.unwrap(read), options.signal)
    }
  })
}

const listCall =
  (session: Session<Needs>, endpoint: Endpoint.Any) =>
  (params?: object, options: CallOptions = {}): Records<unknown> => {
    const { signal } = options
    const request = Effect.andThen(CallShape.checkCall(options), inText(endpoint, params))
    const after = <A, E>(read: (params: never, settings: CoreOptions) => Stream.Stream<A, E, Needs>) =>
      source(session, Stream.unwrap(Effect.map(request, (checked) => read(checked, coreOptions(options)))), signal)
    return {
      ...after((params, settings) => endpoint(params, settings)),
      pages: () => after((params, settings) => endpoint.pages(params, settings)),
      split: (how: SplitOptions) => after((params, settings) => inParts(endpoint, params, how, settings)),
      plan: (how: PlanOptions = {}) => session.run(plan(endpoint, request, how), signal),
      // Type boundary: the columns follow from the options.
      columns: (how: ColumnOptions = {}) =>
        session.run(columns(endpoint, request, how, coreOptions(options)), signal) as never,
      download: (job: DownloadOptions) => session.run(download(endpoint, request, { ...job }), job?.signal ?? signal)
    }
  }

const inParts = (endpoint: Endpoint.Any, params: never, how: SplitOptions, settings: Endpoint.CallOptions) =>
  Stream.unwrap(
    Effect.gen(function* () {
      yield* CallShape.checkSplit(how)
      const { by, every, size, ...reading } = how
      const parts = yield* Bulk.split(endpoint, params, { by, every, size })
      return Bulk.records(endpoint, parts, { ...settings, ...reading })
    })
  )

const plan = Effect.fnUntraced(function* <E>(
  endpoint: Endpoint.Any,
  request: Effect.Effect<never, E>,
  how: PlanOptions
) {
  yield* CallShape.checkPlan(how)
  const { by, every, size, ...options } = how
  return yield* Bulk.plan(endpoint, yield* Bulk.split(endpoint, yield* request, { by, every, size }), options)
})

const columns = Effect.fnUntraced(function* <E>(
  endpoint: Endpoint.Any,
  request: Effect.Effect<never, E>,
  how: ColumnOptions,
  settings: CoreOptions
) {
  yield* CallShape.checkColumns(how)
  // Type boundary: which columns there are, core checks.
  return yield* Columns.collect(endpoint, yield* request, { ...settings, ...(how as object) })
})

const download = Effect.fnUntraced(function* <E>(
  endpoint: Endpoint.Any,
  request: Effect.Effect<object | undefined, E>,
  options: DownloadOptions
) {
  const { onEvent, signal } = options
  yield* CallShape.checkDownload({ onEvent, signal })
  const job = Struct.omit(options, ["onEvent", "signal"])
  const params = yield* request
  // What it throws ends the download as a defect, which a promise rejects with unchanged.
  const tell = (event: Download.Event) => Effect.sync(() => onEvent?.(event))
  const finished = yield* Download.run({ ...job, endpoint, params: { ...params } }).pipe(
    Stream.tap(tell),
    Stream.filter((event) => event._tag === "Finished"),
    Stream.runLast
  )
  // A download that does not fail ends with this event.
  return yield* Effect.orDie(Effect.fromOption(finished))
})

/** Parameters that take a moment, as the types say too. */
const isTime = (name: string) => name.endsWith("_time")

// An invalid date is refused by the endpoint, which then quotes this text.
const textOf = (date: Date) =>
  Option.match(DateTime.make(date), { onNone: () => "Invalid Date", onSome: DateTime.formatIso })

/**
 * Writes the dates of a request in UTC, to the millisecond. Fails with `InvalidRequest` when the request reads its times in
 * another zone, where that text would mean another moment.
 */
const withDates = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: object | undefined) {
  const given = Object.entries(params ?? {})
  const dated = given.find(([name, value]) => isTime(name) && Predicate.isDate(value))
  if (dated === undefined) return params
  const zone = Parameter.find(endpoint.parameters, "TimeZone")?.name
  const named = zone === undefined ? undefined : given.find(([name]) => name === zone)?.[1]
  if (named !== undefined && named !== "UTC") {
    return yield* new InvalidRequest({
      endpoint: endpoint.path,
      kind: "excluded",
      parameter: dated[0],
      reason: `a Date is a moment in UTC, and with "${zone}" times are read in another zone; give the local time as text`
    })
  }
  return Object.fromEntries(
    given.map(([name, value]) => [name, isTime(name) && Predicate.isDate(value) ? textOf(value) : value])
  )
})
