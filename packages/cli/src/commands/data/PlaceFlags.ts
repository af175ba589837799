/**
 * The place that `--output`, `--into` and `--table` name, by the same rules in every command that has these flags.
 */
import { isObject } from "@sluice/files/internal/storage/Objects"
import type * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as DatabaseUser from "../../settings/DatabaseUser.ts"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import * as DatabaseUrl from "./DatabaseUrl.ts"

/** The flags name no place, or two, or none that is known. */
export class BadPlace extends Schema.TaggedError<BadPlace>()("BadPlace", {
  reason: Schema.String,
  /** The flag that is missing. */
  missing: Schema.optional(Schema.Literal("table")),
  /** The command whose help has examples, where it is not `sync`. */
  command: Schema.optional(Schema.String)
}) {
  override get message() {
    return this.reason
  }
}

/** A place that flags name. */
export type NamedPlace =
  /** The folder of `--output`. */
  | { readonly _tag: "Output"; readonly folder: string }
  /** The folder of `--into`. */
  | { readonly _tag: "Folder"; readonly folder: string }
  /** A table of a PostgreSQL. The URL has the password. */
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted; readonly table: string }
  /** A table of a DuckDB file. */
  | { readonly _tag: "Duckdb"; readonly file: string; readonly table: string }

type Tag = NamedPlace["_tag"]

/** Flags that were given, which a place does not have, and why. */
export interface Unfit {
  readonly flags: ReadonlyArray<string>
  /** The sentence behind the name of the flag. */
  readonly why: (flag: string) => string
}

/** Names of those flags whose options were given. */
export const named = <Key extends string>(
  flags: Readonly<Record<Key, Flag.Flag<unknown>>>,
  options: { readonly [Name in NoInfer<Key>]?: unknown }
): ReadonlyArray<string> =>
  Struct.keys(flags).flatMap((key) => (options[key] === undefined ? [] : FlagKinds.namesOf({ flag: flags[key] })))

/** Which places a command takes, and what its messages call them. */
export interface Allowed<Into extends Tag> {
  /** The command, where it is not `sync`. */
  readonly command?: "backfill"
  /** What has one place. */
  readonly noun: string
  /** What `--into` may name. */
  readonly into: ReadonlyArray<Into>
  /** The same in words. */
  readonly intoIs: string
  /** Why `--into` names nothing of it. */
  readonly intoIsNot: string
  /** What `--table` is for. */
  readonly table: string
  readonly unfit: { readonly [Place in Into | "Output"]?: Unfit }
}

/** Flags that name a place. */
export interface Input {
  readonly output: string | undefined
  readonly into: string | undefined
  readonly table: string | undefined
}

/** Whether a text is the URL of a PostgreSQL. */
export const isPostgres = (text: string) => /^postgres(?:ql)?:\/\//i.test(text)
const isDuckdb = (text: string) => /\.(?:duckdb|ddb)$/i.test(text)

/** Whether a text names a database rather than a folder. */
export const isDatabase = (text: string): boolean => isPostgres(text) || isDuckdb(text)

/** Whether a text is a URL, which is no folder; that of a bucket is one. Never quoted: it may hold a password. */
export const isUrl = (text: string) => !isObject(text) && /^\s*[a-z][a-z0-9+.-]+:\/\//i.test(text)

/** Fails where a text is nearly the address of a folder in a bucket, or that of another kind of storage. */
export const expectFolder = (folder: string, command?: "backfill" | "download"): Effect.Effect<void, BadPlace> =>
  /^[a-z][a-z0-9+.-]+:\//i.test(folder) && !/^s3:\/\/[^/]+\/[^/]/.test(folder)
    ? Effect.fail(
        new BadPlace({ reason: "--output is neither a folder nor one in a bucket, as s3://bucket/folder", command })
      )
    : Effect.void

/** The place that the flags name. Fails where it is none that the command takes, and where other flags do not fit it. */
export const find = Effect.fnUntraced(function* <Into extends Tag>(
  input: Input,
  allowed: Allowed<Into>
): Effect.fn.Return<Extract<NamedPlace, { readonly _tag: Into | "Output" }>, BadPlace> {
  const place = yield* input.into === undefined ? outputOf(input, allowed) : intoOf(input.into, input, allowed)
  // Type boundary: a place of `--into` is one of those that the command takes.
  const tag = place._tag as Into | "Output"
  const unfit = allowed.unfit[tag]
  const flag = unfit?.flags[0]
  if (unfit !== undefined && flag !== undefined) {
    return yield* new BadPlace({ reason: `--${flag} ${unfit.why(flag)}`, command: allowed.command })
  }
  return place as Extract<NamedPlace, { readonly _tag: Into | "Output" }>
})

/** What messages need of the places of a command. */
type Words = Omit<Allowed<Tag>, "unfit">

const outputOf = Effect.fnUntraced(function* ({ output: folder, table }: Input, { command, intoIs }: Words) {
  const refuse = (reason: string) => new BadPlace({ reason, command })
  if (folder === undefined) return yield* refuse(`--output is missing: a folder; or --into, ${intoIs}`)
  if (isDatabase(folder)) {
    return yield* refuse("--output is a folder, and what it names is a database: use --into and --table")
  }
  if (isUrl(folder)) return yield* refuse("--output is neither a folder nor a database that sluice knows, but a URL")
  yield* expectFolder(folder, command)
  if (table !== undefined) return yield* refuse(ofDatabase(folder))
  const place: NamedPlace = { _tag: "Output", folder }
  return place
})

const intoOf = Effect.fnUntraced(function* (text: string, { output, table }: Input, allowed: Words) {
  const { command, into, intoIsNot, noun } = allowed
  const refuse = (reason: string) => new BadPlace({ reason, command })
  if (output !== undefined) return yield* refuse(`--output and --into exclude each other: ${noun} has one place`)
  const kind = kindOf(text)
  if (kind === undefined || !into.includes(kind)) return yield* refuse(kind === "Duckdb" ? onlyPostgres : intoIsNot)
  if (kind === "Folder") {
    if (table !== undefined) return yield* refuse(ofDatabase(text))
    return { _tag: kind, folder: text } satisfies NamedPlace
  }
  if (table === undefined) {
    const reason = `--table is missing: ${allowed.table} in this database`
    return yield* new BadPlace({ reason, missing: "table", command })
  }
  if (kind === "Duckdb") return { _tag: kind, file: text, table } satisfies NamedPlace
  return { _tag: kind, url: yield* urlOf(text, command), table } satisfies NamedPlace
})

/** The URL of a PostgreSQL that a flag names, with the password. */
export const urlOf = Effect.fnUntraced(function* (text: string, command: string | undefined, flag = "into") {
  if (yield* DatabaseUser.isMissing(text)) {
    return yield* new BadPlace({ reason: `--${flag} names no user before its host`, command })
  }
  return yield* DatabaseUrl.complete(text)
})

const kindOf = (text: string) =>
  isPostgres(text)
    ? "Postgres"
    : isObject(text)
      ? "Folder"
      : isDuckdb(text)
        ? "Duckdb"
        : isUrl(text)
          ? undefined
          : "Folder"

const ofDatabase = (folder: string) => `--table is of a database, and ${JSON.stringify(folder)} is a folder`

const onlyPostgres =
  "--into is a file of DuckDB, into which several workers cannot write: of databases a backfill has PostgreSQL alone, `sluice sync` has both"

/** The URL of a PostgreSQL that `--into` of a worker names, with the password. Fails where it names something else. */
export const ofWorker = Effect.fnUntraced(function* (text: string) {
  if (isPostgres(text)) return yield* urlOf(text, "worker")
  const reason = isDuckdb(text) ? onlyPostgres : "--into is not a URL that begins with postgres://"
  return yield* new BadPlace({ reason, command: "worker" })
})
