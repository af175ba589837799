/**
 * The remarks of the service beside the records of a page: so many are kept of a page, and so many logged of a stream.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Reply } from "../http/Engine.ts"
import type { Warning } from "../../Paging.ts"

/** What a page says beside its records. */
export interface Warnings {
  readonly warnings: ReadonlyArray<Warning>
  /** How many there are beyond those; absent where there are none. */
  readonly warningsOmitted?: number
}

/** Warnings that are kept of one page. */
const mostKept = 100

/** Kinds of warnings that are logged of one stream. */
const mostKinds = 10

/**
 * Reads the warnings of an envelope. The service may send an array of them or one object, under either name: each is
 * read (docs/interface.md 2.8).
 */
export const read = (envelope: Readonly<Record<string, unknown>>, scrub: Reply["scrub"]): Warnings => {
  const found = [envelope["warning"], envelope["warnings"]].flat().filter(Predicate.isObject)
  const kept = found.slice(0, mostKept)
  const warnings = kept.map((warning) => readOne(warning, scrub))
  return found.length === kept.length ? { warnings } : { warnings, warningsOmitted: found.length - kept.length }
}

const readOne = (warning: object, scrub: Reply["scrub"]): Warning => {
  const { type, message } = { type: undefined, message: undefined, ...warning } as Readonly<Record<string, unknown>>
  return {
    type: Predicate.isString(type) ? scrub(type).slice(0, 200) : "unknown",
    message: Predicate.isString(message) ? scrub(message).slice(0, 1_000) : ""
  }
}

/** Builds what logs each kind of warning once a stream, though it comes with every page; after so many kinds, no more. */
export const makeLog = () => {
  const said = new Set<string>()
  let isFull = false
  return ({ page, warnings, warningsOmitted = 0 }: Warnings & { readonly page: number }): Effect.Effect<void> => {
    if (isFull) return Effect.void
    const lines: Array<string> = []
    let more = warningsOmitted
    for (const { message, type } of warnings) {
      if (said.has(type)) continue
      if (said.size === mostKinds) more += 1
      else {
        said.add(type)
        lines.push(`The service warns (${type}): ${message}`)
      }
    }
    isFull = more > 0
    if (isFull) lines.push(`The service warns, and ${more} more on page ${page}; further warnings are not logged`)
    return Effect.forEach(lines, (line) => Effect.logWarning(line), { discard: true })
  }
}
