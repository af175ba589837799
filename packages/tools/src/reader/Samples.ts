/** Records of each kind that the benchmark of the reader compares, drawn from one seed. */
import { DateTime, Schema } from "effect"
import * as fields from "../../../core/src/internal/wire/fields.ts"

/** Records of one kind and their schema. */
export interface Sample {
  readonly name: string
  readonly schema: Schema.Codec<unknown>
  readonly records: ReadonlyArray<unknown>
}

/** A linear congruential generator: the same values in every run. */
const makeDigits = () => {
  let state = 1
  const next = () => (state = (state * 1_103_515_245 + 12_345) % 2_147_483_648)
  return (length: number): string => {
    let digits = String(1 + (next() % 9))
    while (digits.length < length) digits += String(next() % 10)
    return digits
  }
}

const digits = makeDigits()
const long = () => `${digits(5)}.${digits(15)}`
/** A count of three to seven digits. */
const short = () => digits(3 + (Number(digits(3)) % 5))

const start = DateTime.makeUnsafe("2024-01-01T00:00:00Z")

const timeOf = (index: number) =>
  `${DateTime.formatIso(DateTime.add(start, { minutes: index })).slice(0, 19)}.000000000Z`

const series = (index: number) => ({ asset: "btc", time: timeOf(index) })

const columns = (names: ReadonlyArray<string>) =>
  fields.struct({
    asset: fields.id,
    time: fields.id,
    ...Object.fromEntries(names.map((name) => [name, fields.decimal]))
  })

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `Metric${index}`)

const metrics = (
  name: string,
  names: ReadonlyArray<string>,
  value: (column: number, index: number) => string | null
): Sample => ({
  name,
  schema: columns(names),
  records: Array.from({ length: 1_000 }, (_, index) => ({
    ...series(index),
    ...Object.fromEntries(names.map((name, column) => [name, value(column, index)]))
  }))
})

const trades: Sample = {
  name: "trades",
  schema: fields.struct({
    market: fields.id,
    time: fields.id,
    coin_metrics_id: fields.id,
    amount: fields.decimal,
    price: fields.decimal,
    database_time: fields.timestamp,
    side: fields.text
  }),
  records: Array.from({ length: 1_000 }, (_, index) => ({
    market: "coinbase-btc-usd-spot",
    time: timeOf(index),
    coin_metrics_id: digits(9),
    amount: `0.${digits(8)}`,
    price: `${digits(5)}.${digits(2)}`,
    database_time: timeOf(index),
    side: index % 3 === 0 ? "sell" : "buy"
  }))
}

const level = Schema.Struct({ price: fields.decimal, size: fields.decimal })

const levels = () => Array.from({ length: 10 }, () => ({ price: long(), size: `0.${digits(6)}` }))

const books: Sample = {
  name: "order books (nested)",
  schema: fields.struct({ market: fields.id, time: fields.id, bids: fields.many(level), asks: fields.many(level) }),
  records: Array.from({ length: 200 }, (_, index) => {
    return { market: "coinbase-btc-usd-spot", time: timeOf(index), bids: levels(), asks: levels() }
  })
}

const named = (name: string, isForeign: (index: number) => boolean, isEscaped = false): Sample => ({
  name,
  schema: fields.struct({ asset: fields.id, full_name: fields.text, description: fields.text, count: fields.text }),
  records: Array.from({ length: 1_000 }, (_, index) => ({
    asset: `asset${index}`,
    full_name: isForeign(index) ? `Währung Ξ ${index}` : `Currency ${isEscaped ? "\\" : ""} ${index}`,
    description: `The asset of the number ${digits(12)} with a text of usual length`,
    count: short()
  }))
})

/** All kinds. */
export const samples: ReadonlyArray<Sample> = [
  metrics("three long decimals", numbered(3), long),
  metrics("half of the values short", numbered(4), (column) => (column % 2 === 0 ? long() : short())),
  metrics("thirty metrics", numbered(30), (column) => (column % 2 === 0 ? long() : short())),
  metrics("nulls now and then", numbered(4), (_, index) => (index % 5 === 0 ? null : long())),
  trades,
  books,
  named("names, one in ten not ASCII", (index) => index % 10 === 0),
  named("names, none ASCII", () => true),
  named("names, each with an escape", () => false, true)
]
