/** `sluice compact`: makes few large files of the many small ones of a dataset. */
import * as Dataset from "@sluice/datasets/Dataset"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Screen } from "../../terminal/Screen.ts"
import * as SyncProgress from "../../terminal/SyncProgress.ts"
import type { CompactInput } from "../flags/DatasetFlags.ts"
import * as EventOutput from "./EventOutput.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

/** Compacts a folder, and shows progress. */
export const run = Effect.fnUntraced(function* ({ period, place, rows }: CompactInput) {
  if (PlaceFlags.isDatabase(place)) {
    const message = "a table has no files to compact; name the folder of a dataset"
    return yield* new PlaceFlags.BadPlace({ message, command: "compact" })
  }
  const { say } = yield* Screen
  const output = yield* EventOutput.make((side) => SyncProgress.on(side, { name: place, isFolder: true }))
  const events = Stream.tap(Dataset.compact(place, { layout: { period, rows } }), output.tell)
  const last = yield* Effect.tapError(Stream.runLast(events), () => output.clear)
  yield* output.clear
  if (output.isJson || Option.isNone(last)) return
  yield* say(`${SyncProgress.compacted(last.value)}\n`)
  if (last.value.files > 0 && (period ?? rows) !== undefined) {
    yield* say("Jobs that name the layout it had before have to name this one, or none.\n")
  }
})
