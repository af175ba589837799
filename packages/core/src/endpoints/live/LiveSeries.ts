/** What the live operations share. Source: docs/interface.md 6.2 and 6.4. */
import { number } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"

/** The parameters that each of them takes. */
export const params = {
  /**
   * What comes first on the first connection: `latest`, which is the default, the last known record of each entity; `none`,
   * nothing. Later connections always ask for `latest`, to see what was missed.
   */
  backfill: Params.backfill,
  ...Params.pretty
}

/** The parameters of those that follow markets. */
export const marketParams = {
  /** Markets; `*` stands for any characters, as in `binance-*-spot`. */
  markets: Params.entities(Params.requiredList, "market"),
  ...params
}

/** The fields that each of their records has. */
export const record = {
  /**
   * Number of the frame: it rises within a connection, and begins again with the next one. Where it
   * begins and by how much it rises is not published. Absent where the record was read over HTTP.
   */
  cm_sequence_id: number
}
