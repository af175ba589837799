/**
 * Every live stream by its path (docs/interface.md 6.2).
 */
import type { StreamEndpoint } from "../../internal/live/StreamEndpoint.ts"
import * as AssetMetrics from "./AssetMetrics.ts"
import * as Indexes from "./Indexes.ts"
import * as Markets from "./Markets.ts"
import * as Quotes from "./Quotes.ts"

/** Every live stream. */
export const byPath: ReadonlyMap<string, StreamEndpoint> = new Map(
  [...AssetMetrics.all, ...Markets.all, ...Quotes.all, ...Indexes.all].map((stream) => [stream.path, stream])
)
