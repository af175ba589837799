/** The filters that the v2 catalogs of markets share. Source: docs/interface.md 4.9 and 4.5. */
import * as Params from "../../Params.ts"

/** Which markets are listed. */
export const marketFilters = {
  /** Market names; all markets when absent. */
  markets: Params.entities(Params.identifiers),
  /** Exchange of the markets. */
  exchange: Params.string,
  /** `spot`, `future`, `option` or `bond`. */
  type: Params.openWord(["spot", "future", "option", "bond"]),
  /** Base asset of the markets. */
  base: Params.string,
  /** Quote asset of the markets. */
  quote: Params.string,
  /** Any asset of the market, base or quote. */
  asset: Params.string,
  /** The exchange's own name of a derivative. */
  symbol: Params.string
}
