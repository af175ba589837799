/**
 * Tests a program under many orders of its fibers, on a clock of its own, against a stand-in whose faults and delays are drawn.
 *
 * **Details**
 *
 * Each seed is one run. In it the order in which fibers go on, the fault of each request and the time that each takes are
 * choices that follow from the seed alone, and hours pass in milliseconds. A seed that fails, fails again.
 *
 * **Example** (A service that must not lose a record)
 *
 * ```ts
 * program.pipe(Effect.provide(Simulation.layerClient(Client.layer)), Simulation.check({ seeds: 200 }))
 * ```
 *
 * **Gotchas**
 *
 * A run is repeatable as far as the program uses Effect's `Clock`, `Random` and fibers. Files, sockets and timers of Node.js
 * are real: a program that waits for them is taken to be stuck after half a second, and time passes meanwhile.
 *
 * A fiber that another starts at once (`startImmediately`, `concurrency`) may let others go on before its first wait, as after
 * 2,048 operations in Effect: a program that counts on the operations before that wait fails here.
 */
import * as Cause from "effect/Cause"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { dual } from "effect/Function"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as Socket from "effect/socket/Socket"
import * as Choices from "./internal/simulation/Choices.ts"
import * as Run from "./internal/simulation/Run.ts"
import { requestHeader } from "./internal/faults/Grammar.ts"
import * as Sandbox from "./Sandbox.ts"

/** Which runs {@link check} makes, and how far each may go. */
export interface Options {
  /** How many seeds; 200 by default. */
  readonly seeds?: number | undefined
  /** The first of them; 1 by default. */
  readonly from?: number | undefined
  /** The choices of a failure, as its message has them: one run, without a seed's own. */
  readonly choices?: string | undefined
  /** Where the clock of each run begins; `2026-10-01T00:00:00Z` by default. */
  readonly start?: DateTime.DateTime.Input | undefined
  /** The most time that may pass in a run; 7 days by default. */
  readonly within?: Duration.Input | undefined
  /** The most turns of fibers in a run; 5 million by default. */
  readonly turns?: number | undefined
  /** How many runs are made to find the choices that a failure needs; 200 by default, 0 for none. */
  readonly shrink?: number | undefined
}

/** A program failed, was stuck, or did not end under a seed. */
export class SimulationFailed extends Schema.TaggedError<SimulationFailed>()("SimulationFailed", {
  /** The first seed that failed. */
  seed: Schema.Int,
  /** How many seeds had passed before. */
  passed: Schema.Int,
  /** The choices that the failure needs, for `choices`; empty where it needs none, as it fails in every order. */
  choices: Schema.String,
  /** What went wrong. */
  reason: Schema.String,
  /** The failure of the program; absent where it did not end. */
  cause: Schema.optionalKey(Schema.Defect())
}) {
  override get message() {
    const again =
      this.choices === "" ? "It fails in every order." : `Again with { from: ${this.seed}, choices: "${this.choices}" }`
    return `seed ${this.seed} failed after ${this.passed} that passed: ${this.reason}\n${again}`
  }
}

/** What many runs were. */
export interface Report {
  /** How many runs there were. */
  readonly seeds: number
  /** Choices of all runs, and those among them that deviated. */
  readonly choices: number
  /** Choices that deviated from the usual. */
  readonly deviations: number
}

/** How a run failed; nothing where it did not. */
const failureOf = <A, E>(end: Run.End<A, E>): { readonly reason: string; readonly cause?: unknown } | undefined => {
  switch (end._tag) {
    case "Stuck":
      return { reason: "it is stuck: no fiber can go on, and none waits for a time" }
    case "Endless":
      return { reason: `it did not end within ${end.after}` }
    case "Ended": {
      if (Exit.isSuccess(end.exit)) return undefined
      return { reason: Cause.pretty(end.exit.cause), cause: Cause.squash(end.exit.cause) }
    }
  }
}

/** The first line without its numbers: failures alike in it are taken for the same. */
const kindOf = (reason: string) => reason.split("\n", 1)[0]!.replaceAll(/[\da-f]{6,}|\d+/g, "#")

const checkAll = Effect.fnUntraced(function* <A, E, R>(
  program: Effect.Effect<A, E, R>,
  { choices, from = 1, seeds = 200, shrink = 200, start = "2026-10-01", turns = 5_000_000, within = "7 days" }: Options
) {
  const bounds: Run.Bounds = {
    start: DateTime.toEpochMillis(DateTime.makeUnsafe(start)),
    within: Duration.toMillis(within),
    turns
  }
  const once = Effect.fnUntraced(function* (seed: number, made: Choices.Choices) {
    const program_ = Effect.provideService(program, Choices.Current, made)
    return failureOf(yield* Run.run(program_, seed, made, bounds))
  })
  const total = { seeds: 0, choices: 0, deviations: 0 }
  const last = choices === undefined ? from + seeds : from + 1
  for (let seed = from; seed < last; seed++) {
    const made = choices === undefined ? Choices.drawn(seed) : Choices.replayed(Choices.fromText(choices))
    const failed = yield* once(seed, made)
    if (failed !== undefined) {
      const fails = Effect.fnUntraced(function* (deviations: Choices.Deviations) {
        const again = Choices.replayed(deviations)
        const other = yield* once(seed, again)
        return other !== undefined && kindOf(other.reason) === kindOf(failed.reason) ? again.deviations : undefined
      })
      const left = yield* Choices.shrink(made.deviations, shrink, fails)
      return yield* new SimulationFailed({ seed, passed: total.seeds, choices: Choices.toText(left), ...failed })
    }
    total.seeds++
    total.choices += made.count()
    total.deviations += made.deviations.size
  }
  return total satisfies Report
})

/**
 * Runs a program once for each seed, and fails with `SimulationFailed` at the first under which it fails.
 *
 * **Details**
 *
 * Of the choices of that run those are left out, one after another, without which the program fails as well. What the program is
 * given by {@link layerClient} is built anew for every run.
 */
export const check: {
  (options?: Options): <A, E, R>(program: Effect.Effect<A, E, R>) => Effect.Effect<Report, SimulationFailed, R>
  <A, E, R>(program: Effect.Effect<A, E, R>, options?: Options): Effect.Effect<Report, SimulationFailed, R>
} = dual(
  (args) => Effect.isEffect(args[0]),
  <A, E, R>(program: Effect.Effect<A, E, R>, options: Options = {}): Effect.Effect<Report, SimulationFailed, R> =>
    checkAll(program, options)
)

/** Chooses a whole number below a bound, such as after how many records a program is interrupted; 0 outside of {@link check}. */
export const below = (bound: number): Effect.Effect<number> =>
  Effect.map(Choices.Current, (choices) => choices.below(bound, 1 - 1 / bound))

/** Options of {@link layerClient}. */
export interface ClientOptions extends Sandbox.ClientOptions {
  /**
   * The faults of requests, each as `Fault` describes it; those of {@link transient} by default. A `#` in one stands for a drawn
   * number below 5,000.
   */
  readonly faults?: ReadonlyArray<string> | undefined
  /** How many of a hundred requests have one; 10 by default. */
  readonly percent?: number | undefined
}

/** Faults that a client survives, if its retries suffice. */
export const transient: ReadonlyArray<string> = [
  "reset",
  "close",
  "garbage",
  "stall",
  "status=503",
  "status=500;body=html",
  "status=429;retry-after=1",
  "slow=300",
  "reset-after=#",
  "close-after=#",
  "stall-after=#",
  "drip=200"
]

/** Milliseconds that a request may take on its way; the first is what it takes where nothing is chosen. */
const delays = [0, 1, 10, 50, 200, 1_000, 5_000] as const

/** Takes as long as the run has chosen: no time, or up to five seconds. */
export const delay: Effect.Effect<void> = Effect.flatMap(Choices.Current, ({ below }) =>
  Effect.sleep(delays[below(delays.length)]!)
)

/** Changes an `HttpClient` of a stand-in, so that its requests meet the faults and delays that the run has chosen for them. */
export const disturb = (
  http: HttpClient.HttpClient,
  { faults = transient, percent = 10 }: Pick<ClientOptions, "faults" | "percent"> = {}
): HttpClient.HttpClient =>
  http.pipe(
    HttpClient.mapRequestEffect((request) =>
      Effect.map(Choices.Current, ({ below }) => {
        const fault = faults[below(faults.length + 1, percent / 100) - 1]
        if (fault === undefined) return request
        const spec = fault.replaceAll("#", () => String(below(5_000, 1)))
        return HttpClientRequest.setHeader(request, requestHeader, spec)
      })
    ),
    HttpClient.transform((send) => Effect.tap(Effect.andThen(delay, send), delay))
  )

/**
 * Builds a client over a stand-in of its own in memory, as `Sandbox.layerClient` does, whose requests meet faults and delays that
 * the run has chosen.
 */
export const layerClient = <A, E>(
  layer: (given: {
    readonly root: string
    readonly apiKey: Redacted.Redacted
  }) => Layer.Layer<A, E, HttpClient.HttpClient | Socket.WebSocketConstructor>,
  { faults, percent, ...options }: ClientOptions = {}
): Layer.Layer<A | Sandbox.Sandbox | Socket.WebSocketConstructor, E> =>
  Sandbox.layerClient((given) => {
    const http = Effect.map(HttpClient.HttpClient, (http) => disturb(http, { faults, percent }))
    return Layer.provide(layer(given), Layer.effect(HttpClient.HttpClient, http))
  }, options)
