/** Requests one page or one record, receives it completely, and retries where that may help. */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as ApiError from "../../ApiError.ts"
import * as Retry from "../../Retry.ts"
import { withoutRetainingResult } from "../memory/Retention.ts"
import type { Attempt } from "../observe/Attempt.ts"
import * as Measure from "../observe/Measure.ts"
import * as Spans from "../observe/Spans.ts"
import * as Buffers from "../memory/Buffers.ts"
import { withAttempts } from "../retry/Attempts.ts"
import * as RetrySchedule from "../retry/RetrySchedule.ts"
import * as Waits from "../retry/Waits.ts"
import * as ByteStream from "../wire/ByteStream.ts"
import * as Envelope from "../wire/Envelope.ts"
import * as Json from "../wire/Json.ts"
import * as Limit from "../wire/Limit.ts"
import * as Budget from "./Budget.ts"
import type { Engine, MayRepeat, Read, Received, RecordReply, Reply, Request, Sent } from "./Engine.ts"
import * as Exchange from "./Exchange.ts"

/** What all page requests of a client share. */
export interface Options {
  readonly open: Engine["open"]
  readonly retry: Retry.Policy
  /** The most pages received at once. */
  readonly parallel: number
  /** The limit for a page; by default that of the request. */
  readonly maxPageBytes: number | undefined
  /** The limit for all pages that are being received. */
  readonly maxReceivingBytes: number
  readonly reader: Engine["reader"]
}

/** Builds the function that requests pages and single records. */
export const make = (options: Options): Pick<Engine, "receive"> => {
  const budget = Budget.make(options.maxReceivingBytes)
  const buffers = Buffers.makePool(options.parallel)
  const skip = options.reader?.nesting()

  const readBody = Effect.fnUntraced(function* <A extends { readonly json: unknown }>(
    request: Request,
    read: Read<A>,
    noteDamage: (error: ApiError.Decode) => void,
    hold: (attempt: Attempt) => void
  ) {
    const endpoint = request.call.endpoint.path
    const maxBytes = options.maxPageBytes ?? request.maxPageBytes ?? Envelope.largestPage
    const buffer = buffers()
    const received = receive(options.open(request), budget, hold, (chunk, trace) => {
      buffer.push(chunk)
      const issue = `the body is longer than ${Limit.format(maxBytes)}`
      return buffer.length() > maxBytes
        ? new ApiError.Decode({ endpoint, trace, path: "", issue, setting: "limits.maxPageBytes" })
        : undefined
    })
    const head = yield* Effect.onError(received, () => Effect.sync(buffer.release))
    const { refuse, trace } = head
    const body = read({ bytes: buffer.bytes(), firstClose: buffer.firstClose(), done: buffer.release, skip })
    if (Result.isSuccess(body)) {
      const error = Json.errorIn(body.success.json)
      if (error !== undefined) return yield* refuse(error)
      return { ...head, read: body.success } satisfies Received<A>
    }
    const { as, issue, path } = body.failure
    if (as === "cut") return yield* Exchange.unavailable(endpoint, "body", { reason: issue, transient: true }, trace)
    const error = new ApiError.Decode({ endpoint, trace, path, issue })
    if (as === "damaged") noteDamage(error)
    return yield* error
  })

  const receiveRetried: Engine["receive"] = (what, request, read, mayRepeat = () => true) =>
    Effect.suspend(() => {
      const { path: endpoint } = request.call.endpoint
      let attempts = 0
      const waited: Waits.Waited = { millis: 0 }
      let damage: ApiError.Decode | undefined
      const noteDamage = (error: ApiError.Decode) => {
        damage ??= error
      }
      const attempt = Effect.suspend(() => {
        attempts += 1
        let held: Attempt | undefined
        // A body that cannot be read makes the attempt a failed one, although its permit was released before.
        const hold = (attempt: Attempt) => {
          held = attempt
          attempt.hold()
        }
        return readBody(request, read, noteDamage, hold).pipe(
          Effect.onExit((exit) => held?.end(exit) ?? Effect.void),
          Effect.provideService(Waits.Current, waited)
        )
      })
      // A body that is no JSON is requested once more, because it may have been damaged in transit.
      const isRetryable = (error: ApiError.ApiError) =>
        mayRepeat(error) && (error === damage || Retry.isTransient(error))
      const repeated = attempt.pipe(
        Effect.catch((error) =>
          RetrySchedule.after(error, attempt, request.retry ?? options.retry, { waited, isRetryable })
        ),
        Effect.mapError((error) => withAttempts(error, { attempts }))
      )
      return Spans.within(repeated, `sluice.${what} ${endpoint}`, Measure.ofEndpoint(endpoint), (span) =>
        span.attribute("sluice.attempts", attempts)
      )
    })

  return { receive: receiveRetried }
}

export const page = (engine: Engine, request: Request): Effect.Effect<Reply, ApiError.ApiError> =>
  Effect.map(engine.receive("page", request, Envelope.read), ({ read, trace }) => ({
    trace,
    envelope: Envelope.withoutKey(read)
  }))

export const record = (
  engine: Engine,
  request: Request,
  mayRepeat?: MayRepeat
): Effect.Effect<RecordReply, ApiError.ApiError> =>
  Effect.map(engine.receive("record", request, Envelope.readRecord, mayRepeat), ({ read, trace }) => ({
    trace,
    record: read.json
  }))

/** Receives the whole body and closes the request, so that the permit is released before parsing. */
const receive = (
  open: Effect.Effect<Sent, ApiError.ApiError, Scope.Scope>,
  budget: Budget.Budget,
  hold: (attempt: Attempt) => void,
  push: (chunk: Uint8Array, trace: string | undefined) => ApiError.Decode | undefined
) =>
  withoutRetainingResult(
    Effect.flatMap(open, ({ body, ...head }) =>
      Effect.flatMap(budget, (share) =>
        Effect.map(
          // The budget is waited for between two pulls, so this does not count as a stalled service.
          ByteStream.runForEach(share.whenAvailable(body), (chunk) => {
            share.add(chunk.length)
            return push(chunk, head.trace)
          }),
          () => {
            hold(head.attempt)
            return head
          }
        )
      )
    ),
    Effect.scoped
  )
