/**
 * The manifest of a folder: the request, its split, the format, and the file of every part. It is written before the first
 * record; the journal has the finished parts. Where the download was planned, it is written again at the end, with what it took. It does not contain the key.
 */
import * as Bulk from "@sluice/core/Bulk"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Bookkeeping from "../folder/Bookkeeping.ts"
import { among, type Difference } from "../folder/Differing.ts"
import type { Files } from "../folder/Files.ts"
import { BookkeepingDamaged } from "../folder/FolderError.ts"
import * as Outcome from "./Outcome.ts"
import * as ChecksummedJson from "../folder/ChecksummedJson.ts"

/** Name in the bookkeeping folder. */
export const name = Bookkeeping.ofDownload

const version = 1

const FilePart = Schema.Struct({
  ...Bulk.Part.fields,
  // No slash: nothing is written outside the folder, whatever a manifest contains.
  file: Schema.String.check(Schema.isPattern(/^[A-Za-z0-9_+-][A-Za-z0-9._+-]*$/))
})

/** A part and the name of its file. */
export type FilePart = typeof FilePart.Type

const Job = Schema.Struct({
  /** URL of the service, without a key. */
  root: Schema.String,
  /** Path of the endpoint. */
  endpoint: Schema.String,
  /** The whole request. */
  params: Schema.JsonObject,
  /** `by`, `size` (`all` for as many as fit) and `every` (such as `30 days` or `1 month`), each if given. */
  split: Schema.JsonObject,
  /** How the files are written. */
  format: Schema.JsonObject
})
/** What identifies a download: everything that decides the bytes of its files. */
export type Job = typeof Job.Type

/** What identifies the download of a manifest. */
export const identity = ({ endpoint, format, params, root, split }: Job): Schema.JsonObject => ({
  root,
  endpoint,
  params,
  split,
  format
})

/** Schema of {@link Manifest}. */
export const Manifest = Schema.Struct({
  sluice: Schema.Literal(version),
  ...Job.fields,
  /** Parameters as they were given, where the request has something else in their place. They identify nothing. */
  given: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  /** The plan, and what was taken in truth. It identifies nothing. */
  plan: Schema.optionalKey(Outcome.Outcome),
  parts: Schema.Array(FilePart)
})
export type Manifest = typeof Manifest.Type

export const make = (job: Job, parts: ReadonlyArray<FilePart>, given: Manifest["given"] = undefined): Manifest => ({
  sluice: version,
  ...job,
  ...(given === undefined ? {} : { given }),
  parts
})

export const write = (files: Files, bookkeeping: string, manifest: Manifest) =>
  files.put(files.join(bookkeeping, name), textOf(manifest), "absent")

/** Writes the manifest again, atomically, with what was taken. */
export const rewrite = (files: Files, bookkeeping: string, manifest: Manifest) =>
  files.put(files.join(bookkeeping, name), textOf(manifest))

const textOf = (manifest: Manifest) => `${JSON.stringify(ChecksummedJson.seal(manifest), undefined, 2)}\n`

/** Reads the manifest; undefined where there is none. Fails with `BookkeepingDamaged` when it was cut or edited. */
export const read = Effect.fnUntraced(function* (files: Files, folder: string, bookkeeping: string) {
  const file = files.join(bookkeeping, name)
  const text = yield* files.text(file)
  if (text === undefined) return undefined
  const opened = ChecksummedJson.open(text)
  if (Result.isFailure(opened)) return yield* new BookkeepingDamaged({ folder, file, reason: opened.failure })
  return yield* Effect.mapError(
    decode(opened.success),
    () => new BookkeepingDamaged({ folder, file, reason: "it was written by another version of Sluice" })
  )
})

const decode = Schema.decodeUnknownEffect(Manifest)

/** Settings in which two downloads differ, such as `params.assets`; empty for the same download. */
export const differences = (kept: Job, given: Job): ReadonlyArray<Difference> =>
  among(Object.keys(Job.fields), kept, given)
