/**
 * What can be wrong with the folder of a download. But for `FileFailed`, nothing in the folder was touched.
 */
import * as Schema from "effect/Schema"

const place = {
  /** The folder, as it was given. */
  folder: Schema.String
}

/**
 * Another process, or another download of this one, writes into the folder.
 */
export class FolderInUse extends Schema.TaggedError<FolderInUse>()("FolderInUse", {
  ...place,
  pid: Schema.Finite,
  /** Name of the machine it runs on. */
  host: Schema.String,
  /** The file that holds the folder. */
  lock: Schema.String,
  /** Whether it can be told from here that the process runs: not so of another machine or container. */
  seen: Schema.Boolean,
  /** Milliseconds since a process that cannot be seen from here wrote its lock last, which it does every ten seconds. */
  silent: Schema.optional(Schema.Finite),
  /** Milliseconds until that lock expires if its process stays silent. */
  expires: Schema.optional(Schema.Finite)
}) {
  override get message() {
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
 * Another process has taken the folder over while this one was silent for a minute (suspended, say), or somebody deleted
 * its lock. Finished files are kept; nothing more is written.
 */
export class FolderLost extends Schema.TaggedError<FolderLost>()("FolderLost", {
  ...place,
  /** The file that held the folder, and is gone. */
  lock: Schema.String
}) {
  override get message() {
    return `${this.folder} is no longer held by this process, for ${this.lock} is gone; look whether another download runs there, and resume when none does`
  }
}

/**
 * The folder holds another download.
 */
export class OtherJob extends Schema.TaggedError<OtherJob>()("OtherJob", {
  ...place,
  /** What differs, such as `root`, `params.assets` or `format.as`. */
  differs: Schema.Array(Schema.String)
}) {
  override get message() {
    return `${this.folder} holds a download that differs in ${this.differs.join(", ")}; take another folder, or ask for what this one holds`
  }
}

/**
 * The folder holds a part of this download, and going on with it was not asked for.
 */
export class NotFinished extends Schema.TaggedError<NotFinished>()("NotFinished", {
  ...place,
  /** Parts that are done. */
  done: Schema.Finite,
  parts: Schema.Finite
}) {
  override get message() {
    return `${this.folder} holds ${this.done} of the ${this.parts} parts of this download; resume it, or take another folder`
  }
}

/**
 * A download was to be resumed, and the folder holds none.
 */
export class NothingToResume extends Schema.TaggedError<NothingToResume>()("NothingToResume", place) {
  override get message() {
    return `${this.folder} holds no download to resume or to verify; start one without asking for that`
  }
}

/**
 * Files of these names are in the folder already, and no download of ours wrote them.
 */
export class FolderOccupied extends Schema.TaggedError<FolderOccupied>()("FolderOccupied", {
  ...place,
  /** The names, as far as the download would write them. */
  files: Schema.Array(Schema.String)
}) {
  override get message() {
    const [first = ""] = this.files
    const more = this.files.length > 1 ? ` and ${this.files.length - 1} more files` : ""
    return `${this.folder} has ${first}${more} already, which this download would write; move them away, or take another folder`
  }
}

/**
 * What the folder says of its download was cut or edited.
 */
export class BookkeepingDamaged extends Schema.TaggedError<BookkeepingDamaged>()("BookkeepingDamaged", {
  ...place,
  /** The file that cannot be trusted. */
  file: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `${this.file} cannot be trusted: ${this.reason}; restore it, or download into another folder`
  }
}

/**
 * Something else than a file or folder of a download has a name that the download needs: a link that leads elsewhere, a
 * named pipe, a device. It was neither followed nor opened.
 */
export class UnexpectedEntry extends Schema.TaggedError<UnexpectedEntry>()("UnexpectedEntry", {
  path: Schema.String,
  /** What has the name, such as `a symbolic link`. */
  found: Schema.String,
  expected: Schema.Literals(["file", "folder"])
}) {
  override get message() {
    const expected = this.expected === "file" ? "a regular file" : "a folder"
    return `${this.path} is ${this.found}, not ${expected}; move it away, or take another folder`
  }
}

/**
 * A finished file is no longer as it was finished.
 */
export class FileChanged extends Schema.TaggedError<FileChanged>()("FileChanged", {
  ...place,
  /** Name of the file. */
  file: Schema.String,
  /** Names of further files that `verify` found changed. */
  others: Schema.optional(Schema.Array(Schema.String)),
  reason: Schema.String
}) {
  override get message() {
    const { file, folder, others = [], reason } = this
    const more = others.length === 0 ? "" : `, and so were ${others.join(", ")}`
    const them = others.length === 0 ? "it away to have it" : "them away to have them"
    return `${file} in ${folder} was changed after it was finished: ${reason}${more}; move ${them} read again`
  }
}

const advice: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; make room and resume",
  EDQUOT: "the quota of the disk is used up; make room and resume",
  EACCES: "permission is missing; grant it, or take another folder",
  EPERM: "permission is missing; grant it, or take another folder",
  EROFS: "the disk can only be read; take another folder",
  ENOTDIR: "a part of the path is no folder; take another folder",
  EEXIST: "a part of the path is no folder; take another folder",
  ELOOP: "a symbolic link has this name; move it away, or take another folder",
  ENAMETOOLONG: "the name is too long; take another folder"
}

/**
 * The file system refused something. What was finished before is kept, and the download can be resumed.
 */
export class FileFailed extends Schema.TaggedError<FileFailed>()("FileFailed", {
  /** What was done, such as `write`. */
  operation: Schema.String,
  path: Schema.String,
  /** The system's code, such as `ENOSPC`, where it gave one. */
  code: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    const known = this.code === undefined ? undefined : advice[this.code]
    const code = this.code === undefined ? "" : ` (${this.code})`
    return `cannot ${this.operation} ${this.path}${code}: ${known ?? `${this.reason}; mend it and resume`}`
  }
}

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

/** Everything that can be wrong with the folder. */
export type FolderError = typeof FolderError.Type
