/** Errors of single files. */
import * as Schema from "effect/Schema"

const advice: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full; make room and continue",
  EDQUOT: "the disk quota is used up; make room and continue",
  EACCES: "permission is missing; grant it, or choose another folder",
  EPERM: "permission is missing; grant it, or choose another folder",
  EROFS: "the disk is read-only; choose another folder",
  ENOTDIR: "a part of the path is not a folder; choose another folder",
  EEXIST: "a part of the path is not a folder; choose another folder",
  ELOOP: "a symbolic link has this name; move it away, or choose another folder",
  ENAMETOOLONG: "the name is too long; choose another folder",
  PreconditionFailed:
    "another process has written it meanwhile; see whether another run writes there, and continue when none does"
}

/**
 * A name that is needed belongs to something other than a file or folder: a link, a named pipe, a device. It was
 * neither followed nor opened.
 */
export class UnexpectedEntry extends Schema.TaggedError<UnexpectedEntry>()("UnexpectedEntry", {
  path: Schema.String,
  /** What the name belongs to, such as `a symbolic link`. */
  found: Schema.String,
  expected: Schema.Literals(["file", "folder"])
}) {
  override get message() {
    const expected = this.expected === "file" ? "a regular file" : "a folder"
    return `${this.path} is ${this.found}, not ${expected}; move it away, or choose another folder`
  }
}

/** A file operation failed. Finished files are kept, and the next run goes on from there. */
export class FileFailed extends Schema.TaggedError<FileFailed>()("FileFailed", {
  /** The operation, such as `write`. */
  operation: Schema.String,
  path: Schema.String,
  /** The system's error code, such as `ENOSPC`, if any. */
  code: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    const known = this.code === undefined ? undefined : advice[this.code]
    const code = this.code === undefined ? "" : ` (${this.code})`
    return `cannot ${this.operation} ${this.path}${code}: ${known ?? `${this.reason}; fix this and continue`}`
  }
}
