import { type ApiError, Client, Retry, Timeseries, TokenMetrics } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"

/** Three attempts in all, without a noticeable wait. */
export const fast = Retry.make({ base: "1 millis", times: 2 })

/** The settings of most tests: the key everybody knows, and retries that do not take long. */
export const settings = { apiKey: Redacted.make("demo-key"), retry: fast } satisfies NodeClient.Options

/** Runs a program with a client of its own, over real sockets, for the paid root of the sandbox. */
export const withClient = <A, E, R>(program: Effect.Effect<A, E, R>, options: NodeClient.Options = {}) =>
  Effect.flatMap(Sandbox.Sandbox, ({ url }) =>
    Effect.provide(program, NodeClient.layer({ root: url, ...settings, ...options }))
  )

/** Runs a program with a client of its own, against a root that misbehaves as the spec says. */
export const underFault = <A, E, R>(spec: string, program: Effect.Effect<A, E, R>, options: NodeClient.Options = {}) =>
  Effect.flatMap(Sandbox.Sandbox, (sandbox) => withClient(program, { root: sandbox.faultUrl(spec), ...options }))

/** A quarter of daily values of three assets: 273 records. */
export const quarter = {
  assets: ["eth", "etc", "sol"],
  metrics: TokenMetrics.all,
  start_time: "2024-01-01",
  end_time: "2024-03-31"
} as const

/** The quarter, in pages of fifty. */
export const paged = Timeseries.assetMetrics({ ...quarter, page_size: 50 })

/** The quarter, one record a line. */
export const streamed = Timeseries.assetMetrics({ ...quarter, format: "json_stream" })

/** About 70,000 records, so that a body is still arriving while a test looks. */
export const large = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD"],
  frequency: "1m",
  start_time: "2024-01-01",
  end_time: "2024-01-24"
} as const

/** What a stream gave until it ended, and how it ended. */
export interface Outcome<A, E> {
  readonly records: ReadonlyArray<A>
  readonly error: E | undefined
}

/** Reads a stream to its end and keeps what came before a failure. */
export const outcome = <A, E, R>(self: Stream.Stream<A, E, R>): Effect.Effect<Outcome<A, E>, never, R> =>
  Effect.suspend(() => {
    const records: Array<A> = []
    return self.pipe(
      Stream.runForEach((record) => Effect.sync(() => records.push(record))),
      Effect.match({
        onFailure: (error): Outcome<A, E> => ({ records, error }),
        onSuccess: (): Outcome<A, E> => ({ records, error: undefined })
      })
    )
  })

/** Waits until a condition holds; the test's own time limit bounds it. */
export const until = <A, E, R>(effect: Effect.Effect<A, E, R>, isTrue: (a: A) => boolean) =>
  Effect.repeat(Effect.delay(effect, "2 millis"), { until: isTrue })

/** Runs a program on the test clock, a quarter of a second after the other, until it ends. */
export const inVirtualTime = <A, E, R>(program: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(program)
    yield* Effect.repeat(TestClock.adjust("250 millis"), { until: () => fiber.pollUnsafe() !== undefined })
    return yield* Fiber.join(fiber)
  })

/** The fields of an error that a handler decides on. */
export const summary = (error: ApiError.ApiError | undefined) =>
  error === undefined
    ? undefined
    : {
        _tag: error._tag,
        ...("phase" in error ? { phase: error.phase, attempts: error.attempts } : {}),
        ...("status" in error && error.status !== undefined ? { status: error.status } : {})
      }

/** The quota of the client in force. */
export const inFlight = Effect.map(Client.quota, (quota) => quota.inFlight)
