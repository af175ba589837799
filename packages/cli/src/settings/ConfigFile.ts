/**
 * The config file: TOML or JSON, in the folder for such files.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as GlobalFlags from "./GlobalFlags.ts"
import * as Variables from "./Variables.ts"

/** The config file cannot be used. */
export class BadConfigFile extends Schema.TaggedError<BadConfigFile>()("BadConfigFile", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the config file ${this.file} ${this.reason}`
  }
}

const folders = Config.all({
  config: Config.option(Config.String("XDG_CONFIG_HOME")),
  home: Config.option(Config.String("HOME")),
  profile: Config.option(Config.String("USERPROFILE"))
})

const isSet = (text: string) => text !== ""

/** The files looked for when none is named: the first that exists counts. */
const defaultFiles = Effect.gen(function* () {
  const path = yield* Path.Path
  const { config, home, profile } = yield* Effect.orDie(folders)
  const own = Option.map(
    Option.filter(
      Option.orElse(home, () => profile),
      isSet
    ),
    (home) => path.join(home, ".config")
  )
  const folder = Option.orElse(Option.filter(config, isSet), () => own)
  return Option.match(folder, {
    onNone: () => [],
    onSome: (folder) => ["config.toml", "config.json"].map((name) => path.join(folder, "sluice", name))
  })
})

const reasons: Readonly<Record<string, string>> = {
  NotFound: "does not exist",
  BadResource: "is no file",
  PermissionDenied: "may not be read by you"
}

const expected = ({ holds }: Variables.Variable) =>
  holds === "text" ? "no text; put it in quotes" : holds === "number" ? "no number" : "neither true nor false"

const read = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    fs.readFileString(file),
    ({ reason }) => new BadConfigFile({ file, reason: reasons[reason._tag] ?? `cannot be read: ${reason._tag}` })
  )
  const parsed = yield* parse(file, text)
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries(parsed)) {
    const row = Variables.ofKey(name)
    if (row === undefined) {
      const known = Variables.all.map(({ key }) => key).join(", ")
      const reason = `has an unknown setting ${JSON.stringify(name)}; it may hold ${known}`
      return yield* new BadConfigFile({ file, reason })
    }
    if (typeof value !== "string" && typeof value !== row.holds) {
      return yield* new BadConfigFile({ file, reason: `has a setting ${name} that is ${expected(row)}` })
    }
    settings[row.variable.replace("SLUICE_", "")] = String(value)
  }
  return settings
})

// A parser quotes what it stumbles over, and that may be the key: only the place is said.
const parse = Effect.fnUntraced(function* (file: string, text: string) {
  const isJson = file.endsWith(".json")
  const json = Schema.decodeUnknownResult(Schema.fromJsonString(Schema.Record(Schema.String, Schema.Unknown)))
  if (isJson) {
    const parsed = json(text)
    if (Result.isSuccess(parsed)) return parsed.success
    return yield* new BadConfigFile({ file, reason: "is not a JSON object" })
  }
  const Toml = yield* Effect.promise(() => import("effect/encoding/Toml"))
  const parsed = Toml.parse(text)
  if (Result.isSuccess(parsed)) return parsed.success
  const place = /line (\d+)/i.exec(parsed.failure.message)?.[1]
  return yield* new BadConfigFile({ file, reason: `is not TOML${place === undefined ? "" : `, see line ${place}`}` })
})

/** What the file says, by the variable of the environment each setting stands for. */
export const settings = Effect.gen(function* () {
  const named = yield* GlobalFlags.ConfigFile
  if (Option.isSome(named)) return yield* read(named.value)
  const fs = yield* FileSystem.FileSystem
  for (const file of yield* defaultFiles) {
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return yield* read(file)
  }
  return {}
})
