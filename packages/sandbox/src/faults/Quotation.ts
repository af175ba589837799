/**
 * What `echo-key` repeats to the caller: the query of the request, the key among it.
 */
import * as Fault from "../Fault.ts"
import type { Query } from "../Query.ts"

/** Texts that hold the key. */
export interface Quotation {
  /** The key as it stands in the URL; empty when there is none. */
  readonly key: string
  /** What an error message ends with; empty unless it is to hold the key. */
  readonly sentence: string
}

/** Reads from a request what is to be repeated. */
export const make = (url: string, query: Query, faults: ReadonlyArray<Fault.Fault>): Quotation => {
  const key = query.get("api_key") ?? ""
  const isQuoted = Fault.has(faults, "echo-key")
  return {
    key: encodeURIComponent(key),
    sentence: isQuoted ? ` The request was '${url}', its key '${key}'.` : ""
  }
}
