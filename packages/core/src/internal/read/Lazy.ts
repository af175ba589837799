/** The value that makes the records of a call lazy. It brings the code along, so that a program without it has none. */
import type * as Stream from "effect/Stream"
import type { ApiError } from "../../ApiError.ts"
import type { Client } from "../../Client.ts"
import type * as Read from "./Read.ts"

const TypeId = "~@sluice/core/Batch"

/** Makes the records of a call lazy: see `Endpoint.CallOptions`. */
export interface Lazy {
  readonly [TypeId]: typeof TypeId
}

/** Reads a prepared call as `read` does, as records that are built when they are read. */
export type Reader = <A>(
  prepared: Read.Prepared<A>,
  read: (prepared: Read.Prepared<A>) => Stream.Stream<A, ApiError, Client>
) => Stream.Stream<A, ApiError, Client>

const readerName = Symbol("reader")

interface WithReader extends Lazy {
  readonly [readerName]: Reader
}

/** Builds the value from what reads a call. */
export const from = (reader: Reader): Lazy => {
  const lazy: WithReader = { [TypeId]: TypeId, [readerName]: reader }
  return lazy
}

// Type boundary: only `from` builds such a value.
/** What reads a call. */
export const readerOf = (lazy: Lazy): Reader => (lazy as WithReader)[readerName]
