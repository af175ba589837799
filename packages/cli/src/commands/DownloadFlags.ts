/**
 * The flags of the command that downloads into a folder.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Option from "effect/Option"
import type { Given } from "./About.ts"
import * as FlagKinds from "./FlagKinds.ts"
import * as FormatFlags from "./FormatFlags.ts"

/** `--concurrency`, of files. */
export const concurrency = FlagKinds.whole("concurrency").pipe(
  Flag.withDescription("Files written at the same time; default 10"),
  Flag.optional
)

/** The flags that decide which files there are, and what they hold. */
export const folderFlags = {
  output: FormatFlags.output("<folder>", "Folder for the files; created if missing"),
  ...FormatFlags.fileFlags,
  split: Flag.String("split").pipe(
    Flag.withMetavar("<parameter>"),
    Flag.withDescription("Splits the request by this list, such as assets: one file for each item"),
    Flag.optional
  ),
  size: Flag.String("size").pipe(
    Flag.filterMap(
      (text) => {
        if (text === "all") return Option.some(Infinity)
        return /^[1-9]\d{0,5}$/.test(text) ? Option.some(Number(text)) : Option.none()
      },
      (text) => `Expected a whole number from 1 up, or all, got ${JSON.stringify(text)}`
    ),
    Flag.withMetavar("<n|all>"),
    Flag.withDescription("With --split: items in each file, or `all` for as many as fit into a request; default 1"),
    Flag.optional
  ),
  every: FlagKinds.durationOrPeriod("every").pipe(
    Flag.withDescription(
      "Splits the time range too: 1month, 1year (of the calendar), 30d, 12h in each file; needs --start_time and --end_time"
    ),
    Flag.optional
  )
}

/** Flags of `download`, beside the parameters of the endpoint. */
export const downloadFlags = {
  ...folderFlags,
  resume: FlagKinds.toggle("resume").pipe(
    Flag.withDescription("Continues the download in the folder; starts it if there is none")
  ),
  verify: FlagKinds.toggle("verify").pipe(
    Flag.withDescription("First compares the finished files with their checksums; without --resume, does only that")
  ),
  "keep-going": FlagKinds.toggle("keep-going").pipe(
    Flag.withDescription("Reads the other parts when one fails, and lists the failures at the end")
  ),
  concurrency
}

/** What decides the files of a download. */
export type FolderInput = Command.Command.Config.Infer<typeof folderFlags> & Given

/** Arguments and flags of `download`. */
export type DownloadInput = Command.Command.Config.Infer<typeof downloadFlags> & Given
