/**
 * A job as a value: it holds data about one path that starts jobs, and calling it starts a job, waits until it is done, and
 * reads its results as a stream. Source: docs/interface.md 13.
 */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { type ApiError, Decode, InvalidRequest } from "./ApiError.ts"
import { Client } from "./Client.ts"
import * as Endpoint from "./Endpoint.ts"
import * as Engine from "./internal/http/Engine.ts"
import * as CallSpan from "./internal/observe/CallSpan.ts"
import * as Results from "./internal/job/Results.ts"
import * as Start from "./internal/job/Start.ts"
import type { State } from "./internal/job/Wait.ts"
import * as Wait from "./internal/job/Wait.ts"
import * as Prepare from "./internal/pages/Prepare.ts"
import { id, text } from "./internal/wire/fields.ts"
import * as Decoders from "./internal/call/Decoders.ts"
import { type JobError, JobUnconfirmed, JobUnread } from "./JobError.ts"
import type * as Retry from "./Retry.ts"

/** What is known of a job that is not done: what {@link Polling} sees. */
export type { State } from "./internal/job/Wait.ts"

/**
 * When to ask for the status of a job again: any schedule over {@link State}. When it ends before the job is done, waiting
 * fails with `JobUnfinished`. The time it sees is not affected when the wall clock is set.
 */
export type Polling = Schedule.Schedule<unknown, State>

/** Settings of {@link polling}. */
export interface PollingOptions {
  /** The first delay, which grows by half each time. Default 1 second. */
  readonly base?: Duration.Input | undefined
  /** The longest delay. Default 30 seconds. */
  readonly cap?: Duration.Input | undefined
  /** No request starts later than this after the first. Default 6 hours. */
  readonly within?: Duration.Input | undefined
}

/** Builds a polling schedule: exponential delays up to a cap, for a limited time. */
export const polling = (options: PollingOptions = {}): Polling => {
  const within = Duration.toMillis(options.within ?? "6 hours")
  return Schedule.min([
    Schedule.exponential(options.base ?? "1 second", 1.5),
    Schedule.spaced(options.cap ?? "30 seconds")
  ]).pipe(
    Schedule.setInputType<State>(),
    Schedule.while(({ duration, elapsed }) => elapsed + Duration.toMillis(duration) <= within)
  )
}

/** Settings of reading the results of a job. */
export interface ResultOptions {
  /** Replaces the client's retry policy, for each request. */
  readonly retry?: Retry.Policy | undefined
  /** When to ask for the status of the job. Default `polling()`. */
  readonly poll?: Polling | undefined
}

/** Settings of starting a job. */
export type SubmitOptions = Pick<Endpoint.CallOptions, "query" | "retry">

/** Settings of a call. */
export interface Options extends ResultOptions, SubmitOptions {}

/** A job that was started. */
export interface Submitted {
  /** The `job_id`. */
  readonly id: string
  /** `CF-RAY`. */
  readonly trace: string | undefined
}

/** Every error with which a job can fail. */
export type Failure = ApiError | JobError

/**
 * An operation that starts jobs.
 *
 * **Details**
 *
 * A call builds a stream and sends nothing. Running the stream starts a job, logs its id, waits until it is done and reads
 * its results. `submit` and `results` are the two halves of it. `Jobs.list` gives the status of jobs.
 *
 * The start is sent again only where the service cannot have received it, or refused it as a whole. After an answer that was
 * lost it fails with `JobUnconfirmed`. Later errors name the job, whose results can be read by its id until they expire. A
 * status that this library does not know counts as not done.
 *
 * Results are requested without the key, and outside the quota. A download that breaks off is read again from the start of
 * the file, without emitting a record twice. So is an empty one.
 *
 * **Gotchas**
 *
 * A file of lines that is not compressed has no end mark: where it is closed properly but too early, exactly between two
 * lines, it looks complete. In a compressed file or an array this is noticed. Over `fetch`, a compressed file of several gzip
 * members fails with `JobUnread`; `@sluice/node` reads it.
 */
export interface Job<P, out A> extends Endpoint.Info {
  (params: P, options?: Options): Stream.Stream<A, Failure, Client>
  /** A job, whose results are records. */
  readonly reply: "job"
  /** Starts a job. */
  readonly submit: (params: P, options?: SubmitOptions) => Effect.Effect<Submitted, ApiError | JobUnconfirmed, Client>
  /** Waits until a job is done and reads its results. */
  readonly results: (id: string, options?: ResultOptions) => Stream.Stream<A, Failure, Client>
}

/** A {@link Job} whose types are not known at compile time. Its parameters are checked when it runs. */
export interface Any extends Job<never, unknown> {}

/** Tells operations that start jobs from other values. */
export const isJob = (value: unknown): value is Any => Predicate.hasProperty(value, "reply") && value.reply === "job"

/** The operation that tells the status of jobs. */
export type Statuses = Endpoint.Endpoint<{ readonly ids: ReadonlyArray<string> }, State>

/** What {@link make} needs. */
export type Definition<P, Record> = Pick<Endpoint.SingleDefinition<P, Record>, "section" | "params" | "record"> & {
  /** The operation that tells the status of jobs. */
  readonly statuses: Statuses
}

/** The reply to a start. Its `job_url` holds the key, so it is not used (docs/interface.md 13.1). */
const Started = Schema.Struct({ job_id: id, job_url: text })

/** Builds an operation that starts jobs; `record` is the schema of a record of their results. */
export const make = <P extends object, A extends Encoded, Encoded>(
  path: string,
  { statuses, ...definition }: Definition<P, Schema.Codec<A, Encoded>>
): Job<P, A> => {
  const info = { ...Endpoint.makeSingle(path, { ...definition, community: false }), reply: "job" as const }
  const prepare = Prepare.make(info, { ...definition, dependsOn: [], record: () => Started })
  const decoderOf = Decoders.make({ dependsOn: [], record: () => definition.record })

  const start = Effect.fnUntraced(function* (params: unknown, options: SubmitOptions = {}) {
    const { client, decoder, engine, request } = yield* prepare(params, options)
    const { record, trace } = yield* Effect.mapError(
      Start.put(engine, { ...request, maxPageBytes: maxReplyBytes }),
      (error) => (Start.mayHaveActed(error) ? unconfirmed(error) : error)
    )
    const checked = decoder.check([record])
    const lost = (reason: string) => new JobUnconfirmed({ endpoint: path, trace, reason })
    if (Result.isFailure(checked)) return yield* lost(`the reply has no job_id (${checked.failure.issue})`)
    const id = checked.success[0]?.job_id ?? ""
    const issue = Wait.idIssue(id, client.account.scrub)
    return issue === undefined ? ({ id, trace } satisfies Submitted) : yield* lost(`the job_id ${issue}`)
  })

  const submit = (params: unknown, options?: SubmitOptions) => CallSpan.single(path, start(params, options), 0)

  const read = (id: string, { poll = polling(), retry }: ResultOptions, within: CallSpan.Within) =>
    Stream.unwrap(
      Effect.gen(function* () {
        const client = yield* Client
        const engine = Engine.of(client)
        const { scrub } = client.account
        const issue = Wait.idIssue(id, scrub)
        if (issue !== undefined) {
          const said = { endpoint: statuses.path, parameter: "ids", reason: issue } as const
          return yield* new InvalidRequest({ ...said, kind: "malformed" })
        }
        const fail = (error: ApiError) => new JobUnread({ endpoint: path, id, error, delivered: 0 })
        const asked = statuses({ ids: [id] }, { retry }).pipe(
          Stream.take(mostStates),
          Stream.filter((state) => state.id === id),
          Stream.runHead,
          Effect.map(Option.getOrUndefined),
          Effect.mapError(fail)
        )
        const urlsOf = (state: State) =>
          state.results
            ? Effect.succeed(state.results.map((result) => result.url))
            : fail(new Decode({ endpoint: path, path: "data[0].results", issue: "Missing in a completed job" }))
        const wait = (poll: Polling) =>
          Effect.flatMap(Wait.untilDone({ endpoint: path, id, asked, poll, scrub }), urlsOf)
        return Results.records({
          endpoint: path,
          id,
          engine,
          decoder: decoderOf({}, engine.reader?.records),
          retry: retry ?? client.retry,
          longestWait: client.quota.longestWait,
          onDisorder: client.onDisorder,
          url: { root: client.account.root, scrub },
          within,
          urls: yield* wait(poll),
          renew: Effect.provideService(wait(Wait.renewal), Client, client)
        })
      }).pipe(within)
    )

  const results = (id: string, options: ResultOptions = {}) =>
    CallSpan.stream({ what: "call", endpoint: path }, (within) => read(id, options, within))

  const call = (params: P, options: Options = {}) =>
    CallSpan.stream({ what: "call", endpoint: path }, (within) =>
      Stream.unwrap(
        start(params, options).pipe(
          Effect.tap(({ id }) => Effect.logInfo(`${path}: started job ${id}`)),
          Effect.map(({ id }) => read(id, options, within)),
          within
        )
      )
    )

  return Object.assign(call, info, { submit, results })
}

const unconfirmed = (error: ApiError) =>
  new JobUnconfirmed({
    endpoint: error.endpoint,
    trace: error.trace,
    status: error._tag === "Unavailable" ? error.status : undefined,
    reason: "reason" in error ? error.reason : "issue" in error ? error.issue : error.message
  })

/** The most jobs among which one is looked for. Asked for one, a service lists that alone, or all it has where it ignores the id. */
const mostStates = 1_000

/** The most bytes of the reply that names a job. */
const maxReplyBytes = 1_048_576
