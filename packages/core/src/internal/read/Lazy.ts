/**
 * The value that makes the records of a call lazy. It brings the code along, so that a program without it has none.
 */
import type * as BatchReader from "./BatchReader.ts"

const TypeId = "~@sluice/core/Batch"

/** Makes the records of a call lazy: see `Endpoint.CallOptions`. */
export interface Lazy {
  readonly [TypeId]: typeof TypeId
}

const makeName = Symbol("make")

interface WithMake extends Lazy {
  readonly [makeName]: BatchReader.Make
}

/** Builds the value from what builds a reader. */
export const from = (make: BatchReader.Make): Lazy => {
  const lazy: WithMake = { [TypeId]: TypeId, [makeName]: make }
  return lazy
}

// Type boundary: only `from` builds such a value.
/** What builds the reader of a call. */
export const makeOf = (lazy: Lazy): BatchReader.Make => (lazy as WithMake)[makeName]
