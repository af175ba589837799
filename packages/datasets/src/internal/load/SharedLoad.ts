/**
 * The first load of a dataset by many workers, wherever its records go: what it is of, and how a part of it is read.
 */
import type { ApiError } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Params from "@sluice/core/Params"
import * as Quota from "@sluice/core/Quota"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { BadDefinition, type UnexpectedRecord } from "../model/DatasetError.ts"
import type { Definition } from "../model/Definition.ts"
import * as Load from "./Load.ts"
import * as Reading from "../read/Reading.ts"
import type { Part } from "../plan/RunRequests.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import * as Tracker from "../read/Tracker.ts"

/** What a load is of. */
export interface SharedLoad {
  readonly subject: SeriesParams.SeriesParams
  readonly definition: Definition
  /** In ascending order. */
  readonly entities: ReadonlyArray<string>
}

/** What the syncs do that go on from a load. */
export interface Settings {
  readonly lookBack?: Duration.Input | undefined
  readonly onRemoved?: "keep" | "remove" | undefined
}

/** Works out what a load is of. Its entities are named, so that all workers have the same parts. Sends nothing. */
export const make = Effect.fnUntraced(function* (
  endpoint: Endpoint.Any,
  params: Readonly<Record<string, unknown>>,
  { onRemoved = "keep", lookBack }: Settings = {}
) {
  const { account } = yield* Client.Client
  const refuse = (setting: string, reason: string) => new BadDefinition({ endpoint: endpoint.path, setting, reason })
  const wanted = yield* SeriesParams.normalize(endpoint, Load.withoutEnd(endpoint, params))
  const subject = yield* SeriesParams.make(endpoint, wanted)
  const millis = lookBack === undefined ? SeriesParams.usualLookBack(subject.every) : millisOf(lookBack)
  if (millis === undefined) return yield* refuse("lookBack", "is no length of time")
  const { entities: name } = subject.names
  const entities = Params.items(wanted[name])
  const wildcard = entities.find((item) => item.includes("*"))
  if (wildcard !== undefined) {
    return yield* refuse(name, `has the wildcard "${wildcard}"; name what it stands for`)
  }
  const definition: Definition = {
    root: account.root.url,
    endpoint: endpoint.path,
    params: wanted,
    lookBack: millis,
    onRemoved
  }
  const load: SharedLoad = { subject, definition, entities: entities.toSorted() }
  return load
})

const millisOf = (lookBack: Duration.Input): number | undefined => {
  const millis = Option.getOrUndefined(Option.map(Duration.fromInput(lookBack), Duration.toMillis))
  return millis !== undefined && millis >= 0 && Number.isFinite(millis) ? millis : undefined
}

/** A part while it is read. */
export interface PartReading {
  /** To be read once. */
  readonly records: Stream.Stream<unknown, ApiError | UnexpectedRecord>
  /** What was seen of them so far. */
  readonly tracker: Tracker.Tracker
}

/** Reads a part, in the lane of downloads. `dataset` is the folder or table, as messages name it. */
export const read = (
  { definition, subject }: SharedLoad,
  dataset: string,
  part: Part,
  client: Client.Client["Service"]
): PartReading => {
  const { entities, from, to } = part
  const tracker = Tracker.make({ entity: subject.entity }, subject.every, { entities: new Set(entities), from, to })
  const records = Reading.of({ dataset, subject, definition, part, see: tracker.see }).pipe(
    (reading) => Quota.inOwnLane(reading, "download"),
    Stream.provideService(Client.Client, client)
  )
  return { records, tracker }
}
