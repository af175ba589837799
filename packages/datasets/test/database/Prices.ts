/**
 * Records of datasets, and changes of them, for tests and for the processes that they kill.
 */
import { type Endpoint, Timeseries } from "@sluice/core"
import type { Dataset } from "@sluice/datasets"
import { Effect, Stream } from "effect"

/** A row as tests compare it. */
export interface Price {
  readonly asset: string
  readonly time: string
  readonly PriceUSD: string | null
}

const definition = (metrics: ReadonlyArray<string>): Dataset.Definition => ({
  root: "https://example.com/v4",
  endpoint: Timeseries.assetMetrics.path,
  params: { assets: ["*"], metrics: [...metrics] },
  lookBack: 0,
  onRemoved: "keep"
})

// Type boundary: an endpoint whose parameters have types of its own is no `Endpoint.Any`, which takes data.
const any = (endpoint: unknown) => endpoint as Endpoint.Any

/** Daily prices of assets. */
export const prices: Dataset.Setup = {
  definition: definition(["PriceUSD"]),
  series: { endpoint: any(Timeseries.assetMetrics), entity: "asset", time: "time", identity: undefined }
}

/** The same with a metric more. */
export const pricesAndCaps = definition(["PriceUSD", "CapMrktCurUSD"])

/** Trades, which have nanoseconds and may share a time. */
export const trades: Dataset.Setup = {
  definition: {
    ...definition([]),
    endpoint: Timeseries.marketTrades.path,
    params: { markets: ["coinbase-btc-usd-spot"] }
  },
  series: {
    endpoint: any(Timeseries.marketTrades),
    entity: "market",
    time: "time",
    identity: ["coin_metrics_id"]
  }
}

/** Predicted funding rates, of which several may share a market and a time, and nothing tells them apart. */
export const rates: Dataset.Setup = {
  definition: {
    ...definition([]),
    endpoint: Timeseries.marketFundingRatesPredicted.path,
    params: { markets: ["binance-BTCUSDT-future"] }
  },
  series: { endpoint: any(Timeseries.marketFundingRatesPredicted), entity: "market", time: "time", identity: [] }
}

/** The beginning of a day of January 2026. */
export const day = (number: number) => `2026-01-${String(number).padStart(2, "0")}T00:00:00.000000000Z`

export const price = (asset: string, on: number, PriceUSD: string | null): Price => ({ asset, time: day(on), PriceUSD })

/** A cursor after these records. */
export const cursorOf = (entity: string, last: string | null): Dataset.Cursor => ({
  entity,
  from: null,
  last,
  columns: ["PriceUSD"]
})

/** A change as data. */
export interface PriceChange {
  readonly spans: ReadonlyArray<Dataset.Span>
  readonly records: ReadonlyArray<Price>
}

/** A change of a store. Records come in two arrays, as replies do. */
export const changeOf = ({ records, spans }: PriceChange): Dataset.Change => {
  const half = Math.ceil(records.length / 2)
  const parts = [records.slice(0, half), records.slice(half)].filter((part) => part.length > 0)
  return {
    spans,
    records: Stream.fromIterable(parts).pipe(Stream.flatMap((part) => Stream.fromArray([...part]))),
    cursors: Effect.succeed(cursorsOf({ records, spans })),
    forget: []
  }
}

export const cursorsOf = ({ records, spans }: PriceChange) =>
  spans.map(({ entity }) => {
    const own = records.filter(({ asset }) => asset === entity)
    return cursorOf(entity, own.at(-1)?.time ?? null)
  })

const trade = (id: string, time: string, amount: string, txid: string | null) => ({
  market: "coinbase-btc-usd-spot",
  time: `2026-01-01T${time}Z`,
  coin_metrics_id: id,
  amount,
  price: "1",
  txid
})

/** Trades within a microsecond, of one time, at the end of a day, and with text of all kinds. */
export const tradeRecords = [
  trade("1", "00:00:00.000000001", "12345678901234567890.123456789012345678", "\\N"),
  trade("2", "00:00:00.000000002", "-0.000000000000000001", "\\.\ta\nb\\tc\r'\"\u{1F600}{}"),
  trade("3", "00:00:00.000000002", "7", null),
  trade("10", "23:59:59.999999999", "0", "")
]

/** Brings {@link tradeRecords}. */
export const tradesChange: Dataset.Change = {
  spans: [{ entity: "coinbase-btc-usd-spot", from: undefined, to: undefined }],
  records: Stream.fromArray(tradeRecords),
  cursors: Effect.succeed([]),
  forget: []
}

/** All records of an asset. */
export const whole = (asset: string): Dataset.Span => ({ entity: asset, from: undefined, to: undefined })

/** Loads two assets, whatever was there. */
export const first: PriceChange = {
  spans: [whole("btc"), whole("eth")],
  records: [price("btc", 1, "1"), price("btc", 2, "2"), price("eth", 1, "3")]
}

/** Revises a price, removes one, and brings a late one. */
export const second: PriceChange = {
  spans: [{ entity: "btc", from: day(2), to: day(9) }, whole("eth")],
  records: [price("btc", 2, "2.5"), price("btc", 3, "4"), price("eth", 2, "5")]
}
