/**
 * Where the service is and with which key: from flags, the environment, or a configuration file, in that order.
 */
import type { Misconfigured } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"

/** `--root`. */
export const Root = GlobalFlag.Setting("root")({
  flag: Flag.String("root").pipe(
    Flag.withMetavar("<url>"),
    Flag.withDescription("The service: paid, community, or a URL (SLUICE_BASE_URL)"),
    Flag.optional
  )
})

/** `--api-key`. */
export const ApiKey = GlobalFlag.Setting("api-key")({
  flag: Flag.Redacted("api-key").pipe(
    Flag.withAlias("api_key"),
    Flag.withMetavar("<key>"),
    Flag.withDescription("The key; other users of this machine see flags, so prefer SLUICE_API_KEY or the config file"),
    Flag.optional
  )
})

/** `--config`. */
export const ConfigFile = GlobalFlag.Setting("config")({
  flag: Flag.String("config").pipe(
    Flag.withMetavar("<file>"),
    Flag.withDescription("Config file in place of ~/.config/sluice/config.toml"),
    Flag.optional
  )
})

/** `--json`. */
export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(
    Flag.withDescription("Print JSON for programs, errors included"),
    Flag.withDefault(false)
  )
})

/** All of them; each works before and after the command. */
export const flags = [Json, Root, ApiKey, ConfigFile] as const

/** Names of the flags that take the word after them. */
export const takingValues: ReadonlySet<string> = new Set([
  "--root",
  "--api-key",
  "--api_key",
  "--config",
  "--log-level"
])

/** The config file cannot be used. */
export class BadConfigFile extends Schema.TaggedError<BadConfigFile>()("BadConfigFile", {
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `the config file ${this.file} ${this.reason}`
  }
}

/** Settings of the file, and the variable of the environment each stands for. */
const names = {
  root: "BASE_URL",
  api_key: "API_KEY",
  plan: "PLAN",
  deprecated: "DEPRECATED",
  connect_timeout: "CONNECT_TIMEOUT",
  first_byte_timeout: "FIRST_BYTE_TIMEOUT",
  idle_timeout: "IDLE_TIMEOUT",
  gzip: "GZIP"
} as const

const isName = (name: string): name is keyof typeof names => Object.hasOwn(names, name)

const home = Config.all({
  config: Config.option(Config.NonEmptyString("XDG_CONFIG_HOME")),
  home: Config.option(Config.NonEmptyString("HOME").pipe(Config.orElse(() => Config.NonEmptyString("USERPROFILE"))))
})

/** The files looked for when none is named: the first that exists counts. */
export const defaultFiles = Effect.gen(function* () {
  const path = yield* Path.Path
  const { config, home: own } = yield* Effect.orDie(home)
  const folder = Option.orElse(config, () => Option.map(own, (folder) => path.join(folder, ".config")))
  return Option.match(folder, {
    onNone: () => [],
    onSome: (folder) => ["config.toml", "config.json"].map((name) => path.join(folder, "sluice", name))
  })
})

const read = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* Effect.mapError(
    fs.readFileString(file),
    (error) => new BadConfigFile({ file, reason: `cannot be read: ${error.reason._tag}` })
  )
  const parsed = yield* parse(file, text)
  const settings: Record<string, string> = {}
  for (const [name, value] of Object.entries(parsed)) {
    if (!isName(name)) {
      return yield* new BadConfigFile({
        file,
        reason: `has an unknown setting ${JSON.stringify(name)}; it may hold ${Object.keys(names).join(", ")}`
      })
    }
    if (typeof value !== "string" && typeof value !== "boolean") {
      return yield* new BadConfigFile({ file, reason: `has a setting ${name} that is no text` })
    }
    settings[names[name]] = String(value)
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

const fileSettings = Effect.gen(function* () {
  const named = yield* ConfigFile
  if (Option.isSome(named)) return yield* read(named.value)
  const fs = yield* FileSystem.FileSystem
  for (const file of yield* defaultFiles) {
    if (yield* Effect.orElseSucceed(fs.exists(file), () => false)) return yield* read(file)
  }
  return {}
})

/** What building a client can fail with. */
export type SettingsError = BadConfigFile | Misconfigured | Config.ConfigError

type Needs = GlobalFlag.Setting.Identifier<"root" | "api-key" | "config"> | FileSystem.FileSystem | Path.Path

const settings = (values: Readonly<Record<string, string>>) => ConfigProvider.fromUnknown({ SLUICE: values })

// A key belongs to the service it was written down with: one from the file is not sent to a root named elsewhere.
const withoutForeignKey = (file: Readonly<Record<string, string>>, root: Option.Option<string>) => {
  const { API_KEY, ...rest } = file
  const own = file.BASE_URL ?? "paid"
  const isForeign = Option.isSome(root) && root.value.replace(/\/+$/, "") !== own.replace(/\/+$/, "")
  return API_KEY === undefined || isForeign ? rest : file
}

/** Provides the client of this invocation. */
export const layer: Layer.Layer<Client, SettingsError, Needs> = Layer.unwrap(
  Effect.gen(function* () {
    const NodeClient = yield* Effect.promise(() => import("../NodeClient.ts"))
    const apiKey = yield* ApiKey
    const environment = yield* ConfigProvider.ConfigProvider
    const named = yield* Root
    const root = Option.isSome(named) ? named : yield* Config.option(Config.NonEmptyString("SLUICE_BASE_URL"))
    const file = withoutForeignKey(yield* fileSettings, root)
    const flags = Option.match(root, { onNone: () => ({}), onSome: (url) => ({ BASE_URL: url }) })
    const provider = settings(flags).pipe(ConfigProvider.orElse(environment), ConfigProvider.orElse(settings(file)))
    return NodeClient.layerConfig({ apiKey: Option.getOrUndefined(apiKey) }).pipe(
      Layer.provide(ConfigProvider.layer(provider))
    )
  })
)
