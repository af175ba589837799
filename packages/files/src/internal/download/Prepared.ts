/** What a job comes to before anything is sent: its parts, the names of their files, and how records become bytes. */
import * as Bulk from "@sluice/core/Bulk"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Params from "@sluice/core/Params"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as Format from "../../Format.ts"
import * as FormatOptions from "../format/Options.ts"
import * as FileName from "./FileName.ts"
import * as Manifest from "./Manifest.ts"

/** The part of a job that decides the bytes of its files. */
export interface Job {
  readonly endpoint: Endpoint.Any
  readonly params: Bulk.ParamsOf<Endpoint.Any>
  readonly split?: Bulk.Split | undefined
  readonly format: Format.Options
  readonly given?: Readonly<Record<string, string>> | undefined
}

/** Works out what the folder should hold. Sends nothing and reads no file. */
export const make = Effect.fnUntraced(function* ({ endpoint, format, given, params, split = {} }: Job) {
  const { account } = yield* Client.Client
  const [{ params: whole } = { params: {} }] = yield* Bulk.split(endpoint, params)
  const parts = yield* Bulk.split(endpoint, params, split)
  // A list whose items are columns cannot be split, so every file has the columns of the whole request.
  const encode = yield* Format.encode(endpoint, whole, format)
  const names = FileName.all(endpoint, split, parts, Format.extension(format))
  const manifest = Manifest.make(
    {
      root: account.root.url,
      endpoint: endpoint.path,
      params: { ...whole, ...inOrder(split.by, parts) },
      split: plainSplit(split),
      format: FormatOptions.withDefaults(format)
    },
    parts.map((part, place) => ({ ...part, file: names[place] ?? "" })),
    given
  )
  return { encode, manifest }
})

/** The list that is split, in the order of its parts: the download is the same for any order of the items. */
export const inOrder = (by: string | undefined, parts: ReadonlyArray<Bulk.Part>): Schema.JsonObject =>
  by === undefined ? {} : { [by]: [...new Set(parts.flatMap(({ params }) => Params.items(params[by])))] }

/** A split as JSON. */
export const plainSplit = ({ by, every, size }: Bulk.Split): Schema.JsonObject => ({
  ...(by === undefined ? {} : { by }),
  ...(size === undefined ? {} : { size: Number.isFinite(size) ? size : "all" }),
  ...(every === undefined ? {} : { every: plainEvery(every) })
})

const units = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, seconds: 1_000, millis: 1 }

/** A length of time such as `30 days`, or a period of the calendar. */
const plainEvery = (every: NonNullable<Bulk.Split["every"]>): string => {
  const months = Bulk.monthsOf(every)
  if (months !== undefined) return Bulk.periodOf(months)
  // Type boundary: what is no period is a duration; `Bulk.split` has read it.
  const millis = Duration.toMillis(every as Duration.Input)
  const unit = Struct.keys(units).find((unit) => millis % units[unit] === 0) ?? "millis"
  return `${millis / units[unit]} ${unit}`
}
