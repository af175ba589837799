/**
 * Newline-delimited JSON: one record a line, as it came. Absent stays absent, null stays null, and keys that the
 * interface does not know are kept.
 */
import * as Result from "effect/Result"
import * as JsonText from "./JsonText.ts"
import { makeWaiting, pieces, type Writing } from "./Writing.ts"

/** Begins a file. */
export const make = (): Writing => {
  const waiting = makeWaiting()
  return {
    write: (records) => {
      const texts = Result.try(() => pieces(records, lineOf))
      return Result.succeed(waiting.put(Result.getOrElse(texts, () => pieces(records, deepLineOf))))
    },
    end: () => undefined,
    next: waiting.next,
    close: () => undefined
  }
}

const lineOf = (record: unknown) => `${JSON.stringify(record)}\n`

/** For a batch of which a record is nested too deep for `JSON.stringify`. */
const deepLineOf = (record: unknown) => `${JsonText.write(record)}\n`
