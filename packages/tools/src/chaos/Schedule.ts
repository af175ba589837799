/**
 * A schedule: what is read, how, and which faults its requests meet. The same seed always gives the same schedule.
 */
import { type Account, Field, type Quota } from "@sluice/core"
import { Dialect, type Sandbox } from "@sluice/sandbox"
import { Struct } from "effect"
import * as Draw from "../../../core/test/Draw.ts"
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
  readonly buffer?: number | undefined
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

/** Every fault of a stream, one of each spec. */
export const specsOf = ({ always, faults }: Reading): ReadonlyArray<string> =>
  [...faults, always].filter((spec) => spec !== "").flatMap((spec) => spec.split(","))

const consumer = (draw: Draw.Draw, pause: number): Consumer =>
  Choice.weighted<Consumer>(draw, [
    [50, () => ({ _tag: "All" })],
    [18, () => ({ _tag: "Slow", every: Choice.int(draw, 5, 60), millis: Choice.int(draw, 1, pause) })],
    [14, () => ({ _tag: "Take", count: Choice.int(draw, 1, 80) })],
    [10, () => ({ _tag: "Interrupted", after: Choice.int(draw, 1, 80) })],
    [8, () => ({ _tag: "TimedOut", millis: Choice.int(draw, 0, pause * 2) })]
  ])

const reading = (draw: Draw.Draw, world: World, { firstByte, idle }: Schedule["client"]): Reading => {
  const isMemory = world === "memory"
  const target = Targets.draw(draw)
  // Type boundary: the parameters of endpoints known as data only are checked when they are read.
  const fields = [...Field.allOf(Targets.endpointOf(target).record(target.content as never)).keys()]
  const context = { world, fields, isPaged: Targets.isPaged(target), firstByte, idle }
  const intensity = draw.one([0.05, 0.2, 0.4, 0.7, 0.95])
  return {
    target,
    // Pages that are turned would come in an order of their own.
    as: target.paging.format === undefined && draw.chance(0.25) && !Targets.isTurned(target) ? "pages" : "records",
    // A slow reader is slower than what the client waits for a stalled service.
    consumer: consumer(draw, isMemory ? 2 * idle : 20),
    buffer: Choice.maybe(draw, 0.2, () => draw.one([1, 2, 16])),
    delay: Choice.maybe(draw, 0.4, () => Choice.int(draw, 1, isMemory ? 10_000 : 30)) ?? 0,
    faults: Array.from({ length: Choice.int(draw, 1, isMemory ? 20 : 8) }, () => Faults.draw(draw, context, intensity)),
    always: Choice.maybe(draw, 0.1, () => Faults.draw(draw, context, 1)) ?? ""
  }
}

const plans = ["trial", "default", "download"] as const

/** The open questions to which a schedule may have the less supported answer. */
const open: ReadonlyArray<Dialect.Name> = [
  "retryAfter",
  "countRejected",
  "emptyLastPage",
  "protocolWarnings",
  "rejectedBody"
]

const dialect = (draw: Draw.Draw, questions: ReadonlyArray<Dialect.Name>): Partial<Dialect.Dialect> =>
  Choice.record(
    Object.fromEntries(
      questions.map((name) => [
        name,
        Choice.maybe(draw, 0.25, () => draw.one<string>(Dialect.questions[name].words.slice(1)))
      ])
    )
  )

const sandbox = (draw: Draw.Draw, world: World): Schedule["sandbox"] =>
  world === "memory"
    ? {
        plan: draw.one(plans),
        latency: Choice.maybe(draw, 0.4, () => Choice.int(draw, 1, 200)) ?? 0,
        dialect: dialect(draw, [...open, "rateLimitHeaders"])
      }
    : // Over a socket nobody waits six seconds for a place in the window.
      {
        plan: "download",
        latency: Choice.maybe(draw, 0.4, () => Choice.int(draw, 1, 5)) ?? 0,
        dialect: dialect(draw, open)
      }

const mebibyte = 1_048_576

const client = (draw: Draw.Draw, world: World): Schedule["client"] => {
  const isMemory = world === "memory"
  const plan = isMemory ? Choice.maybe(draw, 0.3, () => draw.one(plans)) : "download"
  return {
    root: isMemory && draw.chance(0.12) ? "community" : "paid",
    ...(plan === undefined ? {} : { plan }),
    parallel: draw.one([10, 4, 2, 1]),
    // Over a socket this is how long a stalled request takes.
    firstByte: isMemory ? draw.one([2_000, 5_000, 20_000]) : 3_000,
    idle: isMemory ? draw.one([2_000, 5_000, 20_000]) : 3_000,
    deprecated: draw.one(["ignore", "ignore", "ignore", "ignore", "ignore", "ignore", "warn", "warn", "warn", "fail"]),
    gzip: draw.chance(0.5),
    limits: {
      maxPageBytes: draw.one([8 * mebibyte, 2 * mebibyte]),
      maxLineBytes: draw.one([mebibyte, mebibyte / 2])
    },
    retry: isMemory
      ? { times: draw.one([0, 1, 2, 3, 5, 7]), base: draw.one([1, 250]), cap: draw.one([50, 20_000]) }
      : { times: draw.one([0, 1, 2, 3]), base: 1, cap: 5 }
  }
}

/** Over a socket a request of a busy machine may take seconds. Only where a fault makes a stream wait, the wait has to be short. */
const patient = { firstByte: 60_000, idle: 60_000 }

const isWaiting = (reading: Reading) => specsOf(reading).some((spec) => /^(?:stall|slow|drip)/.test(spec))

/** Draws the schedule of a seed, which also decides what records there are where that is open: of one stream to five. */
export const draw = (seed: number, world: World): Schedule => {
  const draw = Draw.from(seed)
  const own = client(draw, world)
  const streams = Array.from({ length: draw.one([1, 1, 1, 2, 2, 2, 3, 3, 4, 5]) }, () => reading(draw, world, own))
  const service = sandbox(draw, world)
  return {
    seed,
    world,
    sandbox: { ...service, dialect: { ...Struct.pick(Dialect.draw(seed), Targets.questions), ...service.dialect } },
    client: world === "memory" || streams.some(isWaiting) ? own : { ...own, ...patient },
    streams
  }
}
