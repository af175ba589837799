/**
 * The warnings of the service beside the records of a page. The number kept of a page and logged of a stream is limited.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type { Warning } from "../../Paging.ts"

/** The warnings of a page. */
export interface Warnings {
  readonly warnings: ReadonlyArray<Warning>
  /** How many more the page has; absent where there are none. */
  readonly warningsOmitted?: number
}

/** The most warnings kept of one page. */
const maxKept = 100

/** The most kinds of warnings logged of one stream. */
const maxKinds = 10

/**
 * Reads the warnings of an envelope. The service may send an array or one object, under either name (docs/interface.md
 * 2.8).
 */
export const read = (envelope: Readonly<Record<string, unknown>>, scrub: (text: string) => string): Warnings => {
  const found = [envelope["warning"], envelope["warnings"]].flat().filter(Predicate.isObject)
  const kept = found.slice(0, maxKept)
  const warnings = kept.map((warning) => readOne(warning, scrub))
  return found.length === kept.length ? { warnings } : { warnings, warningsOmitted: found.length - kept.length }
}

const readOne = (warning: object, scrub: (text: string) => string): Warning => {
  // Type boundary: any object can be read as properties of unknown types, and none inherits one of these.
  const { message, type } = warning as Readonly<Record<string, unknown>>
  return {
    type: Predicate.isString(type) ? scrub(type).slice(0, 200) : "unknown",
    message: Predicate.isString(message) ? scrub(message).slice(0, 1_000) : ""
  }
}

/** Builds a function that logs each kind of warning once per stream, up to {@link maxKinds}. */
export const makeLogger = () => {
  const logged = new Set<string>()
  let isFull = false
  return ({ page, warnings, warningsOmitted = 0 }: Warnings & { readonly page: number }): Effect.Effect<void> => {
    if (isFull) return Effect.void
    const lines: Array<string> = []
    let more = warningsOmitted
    for (const { message, type } of warnings) {
      if (logged.has(type)) continue
      if (logged.size === maxKinds) more += 1
      else {
        logged.add(type)
        lines.push(`The service warns (${type}): ${message}`)
      }
    }
    isFull = more > 0
    if (isFull) lines.push(`The service warns, and ${more} more on page ${page}; further warnings are not logged`)
    return Effect.forEach(lines, (line) => Effect.logWarning(line), { discard: true })
  }
}
