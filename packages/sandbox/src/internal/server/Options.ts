/**
 * How a stand-in behaves where the interface leaves room.
 */
import * as Duration from "effect/Duration"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import { TODAY, at } from "../time/Calendar.ts"
import type { History } from "../history/History.ts"
import type { Pace } from "../live/DataClock.ts"
import * as Dialect from "../../Dialect.ts"
import type * as Plan from "../../Plan.ts"

/** How time passes in the data; every option has a default. */
export interface LiveOptions {
  /** The present of the data when the stand-in starts; `2026-10-01T00:00:00Z` by default. The data ends with October 2026. */
  readonly from?: DateTime.DateTime.Input
  /** How much faster than the clock time passes in the data; 1 by default. */
  readonly speed?: number
  /** How much later than over a live stream a record is seen over HTTP, in the time of the data; 2 seconds by default. */
  readonly httpLag?: Duration.Input
  /**
   * Records are published over live streams up to so much later than at their own instants, each at a delay of its own and so in
   * another order than that of their times. None by default. Blocks and updates of order books tell what changed since the one
   * before, and are published without delay.
   */
  readonly jitter?: Duration.Input
  /** Records are shown over HTTP up to so much later than `httpLag` after they were published, each at a delay of its own. */
  readonly httpJitter?: Duration.Input
}

/** How the past of the data changes; every option has a default. */
export interface HistoryOptions {
  /** What is drawn is drawn from this number: the same one gives the same history. 1 by default. */
  readonly seed?: number
  /** Records of before this instant have settled; `2026-09-01T00:00:00Z` by default. */
  readonly since?: DateTime.DateTime.Input
  /**
   * How long after its own time a record may be corrected, or taken back, and one that is missing may come; 5 days by default.
   */
  readonly settles?: Duration.Input
  /** How long after its own time one record in three that are missing for some time may come; 12 days by default. */
  readonly fills?: Duration.Input
  /** What the old name of a renamed asset is: an alias, as documented and by default, or a name that is refused. */
  readonly renamed?: "alias" | "unknown"
}

/** How live streams behave; every option has a default. */
export interface StreamOptions {
  /** How many connections one key may have; 200 by default. */
  readonly connections?: number
  /** How many frames may wait for a reader before its connection is ended; 4096 by default. */
  readonly queue?: number
  /** The time from one ping to the next; 20 seconds by default. */
  readonly pingEvery?: Duration.Input
  /** How many frames the journal keeps, of all connections together; 100,000 by default. */
  readonly journal?: number
}

/** Options of a stand-in; every one has a default. */
export interface Options {
  /** Port to listen on; a free one by default. */
  readonly port?: number
  /** Address to listen on; `127.0.0.1` by default. */
  readonly host?: string
  /** Plan of the key `demo-key`; `download` by default. */
  readonly plan?: Plan.Paid
  /** More keys, beside the well-known ones. */
  readonly keys?: Readonly<Record<string, Plan.Key>>
  /** How long every reply takes before its first byte; no time by default. */
  readonly latency?: Duration.Input
  /** Writes each distinct reply once and serves it from memory afterwards; for benchmarks. */
  readonly prepared?: boolean
  /** Answers to the open questions about the service; the better supported ones by default. */
  readonly dialect?: Partial<Dialect.Dialect>
  /** How many markets `/catalog-all/markets` lists; those of the reference data by default. The service has about 170,000. */
  readonly catalogMarkets?: number
  /**
   * Lets time pass in the data: live streams send what is published, and time series over HTTP grow. Off by default: then
   * the present is the end of the data, and a live stream sends the last records and nothing more.
   */
  readonly live?: boolean | LiveOptions
  /**
   * Lets the past change as time passes, which is then `live`: records are published later than at their own time, holes
   * are filled or stay, values are reviewed, corrected and taken back, assets and markets are added, renamed and dropped,
   * and catalogs show it. What is drawn follows from its seed and the present alone. Off by default.
   *
   * **Gotchas**
   *
   * It is about time series, catalogs and reference data over HTTP. Live streams send records as they end, at their time.
   */
  readonly history?: boolean | HistoryOptions
  /** How live streams behave. */
  readonly streams?: StreamOptions
  /** How long a job runs; a second by default. */
  readonly jobTime?: Duration.Input
  /** How long the results of a completed job are kept; a day by default. */
  readonly resultTime?: Duration.Input
}

/** Options with their defaults filled in. */
export interface Settings extends Required<
  Omit<
    Options,
    | "latency"
    | "keys"
    | "dialect"
    | "plan"
    | "catalogMarkets"
    | "live"
    | "history"
    | "streams"
    | "jobTime"
    | "resultTime"
  >
> {
  readonly dialect: Dialect.Dialect
  /** Milliseconds. */
  readonly jobTime: number
  /** Milliseconds. */
  readonly resultTime: number
  readonly latency: Duration.Duration
  readonly keys: ReadonlyMap<string, Plan.Key>
  readonly catalogMarkets: number | undefined
  readonly live: Pace | undefined
  readonly history: History | undefined
  readonly streams: {
    readonly connections: number
    readonly queue: number
    /** In milliseconds. */
    readonly pingEvery: number
    readonly journal: number
  }
}

const instant = (input: DateTime.DateTime.Input | undefined, otherwise: string): number =>
  Option.match(input === undefined ? Option.none() : DateTime.make(input), {
    onNone: () => at(otherwise),
    onSome: DateTime.toEpochMillis
  })

const pace = ({ from, httpJitter, httpLag, jitter, speed }: LiveOptions): Pace => ({
  from: Math.min(TODAY, instant(from, "2026-10-01")),
  speed: speed ?? 1,
  httpLag: Duration.fromInputUnsafe(httpLag ?? "2 seconds"),
  jitter: { live: Duration.toMillis(jitter ?? 0), http: Duration.toMillis(httpJitter ?? 0) }
})

const historyOf = ({ fills, renamed, seed, settles, since }: HistoryOptions): History => ({
  seed: seed ?? 1,
  since: instant(since, "2026-09-01"),
  settles: Duration.toMillis(settles ?? "5 days"),
  fills: Duration.toMillis(fills ?? "12 days"),
  renamed: renamed ?? "alias"
})

/** Options of something that is on or off: those of its own, none where it is just on. */
const when = <A extends object>(option: boolean | A | undefined): A | Record<string, never> | undefined =>
  option === undefined || option === false ? undefined : option === true ? {} : option

/** Fills in the defaults. */
export const settle = (options: Options, known: Readonly<Record<string, Plan.Key>>): Settings => ({
  port: options.port ?? 0,
  host: options.host ?? "127.0.0.1",
  latency: Duration.fromInputUnsafe(options.latency ?? 0),
  prepared: options.prepared ?? false,
  dialect: Dialect.make(options.dialect),
  catalogMarkets: options.catalogMarkets,
  live: Option.getOrUndefined(
    Option.map(Option.fromUndefinedOr(when(options.live) ?? (when(options.history) && {})), pace)
  ),
  history: Option.getOrUndefined(Option.map(Option.fromUndefinedOr(when(options.history)), historyOf)),
  streams: {
    connections: options.streams?.connections ?? 200,
    queue: options.streams?.queue ?? 4096,
    pingEvery: Duration.toMillis(options.streams?.pingEvery ?? "20 seconds"),
    journal: options.streams?.journal ?? 100_000
  },
  jobTime: Duration.toMillis(options.jobTime ?? "1 second"),
  resultTime: Duration.toMillis(options.resultTime ?? "1 day"),
  keys: new Map(Object.entries({ ...known, "demo-key": { plan: options.plan ?? "download" }, ...options.keys }))
})
