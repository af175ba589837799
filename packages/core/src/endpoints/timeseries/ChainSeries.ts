/** What the series of chains share. Source: docs/interface.md 4.6.6 and 3.15. */
import { id } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import { Timestamp } from "../../Timestamp.ts"

/** The parameters that each of them takes. */
export const params = {
  /** Tickers of the assets whose chains are followed. */
  assets: Params.entities(Params.requiredList, "asset"),
  ...Params.timeRange,
  ...Params.paging
}

/** The fields that each of their records has. */
export const record = {
  /** Ticker of the asset. */
  asset: id,
  /** When the chain was looked at. */
  time: Timestamp
}
