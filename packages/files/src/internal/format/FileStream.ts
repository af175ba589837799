/** The bytes of one file as a stream of the records that are fed to it. */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import type { FileWriter } from "./FileWriter.ts"
import type { Unwritable } from "@sluice/core/internal/columns/FormatError"

/**
 * Feeds records to a file, and gives its bytes one chunk at a time. Closes the file however the stream ends. Where memory is
 * reused, a chunk is valid until the next is pulled.
 */
export const make = <E, R>(
  file: FileWriter,
  records: Stream.Stream<unknown, E, R>,
  isReused = false
): Stream.Stream<Uint8Array, E | Unwritable, R> =>
  Stream.transformPull(records, (pull) => {
    let isWhole = false
    const next: Pull.Pull<Arr.NonEmptyReadonlyArray<Uint8Array>, E | Unwritable> = Effect.suspend(() => {
      const bytes = file.next()
      if (bytes !== undefined) return Effect.succeed(Arr.of(isReused ? bytes : Uint8Array.from(bytes)))
      return isWhole ? Cause.done() : more
    })
    const more = pull.pipe(
      Effect.flatMap((batch) => Effect.fromResult(file.write(batch))),
      Pull.catchDone(() =>
        Effect.sync(() => {
          isWhole = true
          file.end()
        })
      ),
      Effect.andThen(next)
    )
    return Effect.succeed(next)
  }).pipe(Stream.ensuring(Effect.sync(file.close)))
