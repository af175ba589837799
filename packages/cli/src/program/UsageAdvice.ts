/** What to do about what was typed, about settings, and about an output that cannot be written. */
import type { BadFormat } from "@sluice/files/Format"
import type { SocketServerError } from "effect/socket/SocketServer"
import type { NotAsCode } from "../commands/code/Reading.ts"
import type { UnknownMetric } from "../commands/help/Available.ts"
import type { Uncatalogued } from "../commands/help/Describe.ts"
import type { FolderLikeFile } from "../commands/data/Download.ts"
import type { BadName, NotText } from "../commands/data/Output.ts"
import type { NotDrawable } from "../commands/plot/Layout.ts"
import type { UnknownEndpoint } from "../endpoints/EndpointIndex.ts"
import type { BadTime } from "../endpoints/RelativeTime.ts"
import type { ConnectionError } from "../settings/Connection.ts"
import type { OutputFailed } from "../terminal/Screen.ts"
import * as Advice from "./Advice.ts"
import type { BadUse } from "../commands/flags/Misuse.ts"
import type { BadUrl } from "./PastedUrl.ts"

/** The stand-in service cannot start: its port is in use. */
export interface SandboxFailed {
  readonly _tag: "SandboxUnavailable"
  readonly message: string
}

export type UsageFailure =
  | ConnectionError
  | BadFormat
  | UnknownEndpoint
  | SocketServerError
  | OutputFailed
  | FolderLikeFile
  | NotText
  | BadName
  | NotDrawable
  | Uncatalogued
  | UnknownMetric
  | NotAsCode
  | BadTime
  | SandboxFailed
  | BadUrl
  | BadUse

export const advice: Advice.Table<UsageFailure> = {
  BadUse: { kind: "usage", next: ({ next }) => next },
  BadUrl: {
    kind: "usage",
    next: ({ root }) =>
      root === undefined
        ? "`sluice get <endpoint> --help` lists the parameters of an endpoint."
        : `Add --root ${root} to read from there.`
  },
  UnknownEndpoint: {
    kind: "usage",
    next: ({ filled, isDataset, live, name, pages }) => {
      if (isDataset === true) return `Write \`--output ${name}\` in its place.`
      if (pages !== undefined) return "`sluice endpoints live` lists those that can be followed."
      if (live !== undefined) return `\`sluice tail ${live}\` follows it.`
      return filled === undefined ? "`sluice endpoints` lists all of them." : `Write \`${filled}\` in its place.`
    }
  },
  BadFormat: {
    kind: "usage",
    next: ({ endpoint, parameter }) =>
      endpoint === undefined || parameter === undefined
        ? "With --help the command lists its formats and their options."
        : `Add --${parameter}; ${Advice.listing(endpoint, parameter)}`
  },
  BadTime: {
    kind: "usage",
    next: ({ expected }) =>
      expected.startsWith("a time before now")
        ? undefined
        : "Units are s, m, h, d, w, mo (months) and y; what is told from now is in UTC."
  },
  Uncatalogued: { kind: "usage", next: "Leave the names out to read of its parameters and records." },
  NotAsCode: { kind: "usage", next: ({ next }) => next },
  UnknownMetric: { kind: "usage", next: "`sluice get reference-data/asset-metrics` lists all of them." },
  BadName: { kind: "usage", next: "Name the format with --format, or give the file an extension of one." },
  NotDrawable: {
    kind: "usage",
    next: ({ drawable: [first] }) =>
      first === undefined ? "`sluice plot --help` has examples." : `Write \`--field ${first}\`, or another of them.`
  },
  FolderLikeFile: {
    kind: "usage",
    next: ({ folder, format }) => {
      const plain = folder.replace(/(?:\.(?:ndjson|jsonl|csv|parquet|arrows?|gz|zst))+$/i, "")
      const named = /[^/\\]$/.test(plain) ? plain : "prices"
      return `Write \`--format ${format} --output ${named}\` for files in a folder, or \`sluice get … --output ${folder}\` for one file. With a slash at its end, \`${folder}/\`, the name is that of a folder.`
    }
  },
  NotText: { kind: "usage", next: "Name a file with --output, or send the output to a pipe." },
  OutputFailed: {
    kind: "system",
    next: ({ file }) =>
      file === undefined
        ? "Check the destination of the output, and its free space."
        : "Name another file with --output."
  },
  BadConfigFile: { kind: "usage", next: "Correct the file, or name another with --config." },
  ConfigError: { kind: "usage", next: "Correct the setting in the environment (SLUICE_…) or in the config file." },
  Misconfigured: {
    kind: "usage",
    next: ({ setting }, target) => {
      if (setting === "apiKey") {
        if (target.withheldFrom !== undefined) return Advice.withheld(target, target.withheldFrom)
        return "Set SLUICE_API_KEY, put api_key into the config file, or use `--root community`."
      }
      if (setting === "root") {
        return "Give another with --root: paid, community, or a URL such as https://example.com/v4."
      }
      if (setting === "secret") {
        return "Set SLUICE_CLUSTER_SECRET, the same for all workers (`openssl rand -hex 32` prints one), or give --host 127.0.0.1."
      }
      return `Change it where it is set: ${Advice.placesOf(setting)}.`
    }
  },
  SocketServerError: {
    kind: "system",
    next: "Choose another port with --port, or an address of this machine with --host."
  },
  SandboxUnavailable: { kind: "system", next: "Choose another port with --port, or 0 for any free port." }
}
