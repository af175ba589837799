/** The flags that every command has. */
import * as Defaults from "@sluice/core/Defaults"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Flag from "effect/cli/Flag"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as FlagKinds from "./FlagKinds.ts"

export const Root = GlobalFlag.Setting("root")({
  flag: FlagKinds.text("root", "<url>", "The service: paid, community, or a URL (SLUICE_BASE_URL)")
})

export const ApiKey = GlobalFlag.Setting("api-key")({
  flag: FlagKinds.secret(
    "api-key",
    "<key>",
    "The API key. Other users of this machine can see flags: prefer SLUICE_API_KEY or the config file"
  ).pipe(Flag.withAlias("api_key"))
})

export const ConfigFile = GlobalFlag.Setting("config")({
  flag: FlagKinds.text(
    "config",
    "<file>",
    "Config file to read in place of the default, ~/.config/sluice/config.toml on Linux"
  )
})

export const Json = GlobalFlag.Setting("json")({
  flag: Flag.Boolean("json").pipe(Flag.withDescription("Prints JSON, errors included"), Flag.withDefault(false))
})

export const Retries = GlobalFlag.Setting("retries")({
  flag: FlagKinds.whole(
    "retries",
    `How often to retry a request that may succeed later, and a live connection that is lost; default ${Defaults.retry.times}, of such a connection no limit`,
    100,
    0
  )
})

/** All of them; they are accepted before and after the command. */
export const flags = [Json, Root, ApiKey, ConfigFile, Retries] as const

export const spellings = FlagKinds.spellings(Command.make("sluice", { flags: flags.map(({ flag }) => flag) }))

/** These flags and `--help`, for completions. */
export const descriptors = () =>
  Completions.fromCommand(Command.make("sluice", { flags: flags.map(({ flag }) => flag), help: GlobalFlag.Help.flag }))
    .flags

export const help = FlagKinds.spellings(Command.make("sluice", { flag: GlobalFlag.Help.flag })).toggles

export const version = FlagKinds.spellings(Command.make("sluice", { flag: GlobalFlag.Version.flag })).toggles
