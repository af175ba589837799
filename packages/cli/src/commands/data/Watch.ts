/** `sluice sync --watch`: brings a dataset up to date, and then goes on until it is stopped. */
import * as Dataset from "@sluice/datasets/Dataset"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as LiveConnection from "../../settings/LiveConnection.ts"
import * as SyncProgress from "../../terminal/SyncProgress.ts"
import type { About } from "../flags/About.ts"
import type { SyncInput } from "../flags/DatasetFlags.ts"
import * as Monitor from "./Monitor.ts"
import * as Place from "./Place.ts"
import * as Sync from "./Sync.ts"

export const run = Effect.fnUntraced(function* (input: SyncInput, about: About | undefined) {
  yield* Sync.expectFit(input)
  const place = yield* Place.of(input)
  const job = yield* Sync.jobOf(input, place, about)
  const monitor = yield* Monitor.ofDataset(place.name, Duration.toMillis(input.interval ?? Duration.zero))
  yield* Monitor.serve(input.listen, monitor.health)
  const events = Stream.tap(Dataset.watch({ ...job, every: input.interval }), monitor.note)
  yield* Sync.showEvents(input, events, place, (side) => SyncProgress.watching(side, place)).pipe(
    Suggestions.onRefused(Parameters.given(input.parameters)),
    Effect.provide(LiveConnection.layer)
  )
}, Effect.scoped)
