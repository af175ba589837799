/**
 * The settings of an invocation, without what a client needs to be built. Flags override the environment, which overrides the config
 * file.
 */
import type * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as ConfigFile from "./ConfigFile.ts"
import * as GlobalFlags from "./GlobalFlags.ts"
import { Target } from "./Target.ts"
import * as Variables from "./Variables.ts"

export type Needs =
  | Target
  | GlobalFlag.Setting.Identifier<"root" | "api-key" | "config" | "retries">
  | FileSystem.FileSystem
  | Path.Path

const provide = (values: Readonly<Record<string, string>>) => ConfigProvider.fromUnknown({ SLUICE: values })

// The key of the file belongs to the root of the file, and is not sent to a root that a flag or a variable names.
const withoutForeignKey = (file: Readonly<Record<string, string>>, root: string | undefined) => {
  const { API_KEY, ...rest } = file
  const own = file.BASE_URL ?? "paid"
  const isForeign = root !== undefined && root.replace(/\/+$/, "") !== own.replace(/\/+$/, "")
  if (API_KEY === undefined) return { file: rest, withheldFrom: undefined }
  return isForeign ? { file: rest, withheldFrom: own } : { file, withheldFrom: undefined }
}

/** Where a setting comes from: the first of a flag, a variable and the config file that gives it. */
const from = (key: string, flag: unknown, variable: unknown, file: unknown) => {
  if (flag !== undefined) return `--${key.replace("_", "-")}`
  if (variable !== undefined) return Variables.ofKey(key)?.variable
  return file === undefined ? undefined : `${key} in the config file`
}

const variableOf = (name: string) => Effect.map(Config.option(Config.NonEmptyString(name)), Option.getOrUndefined)

/** The settings of this invocation, from its flags, the environment and the config file. */
const configured = Effect.gen(function* () {
  const apiKey = yield* GlobalFlags.ApiKey
  const environment = yield* ConfigProvider.ConfigProvider
  const named = yield* GlobalFlags.Root
  const root = named ?? (yield* variableOf("SLUICE_BASE_URL"))
  const found = yield* ConfigFile.find
  const { file, withheldFrom } = withoutForeignKey(found.settings, root)
  const ofEnvironment = yield* variableOf("SLUICE_API_KEY")
  const isGiven = (apiKey ?? ofEnvironment) !== undefined
  yield* Ref.update(yield* Target, ({ mayBeOffline }) => ({
    mayBeOffline,
    root: root ?? file.BASE_URL,
    withheldFrom: isGiven ? undefined : withheldFrom,
    rootFrom: from("root", named, root, file.BASE_URL),
    hasKey: isGiven || file.API_KEY !== undefined,
    keyFrom: from("api_key", apiKey, ofEnvironment, file.API_KEY),
    file: found.file
  }))
  return provide(root === undefined ? {} : { BASE_URL: root }).pipe(
    ConfigProvider.orElse(environment),
    ConfigProvider.orElse(provide(file))
  )
})

export const layer = Layer.unwrap(Effect.map(configured, (provider) => ConfigProvider.layer(provider)))
