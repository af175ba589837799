/** The place that `--output`, `--into` and `--table` name, by the same rules in every command that has these flags. */
import { isObject } from "@sluice/files/internal/storage/Objects"
import type * as Flag from "effect/cli/Flag"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Struct from "effect/Struct"
import * as ClusterUrl from "../../settings/ClusterUrl.ts"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import * as Config from "effect/Config"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** The flags name no place, or two, or none that is known. */
export class BadPlace extends Data.TaggedError("BadPlace")<{
  readonly message: string
  /** The flag that is missing. */
  readonly missing?: "table"
  /** The command whose help has examples, where it is not `sync`. */
  readonly command?: string | undefined
}> {}

export type NamedPlace =
  | { readonly _tag: "Output"; readonly folder: string }
  | { readonly _tag: "Folder"; readonly folder: string }
  /** A table of a PostgreSQL. The URL has the password. */
  | { readonly _tag: "Postgres"; readonly url: Redacted.Redacted; readonly table: string }
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
  readonly into: ReadonlyArray<Into>
  readonly intoIs: string
  /** Why `--into` names nothing of it. */
  readonly intoIsNot: string
  /** What `--table` is for. */
  readonly table: string
  readonly unfit: { readonly [Place in Into | "Output"]?: Unfit }
}

export interface Input {
  readonly output: string | undefined
  readonly into: string | undefined
  readonly table: string | undefined
}

/** Whether a text is the URL of a PostgreSQL. */
export const isPostgres = (text: string) => /^postgres(?:ql)?:\/\//i.test(text)
const isDuckdb = (text: string) => /\.(?:duckdb|ddb)$/i.test(text)

export const isDatabase = (text: string): boolean => isPostgres(text) || isDuckdb(text)

/** Whether a text is a URL, which is no folder; that of a bucket is one. Never quoted: it may hold a password. */
export const isUrl = (text: string) => !isObject(text) && /^\s*[a-z][a-z0-9+.-]+:\/\//i.test(text)

/** Fails where a text is nearly the address of a folder in a bucket, or that of another kind of storage. */
export const expectFolder = (folder: string, command?: "backfill" | "download"): Effect.Effect<void, BadPlace> =>
  /^[a-z][a-z0-9+.-]+:\//i.test(folder) && !/^s3:\/\/[^/]+\/[^/]/.test(folder)
    ? Effect.fail(
        new BadPlace({ message: "--output is neither a folder nor one in a bucket, as s3://bucket/folder", command })
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
    return yield* new BadPlace({ message: `--${flag} ${unfit.why(flag)}`, command: allowed.command })
  }
  return place as Extract<NamedPlace, { readonly _tag: Into | "Output" }>
})

/** What messages need of the places of a command. */
type Words = Omit<Allowed<Tag>, "unfit">

const outputOf = Effect.fnUntraced(function* ({ output: folder, table }: Input, { command, intoIs }: Words) {
  const refuse = (message: string) => new BadPlace({ message, command })
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
  const refuse = (message: string) => new BadPlace({ message, command })
  if (output !== undefined) return yield* refuse(`--output and --into exclude each other: ${noun} has one place`)
  const kind = kindOf(text)
  if (kind === undefined || !into.includes(kind)) return yield* refuse(kind === "Duckdb" ? onlyPostgres : intoIsNot)
  if (kind === "Folder") {
    if (table !== undefined) return yield* refuse(ofDatabase(text))
    return { _tag: kind, folder: text } satisfies NamedPlace
  }
  if (table === undefined) {
    const message = `--table is missing: ${allowed.table} in this database`
    return yield* new BadPlace({ message, missing: "table", command })
  }
  if (kind === "Duckdb") return { _tag: kind, file: text, table } satisfies NamedPlace
  return { _tag: kind, url: yield* urlOf(text, command), table } satisfies NamedPlace
})

/** The URL of a PostgreSQL that a flag names, with the password. */
export const urlOf = Effect.fnUntraced(function* (text: string, command: string | undefined, flag = "into") {
  if (yield* ClusterUrl.lacksUser(text)) {
    return yield* new BadPlace({ message: `--${flag} names no user before its host`, command })
  }
  return yield* complete(text)
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
  const message = isDuckdb(text) ? onlyPostgres : "--into is not a URL that begins with postgres://"
  return yield* new BadPlace({ message, command: "worker" })
})

/** Adds the password from PGPASSWORD to a URL. Warns where the URL has one itself. */
const complete = Effect.fnUntraced(function* (text: string) {
  if (hasPassword(text)) {
    yield* Effect.logWarning(
      "the URL of the database has a password, which others may read where it stands; put it into PGPASSWORD"
    )
  }
  return Redacted.make(yield* withPassword(text))
})

const hasPassword = (text: string) => /^[a-z]+:\/\/[^/?#@]*:[^@/?#]+.*@/i.test(text) || /[?&]password=[^&]/i.test(text)

/** Takes the password from PGPASSWORD where the URL has none: other users of the machine can read the words of a command. */
const withPassword = Effect.fnUntraced(function* (text: string) {
  const password = yield* Effect.orElseSucceed(Config.option(Config.NonEmptyString("PGPASSWORD")), Option.none)
  if (Option.isNone(password) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password === "") url.password = encodeURIComponent(password.value)
  return url.href
})
