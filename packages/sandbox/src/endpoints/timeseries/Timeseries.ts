/**
 * Every time series (docs/interface.md 4.6).
 */
import type { Source } from "../../internal/listing/Endpoint.ts"
import { assetMetrics } from "./AssetMetrics.ts"
import * as Chains from "./Chains.ts"
import * as HolderMetrics from "./HolderMetrics.ts"
import * as Indexes from "./Indexes.ts"
import * as Markets from "./Markets.ts"
import { protocolMetrics } from "./ProtocolMetrics.ts"

export const all: ReadonlyArray<Source> = [
  assetMetrics,
  protocolMetrics,
  ...HolderMetrics.all,
  ...Markets.all,
  ...Indexes.all,
  ...Chains.all
]
