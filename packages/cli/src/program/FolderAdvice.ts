/**
 * What to do about failures of a folder, and of the files in it.
 */
import type { FileMissing, FolderError } from "@sluice/datasets/Dataset"
import type { PartsFailed } from "@sluice/files/Download"
import type { Unwritable } from "@sluice/files/Format"
import type * as Advice from "./Advice.ts"

export type FolderFailure = FolderError | FileMissing | PartsFailed | Unwritable

/** The message says what to do. */
const folder: Advice.Advice<unknown> = { kind: "system" }

export const advice: Advice.Table<FolderFailure> = {
  FolderInUse: folder,
  FolderLost: folder,
  FolderOccupied: folder,
  OtherJob: {
    kind: "system",
    next: ({ differs }) =>
      differs.some((name) => /^params\..*_time$/.test(name))
        ? "A time such as -30d moves on: with --resume it stays what it was when the download began."
        : undefined
  },
  NotFinished: { kind: "system", next: "Add --resume to continue it, or choose another folder." },
  NothingToResume: folder,
  BookkeepingDamaged: folder,
  UnexpectedEntry: folder,
  FileChanged: folder,
  FileMissing: folder,
  FileFailed: folder,
  PartsFailed: { kind: "incomplete", next: "The same command with --resume reads the remaining parts." },
  Unwritable: {
    kind: "reply",
    next: "Choose a format that can hold it: ndjson holds every value, and Parquet or Arrow with --numbers text every number."
  }
}
