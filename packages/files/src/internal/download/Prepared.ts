/**
 * What a job comes to before anything is sent: its parts, the names of their files, and how records become bytes.
 */
import * as Bulk from "@sluice/core/Bulk"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Params from "@sluice/core/Params"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Format from "../../Format.ts"
import * as FileName from "./FileName.ts"
import * as Manifest from "./Manifest.ts"
import * as ManifestFormat from "./ManifestFormat.ts"

/** The part of a job that decides the bytes of its files. */
export interface Job {
  readonly endpoint: Endpoint.Any
  readonly params: Bulk.ParamsOf<Endpoint.Any>
  readonly split?: Bulk.Split | undefined
  readonly format: Format.Options
  readonly given?: Readonly<Record<string, string>> | undefined
}

/**
 * Works out what the folder should hold. Its manifest, if it has one, decides what the job leaves open: names of files,
 * and what an earlier version wrote where nothing was said. Sends nothing and reads no file.
 */
export const make = Effect.fnUntraced(function* (job: Job, kept?: Manifest.Manifest | undefined) {
  const { endpoint, params, split = {} } = job
  const { options: format, stored } = ManifestFormat.of(job.format, kept?.format)
  const { account } = yield* Client.Client
  const [{ params: whole } = { params: {} }] = yield* Bulk.split(endpoint, params)
  const parts = yield* Bulk.split(endpoint, params, split)
  // A list whose items are columns cannot be split, so every file has the columns of the whole request.
  const encode = yield* Format.encode(endpoint, whole, format)
  const names = keptNames(kept, parts) ?? FileName.all(endpoint, split, parts, Format.extension(format))
  const manifest = Manifest.make(
    {
      root: account.root.url,
      endpoint: endpoint.path,
      params: { ...whole, ...inOrder(split.by, parts) },
      split: plainSplit(split),
      format: stored
    },
    parts.map((part, place) => ({ ...part, file: names[place] ?? "" })),
    job.given
  )
  return { encode, manifest }
})

const textOf = (all: ReadonlyArray<Bulk.Part>) => JSON.stringify(all.map(({ index, params }) => [index, params]))

/** The names that a folder of the same parts has already, which an earlier version may have chosen in another way. */
const keptNames = (kept: Manifest.Manifest | undefined, parts: ReadonlyArray<Bulk.Part>) => {
  return kept !== undefined && textOf(kept.parts) === textOf(parts) ? kept.parts.map(({ file }) => file) : undefined
}

/** The list that is split, in the order of its parts: the download is the same for any order of the items. */
export const inOrder = (by: string | undefined, parts: ReadonlyArray<Bulk.Part>): Schema.JsonObject =>
  by === undefined ? {} : { [by]: [...new Set(parts.flatMap(({ params }) => Params.items(params[by])))] }

/** A split as JSON. */
export const plainSplit = ({ by, every, size }: Bulk.Split): Schema.JsonObject => ({
  ...(by === undefined ? {} : { by }),
  ...(size === undefined ? {} : { size: Number.isFinite(size) ? size : "all" }),
  ...(every === undefined ? {} : { every: plainEvery(every) })
})

/** Milliseconds, or a period of the calendar as text. */
const plainEvery = (every: NonNullable<Bulk.Split["every"]>): number | string => {
  const months = Bulk.monthsOf(every)
  // Type boundary: what is no period is a duration; `Bulk.split` has read it.
  return months === undefined ? Duration.toMillis(every as Duration.Input) : Bulk.periodOf(months)
}
