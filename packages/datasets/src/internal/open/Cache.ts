/**
 * Calls that are answered from a folder as far as they were made before.
 */
import type * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Params from "@sluice/core/Params"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import { BadDefinition, type DatasetError, type HeldError } from "../model/DatasetError.ts"
import * as SeriesParams from "../model/SeriesParams.ts"
import * as Read from "./Read.ts"

/** Where answers are kept, and when they count as current. */
export interface CacheOptions extends Pick<Read.ReadOptions, "offline" | "maxAge"> {
  /**
   * A folder, or one in a bucket, for all calls of one service: it gets a folder for each endpoint with its parameters, but for their times.
   */
  readonly in: string
}

/** Parameters that say times: one folder has all of them. */
const isOfTimes = ({ role }: { readonly role: { readonly _tag: string } }): boolean =>
  role._tag === "Start" || role._tag === "End" || role._tag === "EndInclusive"

/** Lists whose order says nothing. */
const isUnordered = (parameter: { readonly role: { readonly _tag: string } } | undefined): boolean =>
  parameter?.role._tag === "Entities" || parameter?.role._tag === "Columns"

/** The folder of a call. */
const folderOf = Effect.fnUntraced(function* (
  folder: string,
  endpoint: Endpoint.Any,
  params: Readonly<Record<string, unknown>>
) {
  // It would be the root of all files.
  if (folder === "") {
    return yield* new BadDefinition({
      endpoint: endpoint.path,
      kind: "reading",
      setting: "in",
      reason: "names no folder"
    })
  }
  if (endpoint.order === "list") {
    const reason =
      "is a list, of which a call has no times to keep: read it with Dataset.read (--from), which keeps its versions"
    return yield* new BadDefinition({ endpoint: endpoint.path, kind: "reading", setting: "endpoint", reason })
  }
  const whole = yield* SeriesParams.normalize(endpoint, params)
  const times = new Set([...endpoint.parameters.values()].filter(isOfTimes).map(({ name }) => name))
  const own = Object.entries(whole).flatMap(([name, value]) => {
    const items = isUnordered(endpoint.parameters.get(name)) ? [...new Set(Params.items(value))].toSorted() : value
    return times.has(name) ? [] : [[name, items] as const]
  })
  const sum = Checksum.ofText(JSON.stringify(own.toSorted(([a], [b]) => (a < b ? -1 : 1)))).slice(0, 16)
  return `${folder.replace(/\/$/, "")}/${endpoint.path.slice(1).replaceAll(/[^a-z0-9-]+/g, "-")}-${sum}`
})

/**
 * Reads records as a call of the endpoint with the same parameters does, and keeps them in a folder: what is final is requested once.
 *
 * **Example** (Reading a month of prices, from the service once)
 *
 * ```ts
 * const params = { assets: ["btc"], metrics: ["PriceUSD"], start_time: "2025-01-01", end_time: "2025-01-31" }
 * const prices = Dataset.cache(Timeseries.assetMetrics, params, { in: "cache" })
 * ```
 *
 * **Details**
 *
 * The folder of a call is a dataset, of NDJSON that keeps all as the service sent it, and everything that {@link read} says holds for it: order, `offline`, `maxAge`, what is a
 * series. It differs in the times that are read: those of the call alone, without what is held of them. Where they reach into the look-back,
 * or behind the last record of an entity, the service may still add to them or revise them: a call after `maxAge` reads that part of its
 * times again. What was over for more than 60 days when it was read is read again after as much time. Other entities, metrics or filters are
 * another dataset.
 *
 * **Gotchas**
 *
 * Values that the service revises before the look-back stay as they are: remove the folder to read them again. Each root of the service
 * needs a folder of its own: calls of another one fail with `OtherDefinition`, which names the root, and `offline` reads do not ask for it.
 * Lists fail with `BadDefinition`: {@link read} keeps them.
 */
export const cache: {
  <const P, A>(
    endpoint: Read.Callable<P, A>,
    params: P,
    options: CacheOptions & { readonly offline: true }
  ): Stream.Stream<A, HeldError, FileSystem.FileSystem | Path.Path>
  <const P, A>(
    endpoint: Read.Callable<P, A>,
    params: P,
    options: CacheOptions
  ): Stream.Stream<A, DatasetError, Client.Client | FileSystem.FileSystem | Path.Path>
} = <const P, A>(endpoint: Read.Callable<P, A>, params: P, { in: folder, ...options }: CacheOptions) => {
  // Type boundary: a function that gives the records of an endpoint is that endpoint, and its parameters are checked as data.
  const [source, given] = [endpoint as unknown as Endpoint.Any, params as Readonly<Record<string, unknown>>]
  const records = Stream.unwrap(
    Effect.map(folderOf(folder, source, given), (from) =>
      Read.from(endpoint, params, { ...options, from }, Read.records, true)
    )
  )
  // Type boundary: a dataset has the records of its endpoint; what fails and is needed, the signatures above say.
  return records as Stream.Stream<A, HeldError, never>
}
