/**
 * The order in which the records of a stream must come: that of the undisturbed run, or one of the few others that follow
 * from a fault no client can detect.
 */
import type { Expected, Row } from "./Expected.ts"
import * as ObservedRequest from "./ObservedRequest.ts"
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
  readonly requests: ReadonlyArray<ObservedRequest.ObservedRequest>
}

const undisturbed = ({ expected: { rows }, reading: { target }, setting }: Given): Order => {
  const ascending = rows.map((_, index) => index)
  return target.paging.paging_from === "end" && setting.isPaged ? ascending.toReversed() : ascending
}

/** The positions at which the pages of a target end. */
const borders = ({ paging }: Reading["target"], { length }: Order): ReadonlyArray<number> => {
  const size = paging.page_size ?? length
  return Array.from({ length: Math.ceil(length / size) }, (_, page) => (page + 1) * size)
}

/** A page led back to the first one by a new token. This happens once, because then the tokens are known. */
const repeated = ({ requests, reading: { target } }: Given, order: Order): ReadonlyArray<Order> => {
  if (!ObservedRequest.any(requests, "repeats")) return []
  return borders(target, order).map((border) => [...order.slice(0, border), ...order])
}

/**
 * A series of several assets was cut and resumed, one asset at a time. Then such a part ended cleanly too early, between two
 * lines. No client can know that this was not the last record of the asset.
 */
const gapped = (
  { expected, requests, reading: { target }, rows, setting }: Given,
  order: Order
): ReadonlyArray<Order> => {
  const { assets, sort = "asset" } = target.content
  const isSeries = target.path === "/timeseries/asset-metrics" && Array.isArray(assets) && sort === "asset"
  if (!isSeries || !setting.isLines || !ObservedRequest.any(requests, "shortens")) return []
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
  return gaps > ObservedRequest.count(requests, "shortens") ? [] : [[...found, ...order.slice(at)]]
}

/** The first records were removed from the service before one of the pages was written. */
const shortened = ({ requests, reading: { target }, setting }: Given, order: Order): ReadonlyArray<Order> => {
  const counts = requests.flatMap(({ faults }) =>
    faults.flatMap(({ amount, kind }) => (kind === "removed" ? [amount] : []))
  )
  const isFromEnd = target.paging.paging_from === "end" && setting.isPaged
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

/** Pages overlapped or came in reverse, which is a warning or an error. No record may be lost or invented. */
const disordered = ({ expected, requests, rows }: Given, order: Order): ReadonlyArray<Order> => {
  const alterations = ObservedRequest.alterationsOf(requests)
  if (!alterations.kinds.has("overlap") && !alterations.kinds.has("reversed")) return []
  const found = rows.map((row) =>
    order.findIndex((at) => Rows.firstDifference([row], [at], expected, alterations) === undefined)
  )
  if (found.includes(-1)) return []
  const came = found.map((position) => order[position]!)
  const seen = new Set(came)
  return [[...came, ...order.filter((at) => !seen.has(at))]]
}

/** Finds the allowed order in which the records came; that of the undisturbed run where they came in none of them. */
export const of = (given: Given): Order => {
  const order = undisturbed(given)
  const alterations = ObservedRequest.alterationsOf(given.requests)
  const isSo = (order: Order) => Rows.firstDifference(given.rows, order, given.expected, alterations) === undefined
  const lists = [...shortened(given, order), order]
  const orders = [
    ...lists,
    ...repeated(given, order),
    ...gapped(given, order),
    ...lists.flatMap((list) => disordered(given, list))
  ]
  return orders.find(isSo) ?? order
}
