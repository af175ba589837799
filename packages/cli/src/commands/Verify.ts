/**
 * `sluice verify`: proves that what a dataset holds is what was written.
 */
import * as Dataset from "@sluice/node/Dataset"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as SyncProgress from "../terminal/SyncProgress.ts"
import type { VerifyInput } from "./DatasetFlags.ts"
import * as EventOutput from "./EventOutput.ts"
import * as Place from "./Place.ts"

/** The dataset says itself how its numbers are written. */
const written = { numbers: Option.none(), "status-columns": Option.none() }

const placeOf = (place: string) =>
  Place.isDatabase(place)
    ? { output: Option.none(), into: Option.some(place) }
    : { output: Option.some(place), into: Option.none() }

/** Reads all that a dataset holds, and shows progress. */
export const run = Effect.fnUntraced(function* (input: VerifyInput) {
  const place = yield* Place.of({ ...placeOf(input.place), table: input.table, ...written })
  const output = yield* EventOutput.make((side) => SyncProgress.on(side, place))
  yield* Stream.runForEach(Dataset.verify(place.to), output.tell).pipe(Effect.tapError(() => output.clear))
})
