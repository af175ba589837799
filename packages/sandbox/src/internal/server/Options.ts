/** How a stand-in behaves where the interface leaves room. */
import * as Duration from "effect/Duration"
import * as DateTime from "effect/DateTime"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { TODAY } from "../time/Calendar.ts"
import type { History } from "../history/History.ts"
import type { Pace } from "../live/DataClock.ts"
import * as Dialect from "../../Dialect.ts"
import * as Plan from "../../Plan.ts"

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
  /**
   * How many blocks a chain leaves at once, at most. 1 by default: then HTTP has only blocks that stay. With more, chains often fork, and
   * HTTP has the blocks that were followed at its time.
   */
  readonly forks?: number
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
  /** Metrics that are refused as unknown from an instant on. */
  readonly retired?: Readonly<Record<string, DateTime.DateTime.Input>>
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

interface Defaults extends Required<Omit<Options, "catalogMarkets">> {
  readonly catalogMarkets: number | undefined
  readonly dialect: Dialect.Dialect
  readonly live: Required<LiveOptions>
  readonly history: Required<HistoryOptions>
  readonly streams: Required<StreamOptions>
}

/** What holds where an option is not given. Its names are all that there are. */
const defaults: Defaults = {
  port: 0,
  host: "127.0.0.1",
  plan: "download",
  keys: {},
  latency: 0,
  prepared: false,
  dialect: Dialect.usual,
  catalogMarkets: undefined,
  live: { from: "2026-10-01", speed: 1, httpLag: "2 seconds", jitter: 0, httpJitter: 0, forks: 1 },
  history: { seed: 1, since: "2026-09-01", settles: "5 days", fills: "12 days", renamed: "alias", retired: {} },
  streams: { connections: 200, queue: 4096, pingEvery: "20 seconds", journal: 100_000 },
  jobTime: "1 second",
  resultTime: "1 day"
}

/** An option that the stand-in does not have. */
export class UnknownOption extends Schema.TaggedError<UnknownOption>()("UnknownOption", {
  /** Its path, such as `live.sped`. */
  option: Schema.String,
  /** Those that there are at its place. */
  known: Schema.Array(Schema.String)
}) {
  override get message() {
    return `${this.option}: is no option of the stand-in; there are ${this.known.join(", ")}`
  }
}

/** Fills in what is not given. A slip in a name, where no compiler has seen it, would be as if the option was not given. */
const filled = <O extends object>(all: O, given: object | boolean | undefined, within: string): O => {
  if (!Predicate.isObject(given)) return all
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(all, name))
  if (unknown !== undefined) throw new UnknownOption({ option: `${within}${unknown}`, known: Object.keys(all) })
  return { ...all, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}

/** Reads an instant; a text that is none stands for the default. */
const instant = (input: DateTime.DateTime.Input, otherwise: DateTime.DateTime.Input): number =>
  DateTime.toEpochMillis(Option.getOrElse(DateTime.make(input), () => DateTime.makeUnsafe(otherwise)))

const paceOf = ({ forks, from, httpJitter, httpLag, jitter, speed }: Required<LiveOptions>): Pace => ({
  from: Math.min(TODAY, instant(from, defaults.live.from)),
  speed,
  httpLag: Duration.fromInputUnsafe(httpLag),
  forks,
  jitter: { live: Duration.toMillis(jitter), http: Duration.toMillis(httpJitter) }
})

const historyOf = ({ fills, retired, settles, since, ...others }: Required<HistoryOptions>): History => ({
  ...others,
  retired: new Map(Object.entries(retired).map(([metric, at]) => [metric, instant(at, defaults.history.since)])),
  since: instant(since, defaults.history.since),
  settles: Duration.toMillis(settles),
  fills: Duration.toMillis(fills)
})

const isOn = (option: boolean | object | undefined) => option !== undefined && option !== false

/** Options with their defaults filled in; times are in milliseconds. */
export type Settings = ReturnType<typeof settle>

/** Fills in the defaults. Throws `UnknownOption` where an option is unknown: that is a fault of the program. */
export const settle = (options: Options) => {
  const own = filled(defaults, options, "")
  const streams = filled(defaults.streams, options.streams, "streams.")
  return {
    ...own,
    latency: Duration.fromInputUnsafe(own.latency),
    keys: new Map<string, Plan.Key>(Object.entries({ ...Plan.keys, "demo-key": { plan: own.plan }, ...own.keys })),
    dialect: filled(defaults.dialect, options.dialect, "dialect."),
    live:
      isOn(options.live) || isOn(options.history) ? paceOf(filled(defaults.live, options.live, "live.")) : undefined,
    history: isOn(options.history) ? historyOf(filled(defaults.history, options.history, "history.")) : undefined,
    streams: { ...streams, pingEvery: Duration.toMillis(streams.pingEvery) },
    jobTime: Duration.toMillis(own.jobTime),
    resultTime: Duration.toMillis(own.resultTime)
  }
}
