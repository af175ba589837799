/**
 * One stream, read as its schedule says, and everything that was seen of it.
 */
import { ApiError, type Client, type Paging } from "@sluice/core"
import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Stream } from "effect"
import { HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { Row } from "./Expected.ts"
import type { Reading } from "./Schedule.ts"
import * as Targets from "./Targets.ts"

/** How a stream ended. */
export type End =
  | { readonly _tag: "Complete" }
  | { readonly _tag: "Failed"; readonly error: ApiError.ApiError }
  | { readonly _tag: "Interrupted" }
  | { readonly _tag: "Defect"; readonly text: string }
  | { readonly _tag: "Unfinished" }

/** One request of a stream. */
export interface Request {
  /** Faults it was sent with; empty for none. */
  readonly faults: string
  /** When it was sent. */
  readonly at: number
  /** Absent when none came. */
  reply: Reply | undefined
}

/** The head of a reply. */
export interface Reply {
  readonly at: number
  readonly status: number
  readonly retryAfter: string | undefined
}

/** What was seen of a stream. */
export interface Observed {
  readonly rows: Array<Row>
  readonly requests: Array<Request>
  /** Of a stream of pages, without their records. */
  readonly pages: Array<Omit<Paging.Page<unknown>, "data">>
  end: End
}

/** Nothing seen yet. */
export const empty = (): Observed => ({ rows: [], requests: [], pages: [], end: { _tag: "Unfinished" } })

/** The stream a request belongs to. */
const Current = Context.Reference<{ readonly reading: Reading; readonly observed: Observed } | undefined>(
  "chaos/Current",
  { defaultValue: () => undefined }
)

/** No stream here needs as many; one that asks for ever would not end by itself. */
const mostRequests = 3_000

/** Sends each request with the faults that its stream's schedule has for it. */
export const addFaults = (http: HttpClient.HttpClient): HttpClient.HttpClient =>
  http.pipe(
    HttpClient.mapRequestEffect(
      Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
        const current = yield* Current
        if (current === undefined) return request
        const { observed, reading } = current
        if (observed.requests.length >= mostRequests) {
          return yield* Effect.die(new Error(`the stream sent ${mostRequests} requests and would go on`))
        }
        const faults = reading.faults[observed.requests.length] ?? reading.always
        observed.requests.push({ faults, at: yield* Clock.currentTimeMillis, reply: undefined })
        return faults === "" ? request : HttpClientRequest.setHeader(request, "x-sandbox-fault", faults)
      })
    ),
    HttpClient.transformResponse(
      Effect.tap(
        Effect.fnUntraced(function* ({ headers, status }: HttpClientResponse.HttpClientResponse) {
          const request = (yield* Current)?.observed.requests.at(-1)
          const at = yield* Clock.currentTimeMillis
          if (request !== undefined) request.reply = { at, status, retryAfter: headers["retry-after"] }
        })
      )
    )
  )

// Type boundary, here and below: an endpoint known only at run time takes its parameters as data and checks them.
const recordsOf = ({ target }: Reading): Stream.Stream<unknown, ApiError.ApiError, Client.Client> =>
  Targets.endpointOf(target)({ ...target.content, ...target.paging } as never)

const pagesOf = ({ target }: Reading, { pages }: Observed): Stream.Stream<unknown, ApiError.ApiError, Client.Client> =>
  Targets.endpointOf(target)
    .pages({ ...target.content, ...target.paging } as never)
    .pipe(
      Stream.flatMap(({ data, ...page }) => {
        pages.push(page)
        return Stream.fromArray(data)
      })
    )

/** A stream of hundreds of records comes to its end all the same. */
const mostPauses = 20

/** Uses records as the consumer does; `enough` is called when it wants to be interrupted. */
const consume = <E, R>(
  self: Stream.Stream<unknown, E, R>,
  { consumer }: Reading,
  { rows }: Observed,
  enough: Effect.Effect<unknown>
): Effect.Effect<void, E, R> => {
  // Type boundary: the client has checked the records.
  const push = (batch: ReadonlyArray<unknown>) => rows.push(...(batch as ReadonlyArray<Row>))
  const one = (then: (count: number) => Effect.Effect<unknown>) =>
    Stream.runForEach(self, (record) => Effect.suspend(() => then(push([record]))))
  switch (consumer._tag) {
    case "All":
    case "TimedOut":
      return Stream.runForEachArray(self, (batch) => Effect.sync(() => push(batch)))
    case "Take":
      return Stream.runForEachArray(Stream.take(self, consumer.count), (batch) => Effect.sync(() => push(batch)))
    case "Slow":
      return one((count) =>
        count % consumer.every === 0 && count <= mostPauses * consumer.every
          ? Effect.sleep(consumer.millis)
          : Effect.void
      )
    case "Interrupted":
      return one((count) => (count === consumer.after ? Effect.andThen(enough, Effect.never) : Effect.void))
  }
}

const toEnd = (exit: Exit.Exit<void, ApiError.ApiError>, wasStopped: boolean): End => {
  if (Exit.isSuccess(exit)) return { _tag: "Complete" }
  const [reason, ...others] = exit.cause.reasons
  if (wasStopped && Cause.hasInterruptsOnly(exit.cause)) return { _tag: "Interrupted" }
  return reason?._tag === "Fail" && others.length === 0 && ApiError.isApiError(reason.error)
    ? { _tag: "Failed", error: reason.error }
    : { _tag: "Defect", text: Cause.pretty(exit.cause) }
}

/** Reads a stream to whatever end it comes to. */
export const read = Effect.fnUntraced(function* (reading: Reading, observed: Observed) {
  const { as, delay, buffer, consumer } = reading
  yield* Effect.sleep(delay)
  const records = as === "pages" ? pagesOf(reading, observed) : recordsOf(reading)
  const source = buffer === undefined ? records : Stream.bufferArray(records, { capacity: buffer })
  const enough = yield* Deferred.make<void>()
  const program = consume(source, reading, observed, Deferred.succeed(enough, undefined)).pipe(
    Effect.provideService(Current, { reading, observed })
  )
  const fiber = yield* Effect.forkChild(program, { startImmediately: true })
  const stop =
    consumer._tag === "TimedOut"
      ? Effect.as(Effect.sleep(consumer.millis), true)
      : Effect.as(Deferred.await(enough), true)
  const wasStopped = yield* Effect.raceFirst(Effect.as(Fiber.await(fiber), false), stop)
  if (wasStopped) yield* Fiber.interrupt(fiber)
  observed.end = toEnd(yield* Fiber.await(fiber), wasStopped)
})
