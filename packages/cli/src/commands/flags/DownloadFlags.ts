/** The flags of the command that downloads into a folder. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Given } from "./About.ts"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import * as FormatFlags from "./FormatFlags.ts"

/** `--concurrency`, of files. */
export const concurrency = FlagKinds.whole("concurrency", "Files written at the same time; default 10")

const sizeOf = (text: string) => {
  if (text === "all") return Option.some(Infinity)
  return /^[1-9]\d{0,5}$/.test(text) ? Option.some(Number(text)) : Option.none()
}

/** How a request is cut into files. */
export const splitFlags = {
  by: Flag.map(
    FlagKinds.text("split", "<parameter>", "Splits the request by this list, such as assets: one file for each item"),
    (name) => name?.replaceAll("-", "_")
  ),
  size: FlagKinds.parsed(
    "size",
    "<n|all>",
    sizeOf,
    "a whole number from 1 up, or all",
    "With --split: items in each file, or `all` for as many as fit into a request; default 1"
  ),
  every: FlagKinds.durationOrPeriod(
    "every",
    "Splits the time range too: 1month, 1year (of the calendar), 30d, 12h in each file; needs --start_time and --end_time"
  )
}

export const output = Flag.String("output").pipe(
  Flag.withAlias("o"),
  Flag.withMetavar("<folder>"),
  Flag.withDescription("Folder for the files, also s3://bucket/folder; created if missing")
)

const limitFlags = {
  maxRequests: FlagKinds.whole("max-requests", "Refuses to begin where more requests than this are planned"),
  maxBytes: FlagKinds.bytes(
    "max-bytes",
    "Refuses to begin where more bytes of files than this are planned, such as 5GB"
  )
}

export const planFlags = { format: FormatFlags.fileFlags("ndjson"), split: splitFlags, ...limitFlags }

export const downloadFlags = {
  output,
  format: FormatFlags.fileFlags("ndjson"),
  split: splitFlags,
  resume: FlagKinds.toggle("resume", "Continues the download in the folder; starts it if there is none"),
  verify: FlagKinds.toggle(
    "verify",
    "First compares the finished files with their checksums; without --resume, does only that"
  ),
  plan: FlagKinds.toggle("plan", "First says what it will take, as `sluice plan` does; the manifest then has both"),
  ...limitFlags,
  keepGoing: FlagKinds.toggle("keep-going", "Reads the other parts when one fails, and lists the failures at the end"),
  concurrency
}

export type PlanInput = Command.Command.Config.Infer<typeof planFlags> & Given

export type DownloadInput = Command.Command.Config.Infer<typeof downloadFlags> & Given
