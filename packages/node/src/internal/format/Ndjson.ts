/**
 * Newline-delimited JSON: one record a line, unchanged. Absent stays absent, null stays null, and keys that the
 * interface does not know are kept.
 */
import * as Result from "effect/Result"
import { type FileWriter, linesOf, makeTextSlot } from "./FileWriter.ts"
import * as JsonText from "./JsonText.ts"

/** Begins a file. */
export const make = (): FileWriter => {
  const slot = makeTextSlot()
  return {
    write: (records) => {
      const lines = Result.try(() => linesOf(records, lineOf))
      return Result.succeed(slot.put(Result.getOrElse(lines, () => linesOf(records, deepLineOf))))
    },
    end: () => undefined,
    next: slot.next,
    close: () => undefined
  }
}

const lineOf = (record: unknown) => `${JSON.stringify(record)}\n`

/** For a batch with a record that is nested too deep for `JSON.stringify`. */
const deepLineOf = (record: unknown) => `${JsonText.write(record)}\n`
