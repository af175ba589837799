import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { flag, id, number, one, text, texts } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import type { IncludingEndpoint } from "./Include.ts"
import { include, withIncluded } from "./Provider.ts"

/** One exchange. Source: docs/interface.md 3.3. */
export const Exchange = Schema.Struct({
  /** Exchange name, in lower case, such as `coinbase`. */
  exchange: id,
  /** Human-friendly name. */
  full_name: text
})
export interface Exchange extends Schema.Schema.Type<typeof Exchange> {}

/** What an exchange offers through the provider. Source: docs/interface.md 3.3. */
export const ExchangeCapabilities = Schema.Struct({
  /** Whether the provider transfers funds there. */
  transfers: flag,
  /** Whether the provider has market data of it. */
  market_data: flag,
  /** Whether the provider places orders there. */
  orders: flag,
  /** Whether the provider reads balances there. */
  balances: flag
})
export interface ExchangeCapabilities extends Schema.Schema.Type<typeof ExchangeCapabilities> {}

/** How the provider deals with an exchange. Source: docs/interface.md 3.3. */
export const ExchangeFlags = Schema.Struct({
  /** Whether the cost of margin is told. */
  supports_margin_cost: flag,
  /** Whether an order may be restricted to reducing a position. */
  supports_reduce_only: flag,
  /** Whether an order may be sized in its counter currency. */
  supports_native_counter_currency: flag,
  /** Whether orders are filled at the price that was requested. */
  orders_fill_at_requested_price: flag,
  /** Whether the exchange gives credit. */
  supports_exchange_credit: flag
})
export interface ExchangeFlags extends Schema.Schema.Type<typeof ExchangeFlags> {}

/** What the provider of `include` knows of an exchange. Source: docs/interface.md 3.3. */
export const ExchangeProvider = Schema.Struct({
  /** The provider's name reference, `<namespace>:<name>`; valid in `exchanges`. */
  cm_ext_exchange: text,
  /** The provider's number reference, `<namespace>:by-id:<id>`; valid in `exchanges`. */
  cm_ext_exchange_by_id: text,
  /** The provider's name of the exchange. */
  market: text,
  /** A JSON number, or text. */
  market_id: number,
  /** Its name for people at the provider. */
  display_name: text,
  /** Its short name at the provider. */
  short_name: text,
  /** Its kind at the provider, such as `Exchange`. */
  type: text,
  /** Colour that the provider shows it in, such as `#F0B90B`. */
  color: text,
  /** What levels of its order books are, such as `Price`. */
  depth_type: text,
  /** What the provider can do there. */
  capabilities: one<ExchangeCapabilities>(ExchangeCapabilities),
  /** How orders work there. */
  flags: one<ExchangeFlags>(ExchangeFlags),
  /** How long orders may stay, such as `GoodTillCancel`. */
  supported_time_in_force: texts
})
export interface ExchangeProvider extends Schema.Schema.Type<typeof ExchangeProvider> {}

/** Parameters of {@link exchanges}. */
export const ExchangesParams = Schema.Struct({
  /** Exchange names, `<namespace>:<name>` or `<namespace>:by-id:<id>`; all exchanges when absent. */
  exchanges: Params.entities(Params.identifiers),
  ...include,
  ...Params.paging,
  ...Params.format
})
export interface ExchangesParams extends Schema.Schema.Type<typeof ExchangesParams> {}

/**
 * Lists exchanges, all unless filtered.
 *
 * **Details**
 *
 * `include: ["talos"]` adds the provider's array to the record and its type.
 *
 * Source: docs/interface.md 4.1.
 */
export const exchanges: IncludingEndpoint<ExchangesParams, Exchange, ExchangeProvider> = Endpoint.makeDependent(
  "/reference-data/exchanges",
  {
    section: "4.1",
    params: ExchangesParams,
    dependsOn: ["include"],
    record: withIncluded(Exchange.fields, ExchangeProvider)
  }
)
