/**
 * What a case reads, and what it has to show for it. Free of Effect: the hand-written cases load this too.
 */

/** Minutely prices of some assets: as many records of each, from one minute on. */
export interface Workload {
  readonly assets: ReadonlyArray<string>
  /** First minute. */
  readonly start: string
  /** Records of each asset. */
  readonly rows: number
  /** The columns to read, `PriceUSD` among them; three long decimals when absent. */
  readonly metrics?: ReadonlyArray<string>
  /** Live: milliseconds between two frames; all at once when absent. */
  readonly pace?: number
}

/** A live trade as the bare loop believes it to be. When frames are paced, `amount` is the moment it was sent. */
export interface Trade {
  readonly price?: string | null
  readonly amount?: string | null
}

/** A record as the hand-written cases believe it to be. */
export interface Price {
  readonly asset: string
  readonly time: string
  readonly PriceUSD?: string | null
}

/** What a case has seen: how many records, and how long one field of all of them is. */
export interface Seen {
  records: number
  touched: number
  /** Median seconds between sending and reading; only of paced frames. */
  latency?: number | undefined
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

/** The last minute of a workload, as the service reads it. */
export const endOf = ({ rows, start }: Workload): string =>
  new Date(Date.parse(start) + (rows - 1) * 60_000).toISOString()

/** Begins to count. */
export const nothing = (): Seen => ({ records: 0, touched: 0 })

/** Counts a record, and reads one field of it so that none of the work before can be left out. */
export const count = (seen: Seen, record: { readonly PriceUSD?: string | null }): void => {
  seen.records += 1
  seen.touched += record.PriceUSD?.length ?? 0
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

/** How many records a case must see. */
export const total = ({ assets, rows }: Workload): number => assets.length * rows

/** The same workload with at most so many records in all, to warm up with. */
export const atMost = (workload: Workload, records: number): Workload => ({
  ...workload,
  rows: Math.min(workload.rows, Math.ceil(records / workload.assets.length))
})
