/**
 * Tells what a dataset knows of a range.
 */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Coverage from "../held/Coverage.ts"
import { BadDefinition, type HeldError } from "../model/DatasetError.ts"
import type { Store } from "../model/Store.ts"
import * as Read from "./Read.ts"

export type { Covered } from "../held/Coverage.ts"

type Callable<P, A> = (params: P, options?: Endpoint.CallOptions) => Endpoint.Records<A>

/**
 * Tells which times of a range a dataset has, by entity: those that are final, those that a later sync may still change or add to, and
 * those that are missing. Reads no records, and sends nothing.
 *
 * **When to use**
 *
 * Before a read whose records must not change any more: the end of what is `final` is a safe end of the range.
 *
 * **Details**
 *
 * The intervals of an entity follow each other from the beginning of the range to its end, and where it has none, to where the last sync
 * looked. An entity that the dataset does not have is `missing`, whether the service has it or not. `provisional` begins with the look-back
 * before the last record, or with the first record that the service has not reviewed yet, and so are holes, which syncs ask for again ever
 * more rarely. Of a cache it is what was in the look-back when it was read.
 *
 * **Gotchas**
 *
 * A value that the service revises before the look-back is seen by a sync with `recheck` alone.
 */
export const coverage = <const P, A>(
  endpoint: Callable<P, A>,
  params: P,
  { from }: { readonly from: string | Store }
): Effect.Effect<ReadonlyArray<Coverage.Covered>, HeldError, FileSystem.FileSystem | Path.Path> => {
  // Type boundary: a function that gives the records of an endpoint is that endpoint, and its parameters are checked as data.
  const request = { endpoint, params, from } as unknown as Read.Request
  return Effect.gen(function* () {
    const { asked, found } = yield* Read.lookAt(request)
    if (asked.subject.isList) {
      const reason = "is a list, which has no times"
      return yield* new BadDefinition({ endpoint: request.endpoint.path, kind: "reading", setting: "endpoint", reason })
    }
    return Coverage.covered(asked, found?.kept, yield* Clock.currentTimeMillis)
  })
}
