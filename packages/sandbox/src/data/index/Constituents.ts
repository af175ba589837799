/**
 * The assets of an index as the service writes them.
 */
import { nanos } from "../../internal/time/Calendar.ts"
import type { Frequency } from "../Frequency.ts"
import * as Indexes from "../Indexes.ts"
import type { Index } from "../Indexes.ts"
import * as Rows from "../Rows.ts"
import * as Values from "../Values.ts"
import * as Basket from "./Basket.ts"

/** The assets of an index on a grid; nothing where it follows none. Without a grid, those that change, at the time they do. */
export const rows = (index: Index, grid: Frequency | undefined): Rows.Rows | undefined => {
  const span = Indexes.spanOf(index)
  if (Basket.at(index, span.to).length === 0) return undefined
  const places = grid ?? Basket.changes(index)
  return Rows.onGrid(index.index, places, grid === undefined ? Basket.changing(index) : span, (place) => {
    const ms = places.at(place)
    const holdings = Basket.at(index, ms)
    const total = Basket.worth(holdings, ms)
    const before = grid === undefined && ms > span.from ? Basket.at(index, ms - 1) : []
    const changed = holdings.filter(
      ({ asset, quantity }) => !before.some((one) => one.asset === asset && one.quantity === quantity)
    )
    const items = changed.map(({ asset, quantity }) => {
      const price = Values.price(asset, ms)
      return (
        `{"asset":"${asset.asset}","weight":"${((quantity * price) / total).toFixed(15)}","price":"${price.toFixed(15)}"` +
        `,"quantity":"${quantity.toFixed(15)}","weight_basis_value":"${Basket.basis(asset, ms).toFixed(2)}"}`
      )
    })
    return `{"index":"${index.index}","time":"${nanos(ms)}","constituents":[${items.join(",")}]}`
  })
}
