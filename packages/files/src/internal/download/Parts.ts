/** Reads the remaining parts concurrently into their files. */
import * as Batch from "@sluice/core/Batch"
import * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { randomUUID } from "node:crypto"
import type * as Format from "../../Format.ts"
import { type Failure, PartsFailed } from "./DownloadError.ts"
import type { Event } from "./Event.ts"
import type { Files, FilesError } from "../folder/Files.ts"
import { isObject } from "../storage/Objects.ts"
import type { FolderLost } from "../folder/FolderError.ts"
import * as Folder from "./Folder.ts"
import type * as Manifest from "./Manifest.ts"
import type * as Meter from "./Meter.ts"
import * as PartFile from "../folder/PartFile.ts"

export type Emit = (event: Event) => Effect.Effect<unknown>

/** A run over the parts of a locked folder. */
export interface Run {
  readonly job: {
    readonly endpoint: Endpoint.Any
    readonly to: string
    readonly concurrency?: number | undefined
    readonly onFailure?: "stop" | "continue" | undefined
  }
  readonly encode: Format.Encoder
  readonly files: Files
  readonly claimed: Folder.ClaimedFolder
  readonly meter: Meter.Meter
  readonly emit: Emit
}

/** Reads all remaining parts. Fails with `PartsFailed`, at the first failure or after the others are done. */
export const readAll = Effect.fnUntraced(function* (run: Run) {
  const { claimed, job, meter, emit } = run
  const { concurrency: atOnce = 10 } = job
  const failed: Array<Failure> = []
  const free: PartFile.FreeBlocks = []
  const failure = () =>
    new PartsFailed({ folder: job.to, parts: claimed.manifest.parts.length, done: meter.finished().done, failed })
  const note = Effect.fnUntraced(function* ({ file, index: part }: Manifest.FilePart, error: Failure["error"]) {
    failed.push({ part, file, error })
    yield* emit({ _tag: "PartFailed", part, file, error: error._tag, reason: error.message })
    if (job.onFailure !== "continue") return yield* failure()
  })
  // A full disk or a lost folder would fail the next part too.
  const one = (part: Manifest.FilePart) =>
    Effect.catch(read(run, part, free), (error): Effect.Effect<void, FilesError | FolderLost | PartsFailed> =>
      error._tag === "FileFailed" || error._tag === "UnexpectedEntry" || error._tag === "FolderLost"
        ? Effect.fail(error)
        : note(part, error)
    )
  yield* Effect.forEach(claimed.left, one, { concurrency: atOnce >= 1 ? Math.floor(atOnce) : 1, discard: true })
  if (failed.length > 0) return yield* failure()
})

const read = Effect.fnUntraced(function* (
  { encode, files, claimed, job, meter, emit }: Run,
  part: Manifest.FilePart,
  free: PartFile.FreeBlocks
) {
  const { file, index } = part
  const counter = meter.begin()
  yield* emit({ _tag: "PartStarted", part: index, file })
  let records = 0
  const read = Effect.gen(function* () {
    const counted = Stream.mapArray(Bulk.read(job.endpoint, part, { lazy: Batch.lazy }), (batch) => {
      records += batch.length
      counter.records(batch.length)
      return batch
    })
    const places = Folder.pathsOf(files, job.to)
    // In a bucket no two processes write one file, so that of one whose lock has expired is gone when it gets its name.
    const partial = isObject(job.to) ? places.partialOf(file, randomUUID()) : places.partial(file)
    const place = { partial, whole: places.whole(file) }
    const written = yield* PartFile.write(
      files,
      place,
      claimed.check,
      encode(counted, { reuse: true }),
      counter.bytes,
      free
    )
    yield* claimed.add({ part: index, records, ...written })
    return written.bytes
  })
  const bytes = yield* Effect.onError(read, () => Effect.sync(counter.dropped))
  counter.done()
  yield* emit({ _tag: "PartDone", part: index, file, records, bytes })
})
