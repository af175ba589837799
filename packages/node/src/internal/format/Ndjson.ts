/**
 * Newline-delimited JSON: one record a line, unchanged. Absent stays absent, null stays null, and keys that the
 * interface does not know are kept.
 */
import * as Result from "effect/Result"
import { type FileWriter, makeTextQueue, texts } from "./FileWriter.ts"
import * as JsonText from "./JsonText.ts"

/** Begins a file. */
export const make = (): FileWriter => {
  const queue = makeTextQueue()
  return {
    write: (records) => {
      const lines = Result.try(() => texts(records, lineOf))
      return Result.succeed(queue.put(Result.getOrElse(lines, () => texts(records, deepLineOf))))
    },
    end: () => undefined,
    next: queue.next,
    close: () => undefined
  }
}

const lineOf = (record: unknown) => `${JSON.stringify(record)}\n`

/** For a batch with a record that is nested too deep for `JSON.stringify`. */
const deepLineOf = (record: unknown) => `${JsonText.write(record)}\n`
