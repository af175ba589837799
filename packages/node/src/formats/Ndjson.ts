/**
 * Newline-delimited JSON: one record a line, as it came. Absent stays absent, null stays null, and keys that the
 * interface does not know are kept.
 */
import * as Result from "effect/Result"
import { makeWaiting, pieces, type Writing } from "./Writing.ts"

/** Begins a file. */
export const make = (): Writing => {
  const waiting = makeWaiting()
  return {
    write: (records) => Result.succeed(waiting.put(pieces(records, lineOf))),
    end: () => undefined,
    next: waiting.next,
    close: () => undefined
  }
}

const lineOf = (record: unknown) => `${JSON.stringify(record)}\n`
