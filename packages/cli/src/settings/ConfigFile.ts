/** The config file: TOML or JSON, in the folder that the system has for them. */
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as UserDirectories from "effect/persistence/UserDirectories"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as GlobalFlags from "./GlobalFlags.ts"
import * as Variables from "./Variables.ts"

export class BadConfigFile extends Schema.TaggedError<BadConfigFile>()("BadConfigFile", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the config file ${this.file} ${this.reason}`
  }
}

/** The files that are tried when none is named: the first that exists is read. */
const defaultFiles = Effect.gen(function* () {
  const path = yield* Path.Path
  // Without a home folder there is no such file.
  const folder = yield* Effect.option(UserDirectories.make().config("sluice"))
  return Option.match(folder, {
    onNone: () => [],
    onSome: (folder) => ["config.toml", "config.json"].map((name) => path.join(folder, name))
  })
})

const reasons: Readonly<Record<string, string>> = {
  NotFound: "does not exist",
  BadResource: "is not a file",
  PermissionDenied: "cannot be read: permission denied"
}

const expected = ({ holds }: Variables.Variable) =>
  holds === "text" ? "not text; put it in quotes" : holds === "number" ? "not a number" : "neither true nor false"

/** The text of a file. Fails with the end of a sentence that begins with its name. */
export const textOf = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  return yield* Effect.mapError(
    fs.readFileString(file),
    ({ reason }) => reasons[reason._tag] ?? `cannot be read: ${reason._tag}`
  )
})

const read = Effect.fnUntraced(function* (file: string) {
  const parsed = yield* textOf(file).pipe(
    Effect.flatMap(file.endsWith(".json") ? jsonOf : tomlOf),
    Effect.mapError((reason) => new BadConfigFile({ file, reason }))
  )
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries(parsed)) {
    const row = Variables.ofKey(name)
    if (row === undefined) {
      const known = Variables.all.map(({ key }) => key).join(", ")
      const reason = `has an unknown setting ${JSON.stringify(name)}; known settings are ${known}`
      return yield* new BadConfigFile({ file, reason })
    }
    if (typeof value !== "string" && typeof value !== row.holds) {
      return yield* new BadConfigFile({ file, reason: `has a value for ${name} that is ${expected(row)}` })
    }
    settings[row.variable.replace("SLUICE_", "")] = String(value)
  }
  return settings
})

const json = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))

const jsonOf = (text: string) => Effect.mapError(json(text), () => "is not a JSON object")

/**
 * Parses TOML. The parser's message quotes the text it cannot read, which may be the key: it is taken without more than a character of
 * that, as the end of a sentence that begins with the name of the file.
 */
export const tomlOf = Effect.fnUntraced(function* (text: string) {
  const Toml = yield* Effect.promise(() => import("effect/encoding/Toml"))
  const parsed = Toml.parse(text)
  if (Result.isSuccess(parsed)) return parsed.success
  const [, reason = "", line] = /^(.*) at line (\d+)/s.exec(parsed.failure.message) ?? []
  if (line === undefined) return yield* Effect.fail("is not TOML")
  const said = reason.replace(/ '.{2,}'$/s, "")
  return yield* Effect.fail(`is not TOML, see line ${line}: ${said.slice(0, 1).toLowerCase()}${said.slice(1)}`)
})

export interface Found {
  readonly file: string | undefined
  /** Its settings, under the names of their environment variables without `SLUICE_`. */
  readonly settings: Readonly<Record<string, string>>
}

/** The config file that is named, or the first of those that are looked for. */
export const find = Effect.gen(function* () {
  const named = yield* GlobalFlags.ConfigFile
  const of = (file: string) => Effect.map(read(file), (settings): Found => ({ file, settings }))
  if (named !== undefined) return yield* of(named)
  const fs = yield* FileSystem.FileSystem
  for (const file of yield* defaultFiles) {
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return yield* of(file)
  }
  const none: Found = { file: undefined, settings: {} }
  return none
})
