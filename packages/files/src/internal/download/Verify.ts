/** Compares finished files with the checksums in the journal. */
import * as Effect from "effect/Effect"
import * as Checksum from "../folder/Checksum.ts"
import type { Verifying } from "./Event.ts"
import type { Files } from "../folder/Files.ts"
import { FileChanged } from "../folder/FolderError.ts"
import type * as Folder from "./Folder.ts"

/** Bytes of a large file between two events. */
const eventEvery = 67_108_864

/**
 * Reads every finished file, one after the other. Fails with `FileChanged`, which names all changed files. Touches nothing.
 */
export const all = Effect.fnUntraced(function* (
  files: Files,
  folder: string,
  { done, manifest }: Folder.FolderState,
  emit: (event: Verifying) => Effect.Effect<unknown>
) {
  let verified = 0
  let bytes = 0
  let told = 0
  const report = Effect.suspend(() => {
    told = bytes
    return emit({ _tag: "Verifying", folder, files: done.size, verified, bytes })
  })
  const changed: Array<string> = []
  for (const { file, index } of manifest.parts) {
    const entry = done.get(index)
    if (entry === undefined) continue
    const checksum = Checksum.make()
    yield* files.scan(files.join(folder, file), (piece) => {
      checksum.add(piece)
      bytes += piece.length
      return bytes - told >= eventEvery ? Effect.asVoid(report) : Effect.void
    })
    if (checksum.end() !== entry.sha256) changed.push(file)
    verified += 1
    yield* report
  }
  const [file, ...others] = changed
  if (file === undefined) return
  const reason = "its SHA-256 is not the one in the journal"
  return yield* new FileChanged({ folder, file, ...(others.length === 0 ? {} : { others }), reason })
})
