/**
 * The order in which the records of a stream must come: that of the undisturbed run, or one of the few others that follow
 * from a fault no client can detect.
 */
import type { Expected, Row } from "./Expected.ts"
import * as ObservedRequest from "./ObservedRequest.ts"
import * as Rows from "./Rows.ts"
import type { Setting } from "./Rules.ts"
import type { Reading } from "./Schedule.ts"
import * as Targets from "./Targets.ts"

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
const repeated = function* ({ requests, reading: { target } }: Given, order: Order): Generator<Order> {
  if (!ObservedRequest.any(requests, "repeats")) return
  for (const border of borders(target, order)) yield [...order.slice(0, border), ...order]
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
const shortened = function* ({ requests, reading: { target }, setting }: Given, order: Order): Generator<Order> {
  const counts = requests.flatMap(({ faults }) =>
    faults.flatMap(({ amount, kind }) => (kind === "removed" ? [amount] : []))
  )
  const isFromEnd = setting.isPaged && (target.paging.paging_from === "end" || Targets.isTurned(target))
  for (const count of [...new Set(counts)].toSorted((a, b) => b - a)) {
    for (const border of [0, ...borders(target, order)]) {
      yield isFromEnd
        ? order.slice(0, Math.max(border, order.length - count))
        : [...order.slice(0, border), ...order.slice(Math.max(border, count))]
    }
  }
}

/** Where a record stands in an order: by its text, or else right after the record before it, or else anywhere. */
const positionsOf = (
  { expected, rows }: Given,
  order: Order,
  alterations: Rows.Alterations
): ReadonlyArray<number> | undefined => {
  const byText = new Map<string, number>()
  for (const [position, at] of order.entries()) {
    const text = expected.texts[at]!
    if (!byText.has(text)) byText.set(text, position)
  }
  const isAt = (row: Row, position: number) =>
    position < order.length && Rows.firstDifference([row], [order[position]!], expected, alterations) === undefined
  const found: Array<number> = []
  for (const row of rows) {
    const next = (found.at(-1) ?? -1) + 1
    const position =
      byText.get(Rows.textOf(row)) ?? (isAt(row, next) ? next : order.findIndex((_, position) => isAt(row, position)))
    if (position === -1) return undefined
    found.push(position)
  }
  return found
}

/** Pages overlapped or came in reverse, which is a warning or an error. No record may be lost or invented. */
const disordered = (given: Given, order: Order): ReadonlyArray<Order> => {
  const alterations = ObservedRequest.alterationsOf(given.requests)
  if (!alterations.kinds.has("overlap") && !alterations.kinds.has("reversed")) return []
  const found = positionsOf(given, order, alterations)
  if (found === undefined) return []
  const came = found.map((position) => order[position]!)
  const seen = new Set(came)
  return [[...came, ...order.filter((at) => !seen.has(at))]]
}

/** Orders that follow from how pages lead to each other, of an order that is turned when all of them have come. */
const ofPages = function* (
  given: Given,
  order: Order,
  orders: (given: Given, order: Order) => Generator<Order>
): Generator<Order> {
  if (!Targets.isTurned(given.reading.target)) return yield* orders(given, order)
  for (const one of orders(given, order.toReversed())) yield one.toReversed()
}

const lists = function* (given: Given, order: Order): Generator<Order> {
  yield* ofPages(given, order, shortened)
  yield order
}

/** The orders that are allowed. Each is made when it is tried: there may be thousands, as long as the undisturbed run. */
const allowed = function* (given: Given, order: Order): Generator<Order> {
  yield* lists(given, order)
  yield* ofPages(given, order, repeated)
  yield* gapped(given, order)
  for (const list of lists(given, order)) yield* disordered(given, list)
}

/** Finds the allowed order in which the records came; that of the undisturbed run where they came in none of them. */
export const of = (given: Given): Order => {
  const order = undisturbed(given)
  const alterations = ObservedRequest.alterationsOf(given.requests)
  for (const allowedOrder of allowed(given, order)) {
    if (Rows.firstDifference(given.rows, allowedOrder, given.expected, alterations) === undefined) return allowedOrder
  }
  return order
}
