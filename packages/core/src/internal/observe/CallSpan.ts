/** One call of an endpoint, from its start to its last record: its span, and what it adds to the metrics. */
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Pull from "effect/Pull"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as Metrics from "../../Metrics.ts"
import * as Attempt from "./Attempt.ts"
import * as Measure from "./Measure.ts"
import * as Outcome from "./Outcome.ts"
import * as Spans from "./Spans.ts"

/** Makes a span the parent of the requests that an effect sends. */
export type Within = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** Counts a call, and an answer that could not be decoded. */
const count = (endpoint: string, exit: Exit.Exit<unknown, unknown>) => {
  const outcome = Outcome.of(exit)
  const counted = Measure.update(Metrics.calls, 1, { ...Measure.ofEndpoint(endpoint), "sluice.outcome": outcome })
  return outcome === "Decode" ? Effect.andThen(counted, noteDecodeFailure(endpoint)) : counted
}

/** Counts an answer that could not be decoded. */
export const noteDecodeFailure = (endpoint: string): Effect.Effect<void> =>
  Measure.update(Metrics.decodeFailures, 1, Measure.ofEndpoint(endpoint))

/** What a span of {@link stream} is for. */
export interface Options<A> {
  readonly endpoint: string
  /** What is read: a whole call, or the lines of it, over however many requests. */
  readonly what: "call" | "stream"
  /** Of the call that this is a part of. */
  readonly within?: Within | undefined
  /** The records in a value of the stream. Default: it is one. */
  readonly sizeOf?: ((value: A) => number) | undefined
}

/**
 * Runs a stream in a span, which ends with its last record. `make` is given what to wrap around the effects that send requests.
 * The span is not the parent of everything that runs while records are pulled: each line of a log becomes an event of such a
 * span, and a stream may last for days.
 */
export const stream = <A, E, R>(
  { endpoint, sizeOf, what, within: outer = (same) => same }: Options<A>,
  make: (within: Within) => Stream.Stream<A, E, R>
): Stream.Stream<A, E, R> =>
  Stream.fromChannel(
    Channel.fromTransform((upstream, parent) =>
      Effect.gen(function* () {
        const scope = yield* Scope.fork(parent)
        const { note, within } = yield* outer(start(endpoint, what, scope))
        const pull = yield* Channel.toTransform(Stream.toChannel(make(within)))(upstream, scope)
        // One step for each pull, where `fromTransformBracket` and a map take several. An interruption closes the parent.
        return Effect.matchCauseEffect(pull, {
          onFailure: (cause) =>
            Effect.andThen(Scope.close(scope, Pull.doneExitFromCause(cause)), Effect.failCause(cause)),
          onSuccess: (values) => {
            note(sizeOf === undefined ? values.length : values.reduce((sum, value) => sum + sizeOf(value), 0))
            return Effect.succeed(values)
          }
        })
      })
    )
  )

const start = Effect.fnUntraced(function* (endpoint: string, what: Options<never>["what"], scope: Scope.Scope) {
  const span = yield* Effect.makeSpan(`sluice.${what} ${endpoint}`, { attributes: Measure.ofEndpoint(endpoint) })
  const outer = yield* Attempt.CurrentTotal
  const total: Attempt.Total = { requests: 0, bytes: 0 }
  const counted = Measure.tally(Metrics.records, Measure.ofEndpoint(endpoint), yield* Effect.context<never>(), 10_000)
  let records = 0
  yield* Scope.addFinalizerExit(scope, (exit) => {
    if (outer !== undefined) {
      outer.requests += total.requests
      outer.bytes += total.bytes
    }
    counted.flush()
    annotate(span, records, total)
    const ended = Spans.end(span, exit)
    return what === "call" ? Effect.andThen(ended, count(endpoint, exit)) : ended
  })
  const within: Within = (self) =>
    self.pipe(Effect.provideService(Tracer.ParentSpan, span), Effect.provideService(Attempt.CurrentTotal, total))
  const note = (count: number) => {
    records += count
    if (what === "call") counted.count(count)
  }
  return { within, note }
})

const annotate = (span: Tracer.Span, records: number, { bytes, requests }: Attempt.Total) => {
  span.attribute("sluice.records", records)
  span.attribute("sluice.requests", requests)
  span.attribute("sluice.bytes", bytes)
}

/** Runs the effect of a call that gives one record, or none of those that are counted. */
export const single = <A, E, R>(
  endpoint: string,
  self: Effect.Effect<A, E, R>,
  size: 0 | 1 = 1
): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const total: Attempt.Total = { requests: 0, bytes: 0 }
    let records = 0
    const counted = Effect.tap(Effect.provideService(self, Attempt.CurrentTotal, total), () => {
      records = size
      return Measure.update(Metrics.records, size, Measure.ofEndpoint(endpoint))
    })
    const note = (span: Tracer.Span) => annotate(span, records, total)
    return Effect.onExit(Spans.within(counted, `sluice.call ${endpoint}`, Measure.ofEndpoint(endpoint), note), (exit) =>
      count(endpoint, exit)
    )
  })
