/**
 * One file of a download: written under another name, and renamed when it is complete and on the disk.
 */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Checksum from "./Checksum.ts"
import type { Files } from "./Files.ts"

/** Path of the file while it is written, and when it is complete. */
export interface FilePaths {
  readonly partial: string
  readonly whole: string
}

/**
 * Writes all bytes, runs a check, and gives the file its name. If anything fails, no file has this name.
 */
export const write = Effect.fnUntraced(function* <E, R, E2>(
  files: Files,
  paths: FilePaths,
  check: Effect.Effect<void, E2>,
  bytes: Stream.Stream<Uint8Array, E, R>,
  seen: (bytes: number) => void
) {
  const checksum = Checksum.make()
  let size = 0
  const writing = Effect.gen(function* () {
    const writer = yield* files.open(paths.partial, "start")
    yield* Stream.runForEach(bytes, (piece) => {
      checksum.add(piece)
      size += piece.length
      seen(piece.length)
      return writer.write(piece)
    })
    yield* writer.sync
  })
  // An incomplete file is of no use, since a part is read from its beginning.
  yield* Effect.onError(Effect.scoped(writing), () => Effect.ignore(files.remove(paths.partial)))
  yield* Effect.uninterruptible(Effect.andThen(check, files.rename(paths.partial, paths.whole)))
  return { bytes: size, sha256: checksum.end() }
})
