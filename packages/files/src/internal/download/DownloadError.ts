/** Every error of a download, as one closed union. */
import { ApiError, InvalidRequest, Misconfigured } from "@sluice/core/ApiError"
import { BadSplit, PlanExceeded } from "@sluice/core/Bulk"
import * as Schema from "effect/Schema"
import { BadFormat, Unwritable } from "@sluice/core/internal/columns/FormatError"
import { FolderError } from "../folder/FolderError.ts"

/**
 * The first or last part cannot be read, because of the licence, the plan, a parameter or the network. Found before anything
 * was downloaded.
 */
export class CheckFailed extends Schema.TaggedError<CheckFailed>()("CheckFailed", {
  /** Index of the part. */
  part: Schema.Finite,
  error: ApiError
}) {
  override get message() {
    const which = this.part === 0 ? "the first part" : `part ${this.part} (counted from 0)`
    return `nothing was downloaded, because the check of ${which} failed: ${this.error.message}`
  }
}

/** No plan could be made, because a catalog or a sample of the records was not answered. Nothing was downloaded. */
export class PlanFailed extends Schema.TaggedError<PlanFailed>()("PlanFailed", { error: ApiError }) {
  override get message() {
    return `nothing was downloaded, because no plan could be made: ${this.error.message}`
  }
}

const Failure = Schema.Struct({
  /** Index of the part. */
  part: Schema.Finite,
  /** Name of its file, which does not exist. */
  file: Schema.String,
  error: Schema.Union([ApiError, Unwritable])
})

/** A part that could not be read or written. */
export type Failure = typeof Failure.Type

/**
 * Parts could not be read. With `onFailure: "stop"` has the first failure, with `"continue"` all. Finished files are kept,
 * and the download can be resumed.
 */
export class PartsFailed extends Schema.TaggedError<PartsFailed>()("PartsFailed", {
  folder: Schema.String,
  /** Parts in all. */
  parts: Schema.Finite,
  /** Parts that are done. */
  done: Schema.Finite,
  /** At least one. */
  failed: Schema.Array(Failure)
}) {
  override get message() {
    const [first] = this.failed
    const more = this.failed.length > 1 ? `, and ${this.failed.length - 1} more parts failed` : ""
    return `${first?.file}: ${first?.error.message}${more}; ${this.done} of ${this.parts} parts are done in ${this.folder}, resume to read the rest`
  }
}

/** Schema of {@link DownloadError}, for sending errors between processes. */
export const DownloadError = Schema.Union([
  InvalidRequest,
  Misconfigured,
  BadSplit,
  BadFormat,
  ...FolderError.members,
  CheckFailed,
  PlanExceeded,
  PlanFailed,
  PartsFailed
])

/** Every error of a download. */
export type DownloadError = typeof DownloadError.Type
