/**
 * Newline-delimited JSON: one record a line, as it came. Absent stays absent, null stays null, and keys that the
 * interface does not know are kept.
 */
import * as Result from "effect/Result"
import { pieces, toBytes, type Writing } from "./Writing.ts"

/** Begins a file. */
export const make = (): Writing => ({
  write: (records) => Result.succeed(pieces(records, lineOf).map(toBytes)),
  end: () => [],
  close: () => undefined
})

const lineOf = (record: unknown) => `${JSON.stringify(record)}\n`
