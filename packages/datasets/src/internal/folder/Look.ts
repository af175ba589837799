/**
 * What is in the folder of a dataset, without taking it.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Bookkeeping from "@sluice/files/internal/folder/Bookkeeping"
import * as Files from "@sluice/files/internal/folder/Files"
import { RunInterrupted, type StoreError } from "../model/DatasetError.ts"
import * as Ledger from "../ledger/Ledger.ts"
import * as LoadBook from "./LoadBook.ts"
import * as Recovery from "./Recovery.ts"

/** Paths of a folder's bookkeeping. */
export const pathsOf = (files: Files.Files, folder: string): Recovery.Paths => {
  const bookkeeping = files.join(folder, ".sluice")
  return { folder, bookkeeping, parts: files.join(bookkeeping, "parts") }
}

/** What the ledger of a folder says; nothing where there is none. Touches nothing. */
export const at = Effect.fnUntraced(function* (files: Files.Files, paths: Recovery.Paths) {
  yield* files.expectFolder(paths.bookkeeping)
  const ledger = yield* Ledger.read(files, paths.folder, paths.bookkeeping)
  if (ledger === undefined) yield* LoadBook.expectNone(files, paths)
  return ledger
})

/** What a folder without a dataset is: none, or that of a download, or of a cache. Touches nothing. */
export const foundIn = Effect.fnUntraced(function* (folder: string) {
  const files = yield* Files.make
  const names = yield* files.names(folder)
  if (names === undefined) return { found: "nothing" } as const
  const held = yield* files.names(pathsOf(files, folder).bookkeeping)
  if (held?.includes(Bookkeeping.ofDownload) === true) return { found: "download" } as const
  const folders = names.filter((name) => /-[0-9a-f]{16}$/.test(name)).toSorted()
  return folders.length === 0 ? {} : ({ found: "cache", folders } as const)
})

/**
 * What the ledger of a folder says, when all of its files have their names: a run that goes on gives them within moments. Nothing where
 * there is none.
 */
export const whole = Effect.fnUntraced(function* (files: Files.Files, paths: Recovery.Paths) {
  for (let look = 0; ; look++) {
    const ledger = yield* at(files, paths)
    if (ledger === undefined || !(yield* Recovery.isPending(files, paths, ledger))) return ledger
    if (look === looks) return yield* new RunInterrupted({ dataset: paths.folder })
    yield* Effect.sleep("50 millis")
  }
})

/** How often. */
const looks = 100

/** What files are by a ledger. What fails, or is not whole, may be what a run has replaced since: then it is looked at again. */
export const settled = Effect.fnUntraced(function* <A>(
  files: Files.Files,
  paths: Recovery.Paths,
  look: Effect.Effect<Ledger.Ledger | undefined, StoreError>,
  use: (ledger: Ledger.Ledger) => Effect.Effect<A, StoreError>,
  isWhole: (found: A) => boolean = () => true
) {
  for (;;) {
    const ledger = yield* look
    if (ledger === undefined) return undefined
    const result = yield* Effect.result(use(ledger))
    if (Result.isSuccess(result) && isWhole(result.success)) return result.success
    const now = yield* at(files, paths)
    if (now?.moment === ledger.moment && now.changes === ledger.changes) return yield* Effect.fromResult(result)
  }
})
