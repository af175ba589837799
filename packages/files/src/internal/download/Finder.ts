/**
 * Finds parts in the journals of a folder while several processes add to them.
 */
import * as Effect from "effect/Effect"
import type { Files } from "../folder/Files.ts"
import * as Journal from "./Journal.ts"

/**
 * Makes a function that finds the entry of a part whose file has this size; undefined where no journal has it. A journal is
 * read again only where it has grown.
 */
export const make = (files: Files, folder: string, bookkeeping: string, parts: number) => {
  const known = new Map<string, { readonly size: number; readonly done: ReadonlyMap<number, Journal.Done> }>()
  const lookUp = (part: number, bytes: number) => {
    for (const { done } of known.values()) {
      const entry = done.get(part)
      if (entry?.bytes === bytes) return entry
    }
    return undefined
  }
  return Effect.fnUntraced(function* (part: number, bytes: number) {
    const found = lookUp(part, bytes)
    if (found !== undefined) return found
    for (const name of yield* Journal.filesOf(files, bookkeeping)) {
      const file = files.join(bookkeeping, name)
      const size = (yield* files.size(file)) ?? 0
      if (known.get(name)?.size === size) continue
      const { entries } = yield* Journal.readFile(files, folder, file, parts)
      known.set(name, { size, done: new Map(entries.map((entry) => [entry.part, entry])) })
    }
    return lookUp(part, bytes)
  })
}
