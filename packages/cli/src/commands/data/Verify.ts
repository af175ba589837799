/** `sluice verify`: proves that what a dataset holds is what was written. */
import * as Dataset from "@sluice/datasets/Dataset"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Connection from "../../settings/Connection.ts"
import * as Amount from "../../terminal/Amount.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import * as SyncProgress from "../../terminal/SyncProgress.ts"
import type { VerifyInput } from "../flags/DatasetFlags.ts"
import * as EventOutput from "./EventOutput.ts"
import * as Place from "./Place.ts"

/** A catalog lists records that a dataset does not have. */
export class CatalogDiffers extends Data.TaggedError("CatalogDiffers")<{ readonly message: string }> {}

/** No sync has read some entities to the end. */
export class NotReadToEnd extends Data.TaggedError("NotReadToEnd")<{ readonly message: string }> {}

export const run = Effect.fnUntraced(function* (input: VerifyInput) {
  const { say } = yield* Screen
  const place = yield* Place.at(input.place, input.table)
  const output = yield* EventOutput.make((side) => SyncProgress.on(side, place))
  const last = yield* Stream.runLast(Stream.tap(Dataset.verify(place.to), output.tell)).pipe(
    Effect.tapError(() => output.clear)
  )
  yield* output.clear
  // Not before the end: what is damaged is told behind the last event.
  if (!output.isJson && Option.isSome(last) && last.value._tag === "Verifying") {
    yield* say(`${SyncProgress.proved(last.value, place)}\n`)
  }
  if (input.catalog) yield* Effect.provide(compare(place, output.isJson), Connection.layer)
  const count = Option.isSome(last) && last.value._tag === "Verifying" ? (last.value.unread ?? 0) : 0
  if (count > 0) return yield* new NotReadToEnd({ message: `${place.name}: ${SyncProgress.unread(count)}` })
})

/** Tells on standard output what the catalog lists and the dataset has not. */
const compare = Effect.fnUntraced(function* ({ name, to }: Place.Place, isJson: boolean) {
  const { print } = yield* Screen
  const comparison = yield* Dataset.compare(to)
  yield* print(
    isJson ? jsonOf({ _tag: "Compared", dataset: name, ...comparison }) : SyncProgress.compared(comparison, name)
  )
  const count = comparison.differences.length
  if (count === 0) return
  const message = `${name}: the catalog of the service lists more than it has: ${Amount.some(count, "difference")}`
  return yield* new CatalogDiffers({ message })
})
