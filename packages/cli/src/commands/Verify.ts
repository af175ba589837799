/**
 * `sluice verify`: proves that what a dataset holds is what was written.
 */
import { harmlessJson } from "@sluice/core/PlainText"
import * as Dataset from "@sluice/node/Dataset"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import { Screen } from "../terminal/Screen.ts"
import * as Style from "../terminal/Style.ts"
import * as SyncProgress from "../terminal/SyncProgress.ts"
import type { VerifyInput } from "./Flags.ts"
import * as Place from "./Place.ts"

/** The dataset says itself how its numbers are written. */
const written = { numbers: Option.none(), "status-columns": Option.none() }

const placeOf = (place: string) =>
  Place.isDatabase(place)
    ? { output: Option.none(), into: Option.some(place) }
    : { output: Option.some(place), into: Option.none() }

/** Reads all that a dataset holds. Shows progress on standard error; with `--json` on standard output, an event a line. */
export const run = Effect.fnUntraced(function* (input: VerifyInput) {
  const { err, print, say } = yield* Screen
  const place = yield* Place.of({ ...placeOf(input.place), table: input.table, ...written })
  const isJson = yield* GlobalFlags.Json
  const show = err.isTerminal ? SyncProgress.onTerminal(err, place) : SyncProgress.inLines(place)
  const tell = (event: Dataset.Event) => {
    if (isJson) return print(harmlessJson(JSON.stringify(event)))
    const text = show(event)
    return text === "" ? Effect.void : say(text)
  }
  yield* Stream.runForEach(Dataset.verify(place.to), tell).pipe(
    Effect.tapError(() => (err.isTerminal && !isJson ? say(Style.wipe) : Effect.void))
  )
})
