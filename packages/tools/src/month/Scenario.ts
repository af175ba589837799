/**
 * A month as data: what is kept and how, what becomes of the past, and what happens to the sync of each day. The same seed always
 * gives the same month.
 */
import { Dialect, type Sandbox } from "@sluice/sandbox"
import { Effect, Random, Struct } from "effect"
import * as Targets from "./Targets.ts"
import type { Attempt } from "./World.ts"

/** One day: when the sync begins, and what happens before it succeeds. */
export interface Day {
  /** Hours after the midnight of the day. */
  readonly hour: number
  /** Runs before the one that nothing disturbs. */
  readonly attempts: ReadonlyArray<Attempt>
  /** Nobody runs a sync on this day. */
  readonly isMissed: boolean
  /** A second sync follows at once, which finds no news. */
  readonly isRepeated: boolean
}

/** A month. */
export interface Scenario {
  readonly seed: number
  readonly target: string
  readonly format: { readonly as: "ndjson" | "csv" | "parquet"; readonly compression?: "gzip" | "zstd" | undefined }
  readonly layout: {
    readonly byEntity: boolean
    readonly period: "none" | "year" | "month" | "day"
    readonly rows?: number | undefined
  }
  readonly onRemoved: "keep" | "remove"
  readonly concurrency: number
  /** How the past changes; times in milliseconds. */
  readonly history: Sandbox.HistoryOptions & { readonly settles: number }
  /** How the service speaks where it is open which records there are, and what they hold. */
  readonly dialect: Partial<Dialect.Dialect>
  readonly days: ReadonlyArray<Day>
  /** Where it is kept. */
  readonly store: "folder" | "duckdb" | "postgres"
  /**
   * The day from which on the definition has all of a list, or the earlier start, by the parameter; from the first on
   * where absent.
   */
  readonly growth: Targets.Growth
  /** Days on which it is watched before it is synced. */
  readonly watched: ReadonlyArray<number>
}

const dayLength = 86_400_000

/** Days after its time in which a record may change. */
const settles = [2, 5] as const

const int = (from: number, to: number) => Random.nextIntBetween(from, to, { halfOpen: false })

const pick = <A>(items: ReadonlyArray<A>) => Effect.map(int(0, items.length - 1), (at) => items[at]!)

const chance = (share: number) => Effect.map(Random.next, (drawn) => drawn < share)

const fault = Effect.flatMap(int(0, 9), (n) =>
  Effect.map(
    int(0, 40),
    (record) =>
      [
        "status=503",
        "status=500;body=html",
        "status=502;body=empty",
        "reset",
        "close",
        `reset-after=record:${record}`,
        `close-after=within:${record};framing=length`,
        "garbage",
        `truncate-after=within:${record}`,
        "slow=3"
      ][n]!
  )
)

/** Most requests meet nothing. */
const faults = Effect.gen(function* () {
  const some: Array<string> = []
  const count = yield* int(1, 12)
  for (let n = 0; n < count; n++) some.push((yield* chance(0.4)) ? yield* fault : "")
  return some
})

const attempt = Effect.gen(function* () {
  const kind = yield* int(0, 5)
  const own: Attempt = { faults: (yield* chance(0.5)) ? yield* faults : [], always: "" }
  // As likely at the few first steps as at the many that follow.
  const at = Math.floor(Math.exp((yield* Random.next) * Math.log(400)))
  switch (kind) {
    case 0:
      return { ...own, always: yield* pick(["status=503", "reset"]) }
    case 1:
      return { ...own, interrupted: yield* int(0, 6) }
    case 2:
      return { ...own, strike: { kind: "full" as const, at } }
    default:
      return { ...own, strike: { kind: "killed" as const, at } }
  }
})

const day = Effect.gen(function* () {
  const attempts: Array<Attempt> = []
  while (attempts.length < 3 && (yield* chance(0.35))) attempts.push(yield* attempt)
  return {
    hour: yield* int(0, 23),
    attempts,
    isMissed: yield* chance(0.08),
    isRepeated: yield* chance(0.15)
  } satisfies Day
})

/** Draws the month of a seed, or of another place. */
export const draw = (seed: number, place?: Scenario["store"]): Effect.Effect<Scenario> =>
  Effect.gen(function* () {
    // Neighbouring seeds are of different targets, so that a few of them are of each.
    const target = Targets.all[seed % Targets.all.length]!
    const as = yield* pick(["ndjson", "csv", "parquet"] as const)
    const compression = as !== "parquet" && (yield* chance(0.3)) ? yield* pick(["gzip", "zstd"] as const) : undefined
    const settled = yield* pick(settles)
    const days: Array<Day> = []
    for (let n = 0; n < target.days; n++) days.push(yield* day)
    const drawn = {
      seed,
      dialect: Struct.pick(Dialect.draw(seed), ["limit", "noValue", "flatCandles"]),
      target: target.name,
      format: { as, ...(compression === undefined ? {} : { compression }) },
      layout: {
        byEntity: yield* chance(0.7),
        period: yield* pick(["none", "year", "month", "day"] as const),
        ...((yield* chance(0.2)) ? { rows: yield* int(5, 200) } : {})
      },
      onRemoved: yield* pick(["keep", "remove"] as const),
      concurrency: yield* pick([1, 2, 10]),
      history: {
        seed: yield* int(1, 1_000_000),
        settles: settled * dayLength,
        fills: (target.isGrid && (yield* chance(0.4)) ? 12 : settled) * dayLength,
        renamed: "unknown" as const
      },
      days
    }
    const growth: Record<string, number> = {}
    for (const kind of Object.keys(target.fewer)) {
      if (yield* chance(0.3)) growth[kind] = yield* int(1, Math.min(9, target.days - 1))
    }
    const watched = (yield* chance(0.4)) ? [yield* int(1, Math.min(9, target.days - 1))] : []
    const store = place ?? (yield* pick(["folder", "folder", "folder", "duckdb", "postgres"] as const))
    // A table has one of the numbers of Parquet, and no files.
    const table = { format: { as: "parquet" }, layout: { byEntity: true, period: "none" } } as const
    return { ...drawn, ...(store === "folder" ? {} : table), store, growth, watched }
  }).pipe(Random.withSeed(seed))

/** The same month without what disturbs it, before a day. */
export const calm = (self: Scenario, before = Number.POSITIVE_INFINITY): Scenario => ({
  ...self,
  days: self.days.map((day, n) => (n < before ? { ...day, attempts: [], isRepeated: false } : day)),
  watched: self.watched.filter((n) => n >= before)
})

/** The same month with its first days alone. */
export const shortened = (self: Scenario, days: number | undefined): Scenario => ({
  ...self,
  days: self.days.slice(0, days)
})
