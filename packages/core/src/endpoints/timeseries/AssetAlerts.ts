/** Alerts of assets over time. Source: docs/interface.md 4.6.6 and 3.15. */
import * as Schema from "effect/Schema"
import * as Endpoint from "../../Endpoint.ts"
import { id, integer, text } from "../../internal/wire/fields.ts"
import * as Params from "../../Params.ts"
import * as ChainSeries from "./ChainSeries.ts"

/** The state of one alert of an asset at one moment. */
export const AssetAlert = Schema.Struct({
  ...ChainSeries.record,
  /** Name of the alert, such as `block_count_empty_6b_hi`. */
  alert: id,
  /** Whether the alert is set off. Its words are not published. */
  status: text,
  /** Height of the block that was looked at, as text. */
  block_height: integer,
  /** What was compared with the threshold. Not always a number. */
  value: text,
  /** What sets the alert off. Not always a number. */
  threshold: text
})
export interface AssetAlert extends Schema.Schema.Type<typeof AssetAlert> {}

/** Parameters of {@link assetAlerts}. Source: docs/interface.md 4.6.6. */
export const AssetAlertsParams = Schema.Struct({
  ...ChainSeries.params,
  /** Names of alerts. An unknown one is an `InvalidRequest`. */
  alerts: Params.requiredList,
  /** Adds `heartbeats` to the pages, which `assetAlerts.pages` gives. */
  include_heartbeats: Params.detail(Params.boolean)
})
export interface AssetAlertsParams extends Schema.Schema.Type<typeof AssetAlertsParams> {}

/**
 * Reads alerts of assets over time. Not offered at the community root.
 *
 * **Gotchas**
 *
 * Several alerts of an asset may have the same time: `alert` tells them apart.
 *
 * Source: docs/interface.md 4.6.6.
 */
export const assetAlerts: Endpoint.Endpoint<AssetAlertsParams, AssetAlert> = Endpoint.make("/timeseries/asset-alerts", {
  section: "4.6",
  order: "series",
  identity: ["alert"],
  community: false,
  params: AssetAlertsParams,
  record: AssetAlert
})
