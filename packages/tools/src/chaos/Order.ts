/**
 * The order in which the records of a stream have to come: that of the undisturbed run, or one of the few others that
 * a fault nobody can see leads to.
 */
import type { Expected, Row } from "./Expected.ts"
import * as Met from "./Met.ts"
import * as Rows from "./Rows.ts"
import type { Setting } from "./Rules.ts"
import type { Reading } from "./Schedule.ts"

/** Positions in the undisturbed run. */
export type Order = ReadonlyArray<number>

/** What an order depends on. */
export interface Given {
  readonly reading: Reading
  readonly rows: ReadonlyArray<Row>
  readonly expected: Expected
  readonly setting: Setting
  readonly met: ReadonlyArray<Met.Met>
}

const undisturbed = ({ expected: { rows }, reading: { target }, setting }: Given): Order => {
  const ascending = rows.map((_, index) => index)
  return target.form.paging_from === "end" && setting.isPaged ? ascending.toReversed() : ascending
}

/** Where the pages of a target end. */
const borders = ({ form }: Reading["target"], { length }: Order): ReadonlyArray<number> => {
  const size = form.page_size ?? length
  return Array.from({ length: Math.ceil(length / size) }, (_, page) => (page + 1) * size)
}

/** A page led back to the first one, by a token not seen before: once, for then the tokens are known. */
const repeated = ({ met, reading: { target } }: Given, order: Order): ReadonlyArray<Order> => {
  if (!Met.any(met, "repeats")) return []
  return borders(target, order).map((border) => [...order.slice(0, border), ...order])
}

/**
 * A series of several assets was cut and read on from its last record, one asset at a time; then such a part came to a
 * clean end too early, between two lines. No client can know that it was not the asset's last record.
 */
const gapped = ({ expected, met, reading: { target }, rows, setting }: Given, order: Order): ReadonlyArray<Order> => {
  const { assets, sort = "asset" } = target.content
  const isSeries = target.path === "/timeseries/asset-metrics" && Array.isArray(assets) && sort === "asset"
  if (!isSeries || !setting.isLines || !Met.any(met, "shortens")) return []
  const assetAt = (at: number) => expected.rows[at]?.["asset"]
  const found: Array<number> = []
  let at = 0
  let gaps = 0
  for (const row of rows) {
    if (assetAt(at) !== row["asset"]) gaps += 1
    while (at < order.length && assetAt(at) !== row["asset"]) at += 1
    if (at === order.length) break
    found.push(at)
    at += 1
  }
  return gaps > Met.count(met, "shortens") ? [] : [[...found, ...order.slice(at)]]
}

/** The service had lost its first records while it wrote one of the pages. */
const shortened = ({ met, reading: { target }, setting }: Given, order: Order): ReadonlyArray<Order> => {
  const counts = met.flatMap(({ faults }) => faults.flatMap(({ amount, kind }) => (kind === "removed" ? [amount] : [])))
  const isFromEnd = target.form.paging_from === "end" && setting.isPaged
  return [...new Set(counts)]
    .toSorted((a, b) => b - a)
    .flatMap((count) =>
      [0, ...borders(target, order)].map((border) =>
        isFromEnd
          ? order.slice(0, Math.max(border, order.length - count))
          : [...order.slice(0, border), ...order.slice(Math.max(border, count))]
      )
    )
}

/** Pages came with records of others, or turned round, which is said or refused: nothing may be lost or made up. */
const disordered = ({ expected, met, rows }: Given, order: Order): ReadonlyArray<Order> => {
  const alterations = Met.alterationsOf(met)
  if (!alterations.kinds.has("overlap") && !alterations.kinds.has("reversed")) return []
  const found = rows.map((row) =>
    order.findIndex((at) => Rows.firstDifference([row], [at], expected, alterations) === undefined)
  )
  if (found.includes(-1)) return []
  const came = found.map((position) => order[position]!)
  const seen = new Set(came)
  return [[...came, ...order.filter((at) => !seen.has(at))]]
}

/** Finds the order in which the records came; that of the undisturbed run where it is none of those they may come in. */
export const of = (given: Given): Order => {
  const order = undisturbed(given)
  const alterations = Met.alterationsOf(given.met)
  const isSo = (order: Order) => Rows.firstDifference(given.rows, order, given.expected, alterations) === undefined
  const orders = [
    ...shortened(given, order),
    order,
    ...repeated(given, order),
    ...gapped(given, order),
    ...disordered(given, order)
  ]
  return orders.find(isSo) ?? order
}
