/** What a case reads, and what it has to show for it. Free of Effect: the hand-written cases load this too. */

/** The kinds of record, and where each is read: all that is said of a request beside its entities and times. */
export const kinds = {
  metrics: { path: "/timeseries/asset-metrics", entities: "assets", frequency: "1m", touched: "PriceUSD" },
  /** Metrics with white space between tokens. */
  spaced: { path: "/timeseries/asset-metrics", entities: "assets", frequency: "1m", touched: "PriceUSD" },
  trades: { path: "/timeseries/market-trades", entities: "markets", touched: "price" },
  candles: { path: "/timeseries/market-candles", entities: "markets", frequency: "1m", touched: "price_close" },
  /** Order books of a hundred levels on each side. */
  books: { path: "/timeseries/market-orderbooks", entities: "markets", pageSize: 500, touched: "database_time" },
  markets: { path: "/reference-data/markets", include: "talos", touched: "symbol" },
  /** Assets of which one in ten has a name outside ASCII. */
  names: { path: "/reference-data/assets", touched: "full_name" },
  /** Assets of which all have. */
  foreign: { path: "/reference-data/assets", touched: "full_name" },
  /** Assets whose names are written with escapes. */
  escaped: { path: "/reference-data/assets", touched: "full_name" }
} as const satisfies Readonly<Record<string, KindOf>>

interface KindOf {
  readonly path: string
  /** The parameter that lists entities; absent for a list of everything. */
  readonly entities?: "assets" | "markets"
  readonly frequency?: string
  readonly include?: string
  /** Records of a page; 10,000 when absent. */
  readonly pageSize?: number
  /** The field that is read of each record. */
  readonly touched: string
}

export type Kind = keyof typeof kinds

export const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name)

export const kindOf = ({ kind = "metrics" }: Pick<Workload, "kind">): KindOf => kinds[kind]

/** Some entities: as many records of each, one a minute, from one minute on. */
export interface Workload {
  /** Asset metrics when absent. */
  readonly kind?: Kind
  readonly assets: ReadonlyArray<string>
  /** First minute. */
  readonly start: string
  /** Records of each asset. */
  readonly rows: number
  /** The columns to read, `PriceUSD` among them; three long decimals when absent. */
  readonly metrics?: ReadonlyArray<string>
  /** A PostgreSQL to write into, and its program that does. */
  readonly database?: { readonly url: string; readonly psql: string }
  readonly gzip?: boolean
  /** Live: milliseconds between two frames; all at once when absent. */
  readonly pace?: number
  /** Live: frames at once to warm up with, 0 for a process that has read nothing; a share of what is read when absent. */
  readonly warmUp?: number
  /** How often all of it is read, before it is measured and then, where that is not once after a part of it. */
  readonly times?: { readonly warmUp: number; readonly measured: number }
  /** Megabytes of objects that the process holds, since when V8 collects garbage depends on them; none when absent. */
  readonly held?: number
}

/** A live trade as the bare loop believes it to be. When frames are paced, `amount` is the moment it was sent. */
export interface Trade {
  readonly price?: string | null
  readonly amount?: string | null
}

/** A record as the hand-written cases believe it to be. */
export type Rows = ReadonlyArray<Readonly<Record<string, unknown>>>

/** What a case has seen: how many records, and how long one field of all of them is. */
export interface Seen {
  records: number
  touched: number
  /** Median seconds between sending and reading; only of paced frames. */
  latency?: number | undefined
  /** What a process took that read in place of the case. */
  process?: Process | undefined
}

export interface Process {
  /** Seconds of processor time. */
  readonly cpu: number
  /** The most memory it held, in bytes. */
  readonly peak: number
}

/** A case, ready to read with warm connections. */
export interface Reader {
  readonly read: (workload: Workload) => Promise<Seen>
  readonly close: () => Promise<void>
}

/** A key of a plan that the paces of these cases never reach. */
export const apiKey = "sandbox-download"
/** The columns of a workload. By default, with the asset and the time, five fields and about 150 bytes a record. */
export const metricsOf = ({ metrics = ["PriceUSD", "ReferenceRateUSD", "ReferenceRateEUR"] }: Workload) =>
  // Type boundary: every workload reads the price, and no case touches another column.
  metrics as ReadonlyArray<"PriceUSD">
export const frequency = "1m"
export const pageSize = 10_000

/** The most records of a page of a workload. */
export const pageSizeOf = (workload: Pick<Workload, "kind">): number => kindOf(workload).pageSize ?? pageSize

/** Where the data of `Replies.ts` ends, behind that of every case that names an end. */
export const end = "2026-01-01T00:00:00Z"

/** So many minutes before that. */
export const before = (rows: number): string => new Date(Date.parse(end) - rows * 60_000).toISOString()

/** The last minute of a workload, as the service reads it. */
export const endOf = ({ rows, start }: Workload): string =>
  new Date(Date.parse(start) + (rows - 1) * 60_000).toISOString()

/** The times of a workload. */
export const rangeOf = (workload: Workload) => ({ start_time: workload.start, end_time: endOf(workload) })

/** The parameters of asset metrics. */
export const paramsOf = (workload: Workload) => ({
  assets: workload.assets,
  metrics: metricsOf(workload),
  frequency,
  ...rangeOf(workload)
})

export const nothing = (): Seen => ({ records: 0, touched: 0 })

/** Counts records, and reads one field of each so that none of the work before can be left out. */
export const counter = (workload: Pick<Workload, "kind">, seen: Seen) => {
  // Type boundary: the table names a field that records of this kind have.
  const field = kindOf(workload).touched as "PriceUSD"
  return (records: ReadonlyArray<object>): void => {
    for (const record of records) {
      seen.records += 1
      // Type boundary: every field that is touched holds text, or is absent.
      seen.touched += (record as { readonly PriceUSD?: string | null })[field]?.length ?? 0
    }
  }
}

/** What the prepared replies have to be told beside the parameters of the service. */
export const queryOf = ({ kind, rows }: Workload): Readonly<Record<string, string>> => {
  if (kind === undefined) return {}
  return { kind, ...("entities" in kinds[kind] ? {} : { rows: String(rows) }) }
}

/** Counts a trade, and reads one field of it. */
export const countTrade = (seen: Seen, { price }: Trade): void => {
  seen.records += 1
  seen.touched += price?.length ?? 0
}

/** Where the frames of a workload come from. */
export const liveUrl = (root: string, { pace = 0, rows }: Workload): string =>
  `${root.replace(/^http/, "ws")}/timeseries-stream/market-trades?rows=${rows}&pace=${pace}`

/** Collects the delays of paced frames; nothing where frames come at once. */
export const delays = ({ pace = 0 }: Workload) => {
  if (pace === 0) return undefined
  const all: Array<number> = []
  return {
    add: ({ amount }: Trade, at: bigint) => {
      all.push(Number(at - BigInt(amount ?? "0")) / 1e9)
    },
    median: () => all.toSorted((a, b) => a - b)[all.length >>> 1]
  }
}

export const total = ({ assets, rows }: Workload): number => assets.length * rows

/** The same workload with at most so many records in all, to warm up with. */
export const atMost = (workload: Workload, records: number): Workload => ({
  ...workload,
  rows: Math.min(workload.rows, Math.ceil(records / workload.assets.length))
})
