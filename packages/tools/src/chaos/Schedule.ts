/**
 * A schedule: what is read, how, and which faults its requests meet. The same seed always gives the same schedule.
 */
import { type Account, Field, type Quota } from "@sluice/core"
import { Dialect, type Sandbox } from "@sluice/sandbox"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as Choice from "./Choice.ts"
import * as Faults from "./Faults.ts"
import * as Targets from "./Targets.ts"

/** Where a schedule runs: without sockets on the virtual clock, or over real ones. */
export type World = "memory" | "wire"

/** How the records of a stream are used. */
export type Consumer =
  | { readonly _tag: "All" }
  /** Pauses after every so many records. */
  | { readonly _tag: "Slow"; readonly every: number; readonly millis: number }
  /** Has enough after so many records. */
  | { readonly _tag: "Take"; readonly count: number }
  /** Is interrupted when it has so many records. */
  | { readonly _tag: "Interrupted"; readonly after: number }
  /** Is interrupted after some time, wherever it stands. */
  | { readonly _tag: "TimedOut"; readonly millis: number }

/** One stream, and the faults its requests meet. */
export interface Reading {
  readonly target: Targets.Target
  /** Records as they come, or pages kept together. */
  readonly as: "records" | "pages"
  readonly consumer: Consumer
  /** Arrays read ahead; none when absent. */
  readonly buffer?: number
  /** Milliseconds before it begins. */
  readonly delay: number
  /** Fault of the first request, of the second, and so on; empty for none. */
  readonly faults: ReadonlyArray<string>
  /** Fault of every request after those; empty for none. */
  readonly always: string
}

/** One schedule. */
export interface Schedule {
  readonly seed: number
  readonly world: World
  readonly sandbox: Sandbox.Options & { readonly latency: number }
  readonly client: {
    readonly root: "paid" | "community"
    readonly plan?: Quota.Plan
    readonly parallel: number
    /** Milliseconds, each. */
    readonly firstByte: number
    readonly idle: number
    readonly deprecated: Account.DeprecatedPolicy
    readonly gzip: boolean
    /** Bytes, each. */
    readonly limits: { readonly maxPageBytes: number; readonly maxLineBytes: number }
    readonly retry: { readonly times: number; readonly base: number; readonly cap: number }
  }
  readonly streams: ReadonlyArray<Reading>
}

/** Names of the columns a record can have. */
const fieldsOf = (target: Targets.Target): ReadonlyArray<string> => {
  // Type boundary: the parameters of endpoints known as data only are checked when they are read.
  const record = Targets.endpointOf(target).record(target.content as never)
  return [...Field.allOf(record).keys()]
}

type Any<A> = Arbitrary.Arbitrary<A>

const { chance, int, maybe, pick } = Choice

const consumer = (pause: number): Any<Consumer> =>
  Choice.weighted<Consumer>([
    [50, () => Arbitrary.Constant({ _tag: "All" })],
    [18, () => Arbitrary.all({ _tag: Arbitrary.Constant("Slow"), every: int(5, 60), millis: int(1, pause) })],
    [14, () => Arbitrary.all({ _tag: Arbitrary.Constant("Take"), count: int(1, 80) })],
    [10, () => Arbitrary.all({ _tag: Arbitrary.Constant("Interrupted"), after: int(1, 80) })],
    [8, () => Arbitrary.all({ _tag: Arbitrary.Constant("TimedOut"), millis: int(0, pause * 2) })]
  ])

type Timeouts = Pick<Schedule["client"], "firstByte" | "idle">

const reading = (world: World, timeouts: Timeouts): Any<Reading> =>
  Arbitrary.flatMap(Arbitrary.all([Targets.arbitrary, pick([0.05, 0.2, 0.4, 0.7, 0.95])]), ([target, intensity]) => {
    const context = { world, fields: fieldsOf(target), isPaged: Targets.isPaged(target), ...timeouts }
    return Arbitrary.map(
      Arbitrary.all({
        keepsPages: target.paging.format === undefined ? chance(0.25) : Arbitrary.Constant(false),
        // A slow reader is slower than what the client waits for a stalled service.
        consumer: consumer(world === "memory" ? 2 * timeouts.idle : 20),
        buffer: maybe(0.2, () => pick([1, 2, 16])),
        delay: maybe(0.4, () => int(1, world === "memory" ? 10_000 : 30)),
        faults: Arbitrary.array(Faults.arbitrary(context, intensity), {
          minLength: 1,
          maxLength: world === "memory" ? 20 : 8
        }),
        always: maybe(0.1, () => Faults.arbitrary(context, 1))
      }),
      ({ always = "", buffer, consumer, delay = 0, faults, keepsPages }): Reading => ({
        target,
        // Pages that are turned would come in an order of their own.
        as: keepsPages && !Targets.isTurned(target) ? "pages" : "records",
        consumer,
        ...(buffer === undefined ? {} : { buffer }),
        delay,
        faults,
        always
      })
    )
  })

const plans = ["trial", "default", "download"] as const

/** The open questions to which a schedule may have the less supported answer. */
const open: ReadonlyArray<Dialect.Name> = [
  "retryAfter",
  "countRejected",
  "emptyLastPage",
  "protocolWarnings",
  "rejectedBody"
]

const dialect = (questions: ReadonlyArray<Dialect.Name>): Any<Partial<Dialect.Dialect>> =>
  Choice.record(
    Object.fromEntries(
      questions.map((name) => [name, maybe(0.25, () => pick<string>(Dialect.questions[name].words.slice(1)))])
    )
  )

const memorySandbox: Any<Schedule["sandbox"]> = Arbitrary.map(
  Arbitrary.all([pick(plans), maybe(0.4, () => int(1, 200)), dialect([...open, "rateLimitHeaders"])]),
  ([plan, latency = 0, dialect]) => ({ plan, latency, dialect })
)

// Over a socket nobody waits six seconds for a place in the window.
const wireSandbox: Any<Schedule["sandbox"]> = Arbitrary.map(
  Arbitrary.all([maybe(0.4, () => int(1, 5)), dialect(open)]),
  ([latency = 0, dialect]) => ({ plan: "download" as const, latency, dialect })
)

const mebibyte = 1_048_576

const client = (world: World): Any<Schedule["client"]> => {
  const isMemory = world === "memory"
  // Over a socket this is how long a stalled request takes.
  const timeout = isMemory ? pick([2_000, 5_000, 20_000]) : Arbitrary.Constant(3_000)
  return Arbitrary.map(
    Arbitrary.all({
      isCommunity: chance(isMemory ? 0.12 : 0),
      plan: isMemory ? maybe(0.3, () => pick(plans)) : Arbitrary.Constant("download" as const),
      parallel: pick([10, 4, 2, 1]),
      firstByte: timeout,
      idle: timeout,
      deprecated: Choice.weightedValue<Account.DeprecatedPolicy>([
        [6, "ignore"],
        [3, "warn"],
        [1, "fail"]
      ]),
      gzip: chance(0.5),
      limits: Arbitrary.all({
        maxPageBytes: pick([8 * mebibyte, 2 * mebibyte]),
        maxLineBytes: pick([mebibyte, mebibyte / 2])
      }),
      retry: isMemory
        ? Arbitrary.all({ times: pick([0, 1, 2, 3, 5, 7]), base: pick([1, 250]), cap: pick([50, 20_000]) })
        : Arbitrary.all({ times: pick([0, 1, 2, 3]), base: Arbitrary.Constant(1), cap: Arbitrary.Constant(5) })
    }),
    ({ isCommunity, plan, ...settings }): Schedule["client"] => ({
      root: isCommunity ? "community" : "paid",
      ...(plan === undefined ? {} : { plan }),
      ...settings
    })
  )
}

/** From one stream to five, about two on average; any of them can be left out. */
const streams = (world: World, timeouts: Timeouts): Any<ReadonlyArray<Reading>> => {
  const one = reading(world, timeouts)
  const maybes = [0.9, 0.4, 0.35, 0.25, 0.2].map((probability) => maybe(probability, () => one))
  return Arbitrary.map(Arbitrary.all(maybes), (all) => all.filter((reading) => reading !== undefined)).pipe(
    Arbitrary.filter((all) => all.length > 0)
  )
}

/** Over a socket a request of a busy machine may take seconds. Only where a fault makes a stream wait, the wait has to be short. */
const timeoutsOf = (world: World, { firstByte, idle }: Timeouts, streams: ReadonlyArray<Reading>): Timeouts =>
  world === "memory" || streams.some(({ always, faults }) => /\b(?:stall|slow|drip)/.test([...faults, always].join()))
    ? { firstByte, idle }
    : { firstByte: 60_000, idle: 60_000 }

const ofWorld = (world: World): Any<Omit<Schedule, "seed">> =>
  Arbitrary.flatMap(client(world), (client) =>
    Arbitrary.map(
      Arbitrary.all([
        world === "memory" ? memorySandbox : wireSandbox,
        streams(world, { firstByte: client.firstByte, idle: client.idle })
      ]),
      ([sandbox, streams]) => ({
        world,
        sandbox,
        client: { ...client, ...timeoutsOf(world, client, streams) },
        streams
      })
    )
  )

const ofWorlds = { memory: ofWorld("memory"), wire: ofWorld("wire") }

/** No list of a schedule may be longer. */
export const size = 20

/** Any schedule, named by the seed it is drawn with, which also decides what records there are where that is open. */
export const arbitrary = (seed: number, world: World): Any<Schedule> => {
  const records = Struct.pick(Dialect.draw(seed), Targets.questions)
  return Arbitrary.map(ofWorlds[world], ({ sandbox, ...schedule }) => ({
    seed,
    ...schedule,
    sandbox: { ...sandbox, dialect: { ...records, ...sandbox.dialect } }
  }))
}

/** Draws the schedule of a seed. */
export const draw = (seed: number, world: World): Effect.Effect<Schedule> =>
  Arbitrary.sampleEffect(arbitrary(seed, world), { seed, size, count: 1 }).pipe(
    Effect.map(([schedule]) => schedule!),
    Effect.orDie
  )
