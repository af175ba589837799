/**
 * Errors of the folder of a download or a dataset. After all but `FileFailed` and `FolderLost` nothing in the folder was touched.
 */
import * as Schema from "effect/Schema"
import { FileFailed, UnexpectedEntry } from "../storage/FileError.ts"
import { Difference, sayValues } from "./Differing.ts"

export { FileFailed, UnexpectedEntry }

const place = {
  /** The folder, as the job names it. */
  folder: Schema.String
}

/** Another process, or another run in this process, writes into the folder. */
export class FolderInUse extends Schema.TaggedError<FolderInUse>()("FolderInUse", {
  ...place,
  /** 0 where no single process has the folder. */
  pid: Schema.Finite,
  /** Name of the machine it runs on, or what has the folder where that is no single process, such as `backfill 5f3a`. */
  host: Schema.String,
  /** The lock file. */
  lock: Schema.String,
  /** Whether it is this process itself. */
  own: Schema.optional(Schema.Boolean),
  /** Whether this process can see that the other runs; false for another machine or container. */
  seen: Schema.Boolean,
  /** Milliseconds since the last heartbeat of a process that cannot be seen, which has one every ten seconds. */
  silent: Schema.optional(Schema.Finite),
  /** Milliseconds until its lock expires without a heartbeat. */
  expires: Schema.optional(Schema.Finite)
}) {
  override get message() {
    if (this.pid === 0) {
      return `${this.folder} is in use by ${this.host}; wait for it to end, or cancel it; if nothing knows it any more, delete ${this.lock}`
    }
    if (this.own === true) return `${this.folder} is in use by this process; wait for its other run to end`
    const who = `process ${this.pid} on ${this.host}`
    if (this.seen) return `${this.folder} is in use by ${who}; wait for it to end, or stop it and start again`
    const { expires, lock, silent } = this
    return silent === undefined || expires === undefined
      ? `${this.folder} was in use by ${who}, which cannot be seen from here; when it no longer runs, delete ${lock} and start again`
      : `${this.folder} is in use by ${who}, which cannot be seen from here and was alive ${seconds(silent)} ago; if it has ended, start again in ${seconds(expires)}, or delete ${lock} and start again at once`
  }
}

const seconds = (milliseconds: number) => `${Math.ceil(milliseconds / 1000)} s`

/**
 * Another process has locked the folder while this one had no heartbeat for a minute (suspended, for example), or somebody
 * deleted the lock. Finished files are kept; nothing more is written.
 */
export class FolderLost extends Schema.TaggedError<FolderLost>()("FolderLost", {
  ...place,
  /** The lock file, which no longer exists. */
  lock: Schema.String
}) {
  override get message() {
    return `this process has lost the folder ${this.folder}, because its lock ${this.lock} is gone; check whether another run writes there, and continue when none does`
  }
}

/** The folder has another download. */
export class OtherJob extends Schema.TaggedError<OtherJob>()("OtherJob", {
  ...place,
  /** Settings that differ, such as `root`, `params.assets` or `format.as`. */
  differs: Schema.Array(Schema.String),
  /** What they are in the folder and in the job, as text; long ones are cut. */
  values: Schema.Array(Difference)
}) {
  override get message() {
    return `${this.folder} has a download that differs in ${this.differs.join(", ")}; choose another folder, or the same settings${sayValues(this.values)}`
  }
}

/** The folder has an unfinished run of this download, and `resume` is `"never"`. */
export class NotFinished extends Schema.TaggedError<NotFinished>()("NotFinished", {
  ...place,
  /** Parts that are done. */
  done: Schema.Finite,
  parts: Schema.Finite
}) {
  override get message() {
    return `${this.folder} has ${this.done} of the ${this.parts} parts of this download; resume it, or choose another folder`
  }
}

/** The folder has no download to resume or to verify. */
export class NothingToResume extends Schema.TaggedError<NothingToResume>()("NothingToResume", place) {
  override get message() {
    return `${this.folder} has no download to resume or to verify; start one without these options`
  }
}

/**
 * The folder has files with names that are needed, and that Sluice has not written; or it has a download where a dataset was
 * wanted, or the other way round.
 */
export class FolderOccupied extends Schema.TaggedError<FolderOccupied>()("FolderOccupied", {
  ...place,
  /** Names that are needed. */
  files: Schema.Array(Schema.String),
  /** What the folder has, where that is known. */
  found: Schema.optional(Schema.Literals(["a download", "a dataset"]))
}) {
  override get message() {
    if (this.found !== undefined) return `${this.folder} has ${this.found} already; choose another folder`
    const [first = ""] = this.files
    const more =
      this.files.length > 1 ? ` and ${this.files.length - 1} more ${this.files.length === 2 ? "file" : "files"}` : ""
    return `${this.folder} already has ${first}${more}, which this run would write; move them away, or choose another folder`
  }
}

/** The bookkeeping of the folder was cut or edited. */
export class BookkeepingDamaged extends Schema.TaggedError<BookkeepingDamaged>()("BookkeepingDamaged", {
  ...place,
  /** The file that cannot be trusted. */
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be trusted: ${this.reason}; restore it, or begin again in another folder`
  }
}

/** A finished file was changed. */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", {
  ...place,
  /** Name of the file. */
  file: Schema.String,
  /** Names of other files that `verify` found changed. */
  others: Schema.optional(Schema.Array(Schema.String)),
  /** Names of files that `verify` of a dataset found missing, beside those that were changed. */
  missing: Schema.optional(Schema.Array(Schema.String)),
  reason: Schema.String
}) {
  override get message() {
    const { file, folder, missing = [], others = [], reason } = this
    const lost = missing.length === 0 ? "" : `; missing: ${someOf(missing)}`
    if (others.length === 0)
      return `${file} in ${folder} was changed after it was finished: ${reason}${lost}; move it away to have it read again`
    const all = [file, ...others]
    return `${all.length} files in ${folder} were changed after they were finished (${reason}): ${someOf(all)}${lost}; move them away to have them read again`
  }
}

/** Names that a message lists; the error has all of them. */
const mostNamed = 4

const someOf = (names: ReadonlyArray<string>) =>
  names.length <= mostNamed
    ? names.join(", ")
    : `${names.slice(0, mostNamed - 1).join(", ")} and ${names.length - mostNamed + 1} more`

/** Schema of {@link FolderError}, for sending errors between processes. */
export const FolderError = Schema.Union([
  FolderInUse,
  FolderLost,
  OtherJob,
  NotFinished,
  NothingToResume,
  FolderOccupied,
  BookkeepingDamaged,
  UnexpectedEntry,
  FileChanged,
  FileFailed
])

/** Every error of the folder. */
export type FolderError = typeof FolderError.Type
