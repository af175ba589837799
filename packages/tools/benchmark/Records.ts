/**
 * The records of each kind as JSON text, as the service writes them. The same text for the same entity and row in every run.
 *
 * Knows no service, and shares no code with Sluice or the stand-in.
 */
import type { Kind } from "./Workload.ts"

export type WriteRecord = (entity: string, row: number, time: string) => string

/** A linear congruential generator. Each record sets its state. */
let state = 1
const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)

const seed = (row: number) => {
  // A larger number of a row would be rounded.
  state = ((row % 1_048_576) * 2_654_435_761 + 1) % 2_147_483_648
}

const digits = (length: number): string => {
  let text = String(1 + (next() % 9))
  while (text.length < length) text += String(1_000_000 + (next() % 1_000_000)).slice(1)
  return text.slice(0, length)
}

const long = () => `${digits(5)}.${digits(15)}`

const short = () => digits(3 + (next() % 5))

/**
 * Long decimals for names that end in a currency, counts for those that end in `Cnt`, null in each fifth record for those that
 * begin with `Opt`.
 */
const metric = (name: string, row: number): string => {
  if (name.startsWith("Opt") && row % 5 === 0) return "null"
  return name.endsWith("Cnt") ? `"${short()}"` : `"${long()}"`
}

const metrics =
  (names: ReadonlyArray<string>): WriteRecord =>
  (entity, row, time) =>
    `{"asset":"${entity}","time":"${time}"${names.map((name) => `,"${name}":${metric(name, row)}`).join("")}}`

const trades: WriteRecord = (entity, row, time) =>
  `{"market":"${entity}","time":"${time}","coin_metrics_id":"${1_000_000 + row}","amount":"0.${digits(8)}","price":"${digits(5)}.${digits(2)}","database_time":"${time}","side":"${row % 3 === 0 ? "sell" : "buy"}"}`

const candles: WriteRecord = (entity, _, time) =>
  `{"market":"${entity}","time":"${time}","price_open":"${digits(5)}.${digits(2)}","price_close":"${digits(5)}.${digits(2)}","price_high":"${digits(5)}.${digits(2)}","price_low":"${digits(5)}.${digits(2)}","vwap":"${long()}","volume":"${digits(3)}.${digits(8)}","candle_usd_volume":"${digits(7)}.${digits(10)}","candle_trades_count":"${short()}"}`

const level = () => `{"price":"${digits(5)}.${digits(2)}","size":"${next() % 3}.${digits(8)}"}`

const levels = () => Array.from({ length: 100 }, level).join()

/** A hundred levels on each side, which is what the service sends by default. */
const books: WriteRecord = (entity, row, time) =>
  `{"market":"${entity}","time":"${time}","coin_metrics_id":"${row}-0","asks":[${levels()}],"bids":[${levels()}],"database_time":"${time}"}`

const provider = (market: string, row: number) =>
  `{"cm_ext_market":"talos:coinbase:${market}","cm_ext_market_by_id":"talos:by-id:1001:${row}","market":"coinbase","market_id":1001,"symbol":"${market.toUpperCase()}","security_id":${row},"market_symbol":"${market.toUpperCase()}","product_type":"Spot","base_currency_id":${row % 900},"quote_currency_id":1,"display_name":"${market.toUpperCase()}","normal_size":0.${1 + (row % 9)},"size_buckets":[{"size":1},{"size":${10 + (row % 90)}},{"size":1000}]}`

/** Markets of reference data; each second one with the array of a provider. */
const markets: WriteRecord = (_, row, time) => {
  const base = `coin${row}`
  const nested = row % 2 === 0 ? `,"talos":[${provider(`${base}-usd`, row)}]` : ""
  return `{"market":"coinbase-${base}-usd-spot","exchange":"coinbase","type":"spot","asset_class":"digital","source_type":"exchange","base":"${base}","quote":"usd","pair":"${base}-usd","symbol":"${base.toUpperCase()}-USD","base_native":"${base.toUpperCase()}","quote_native":"USD","listing":"${time}","status":"online","order_amount_increment":"0.${digits(8)}","order_amount_min":"0.${digits(6)}","order_amount_max":"${digits(6)}","order_price_increment":"0.01","order_price_min":"0.01","order_size_min":"1","margin_trading_enabled":${row % 3 === 0},"experimental":false${nested}}`
}

const assets =
  (nameOf: (row: number) => string): WriteRecord =>
  (_, row) =>
    `{"asset":"coin${row}","full_name":"${nameOf(row)}"}`

export const writerOf = (kind: Kind, names: ReadonlyArray<string>): WriteRecord => {
  const writers: Readonly<Record<Kind, WriteRecord>> = {
    metrics: metrics(names),
    // As Python's `json.dumps` writes them.
    spaced: (...record) =>
      metrics(names)(...record)
        .replaceAll('":', '": ')
        .replaceAll(',"', ', "'),
    trades,
    candles,
    books,
    markets,
    names: assets((row) =>
      row % 10 === 0 ? `Währung Ξ ${row}, «${digits(6)}»` : `Currency number ${row}, ${digits(6)}`
    ),
    foreign: assets((row) => `Währung Ξ ${row}, «${digits(6)}»`),
    escaped: assets((row) => `W\\u00e4hrung \\u039e ${row}, ${digits(6)}`)
  }
  const write = writers[kind]
  return (entity, row, time) => {
    seed(row)
    return write(entity, row, time)
  }
}
