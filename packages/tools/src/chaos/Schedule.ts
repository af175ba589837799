/**
 * A schedule: what is read, how, and which faults are met on the way. Data that follows from one number.
 */
import type { Account, Quota } from "@sluice/core"
import type { Sandbox } from "@sluice/sandbox"
import type * as Schema from "effect/Schema"
import * as Dice from "./Dice.ts"
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
  readonly begins: number
  /** Fault of the first request, of the second, and so on; empty for none. */
  readonly faults: ReadonlyArray<string>
  /** Fault of every request after those; empty for none. */
  readonly forever: string
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
export const fieldsOf = (target: Targets.Target): ReadonlyArray<string> => {
  // Type boundary: the schema of a record follows from the content, and every one is a struct.
  const record = Targets.endpointOf(target).record(target.content as never) as Schema.Struct<Schema.Struct.Fields>
  return Object.keys(record.fields)
}

const drawConsumer = (dice: Dice.Dice, pause: number): Consumer =>
  dice.weighted<() => Consumer>([
    [50, () => ({ _tag: "All" })],
    [18, () => ({ _tag: "Slow", every: dice.int(5, 60), millis: dice.int(1, pause) })],
    [14, () => ({ _tag: "Take", count: dice.int(1, 80) })],
    [10, () => ({ _tag: "Interrupted", after: dice.int(1, 80) })],
    [8, () => ({ _tag: "TimedOut", millis: dice.int(0, pause * 2) })]
  ])()

const drawReading = (
  dice: Dice.Dice,
  world: World,
  limits: Pick<Schedule["client"], "firstByte" | "idle">
): Reading => {
  const target = Targets.draw(dice)
  const drawing = { dice, world, fields: fieldsOf(target), isPaged: Targets.isPaged(target), ...limits }
  const intensity = dice.pick([0.05, 0.2, 0.4, 0.7, 0.95])
  const requests = dice.int(1, world === "memory" ? 20 : 8)
  return {
    target,
    as: target.form.format === undefined && dice.chance(0.25) ? "pages" : "records",
    // A slow reader is slower than what the client waits for a stalled service.
    consumer: drawConsumer(dice, world === "memory" ? 2 * limits.idle : 20),
    ...(dice.chance(0.2) ? { buffer: dice.pick([1, 2, 16]) } : {}),
    begins: dice.chance(0.6) ? 0 : dice.int(1, world === "memory" ? 10_000 : 30),
    faults: Array.from({ length: requests }, () => (dice.chance(intensity) ? Faults.draw(drawing) : "")),
    forever: dice.chance(0.1) ? Faults.draw(drawing) : ""
  }
}

const plans = ["trial", "default", "download"] as const

const drawSandbox = (dice: Dice.Dice, world: World): Schedule["sandbox"] => ({
  // Over a socket nobody waits six seconds for a place.
  plan: world === "wire" ? "download" : dice.pick(plans),
  latency: dice.chance(0.6) ? 0 : dice.int(1, world === "memory" ? 200 : 5),
  ...(dice.chance(0.25) && world === "memory"
    ? { rateLimitHeaders: dice.pick(["plain", "none", "malformed"] as const) }
    : {}),
  ...(dice.chance(0.2) ? { retryAfter: true } : {}),
  ...(dice.chance(0.1) ? { countRejected: true } : {}),
  ...(dice.chance(0.3) ? { emptyLastPage: true } : {}),
  ...(dice.chance(0.2) ? { protocolWarnings: dice.pick(["array", "plural"] as const) } : {}),
  ...(dice.chance(0.1) ? { rejectedBody: "html" as const } : {})
})

const mebibyte = 1_048_576

const drawClient = (dice: Dice.Dice, world: World): Schedule["client"] => {
  const isMemory = world === "memory"
  // Over a socket, longer than a busy machine may keep a reply waiting that nothing holds back.
  const wait = () => (isMemory ? dice.pick([2_000, 5_000, 20_000]) : 400)
  return {
    root: isMemory && dice.chance(0.12) ? "community" : "paid",
    ...(isMemory && dice.chance(0.7) ? {} : { plan: isMemory ? dice.pick(plans) : "download" }),
    parallel: dice.pick([1, 2, 4, 10]),
    firstByte: wait(),
    idle: wait(),
    deprecated: dice.weighted<Account.DeprecatedPolicy>([
      [6, "ignore"],
      [3, "warn"],
      [1, "fail"]
    ]),
    gzip: dice.chance(0.5),
    limits: { maxPageBytes: dice.pick([2, 8]) * mebibyte, maxLineBytes: dice.pick([0.5, 1]) * mebibyte },
    retry: isMemory
      ? { times: dice.pick([0, 1, 2, 3, 5, 7]), base: dice.pick([1, 250]), cap: dice.pick([50, 20_000]) }
      : { times: dice.pick([0, 1, 2, 3]), base: 1, cap: 5 }
  }
}

/** Draws the schedule of a seed. */
export const draw = (seed: number, world: World): Schedule => {
  const dice = Dice.make(seed)
  const client = drawClient(dice, world)
  const count = dice.weighted([
    [5, 1],
    [4, 2],
    [2, 3],
    [1, 4],
    [1, 5]
  ])
  return {
    seed,
    world,
    client,
    sandbox: drawSandbox(dice, world),
    streams: Array.from({ length: count }, () => drawReading(dice, world, client))
  }
}
