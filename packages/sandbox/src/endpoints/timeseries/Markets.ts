/**
 * The time series of markets (docs/interface.md 4.6.4 and 3.13).
 */
import type { Endpoint } from "../../internal/listing/Endpoint.ts"

/** Every time series of markets. */
export const all: ReadonlyArray<Endpoint> = []
