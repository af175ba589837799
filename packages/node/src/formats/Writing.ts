/**
 * A file of some format while it is written: records in, bytes out.
 */
import * as Predicate from "effect/Predicate"
import type * as Result from "effect/Result"
import type { Unwritable } from "./FormatError.ts"

/** The state of one file; fed by one stream, in order. */
export interface Writing {
  /** Takes records, or tells the first value that cannot be written. */
  readonly write: (records: ReadonlyArray<unknown>) => Result.Result<void, Unwritable>
  /** Takes it that all records are written. */
  readonly end: () => void
  /** Gives bytes that are ready, to be kept by whoever asks; none where more records are needed, or no more will come. */
  readonly next: () => Uint8Array | undefined
  /** Lets go of what others can use; called once nothing more is asked of the file, whole or not. */
  readonly close: () => void
}

/** The value a record has under a key of its own; nothing where the record is no object. */
export const valueOf = (record: unknown, key: string): unknown => {
  // Type boundary: a property of any value can be read, except of null and undefined.
  const value = (record as Readonly<Record<string, unknown>> | null | undefined)?.[key]
  // JSON has no functions: one is what every object inherits, such as `toString`. Cheaper than asking for each cell.
  return Predicate.isFunction(value) || value === Object.prototype ? undefined : value
}

/** Characters of a piece. */
const pieceSize = 32_768

/** The lines of records, in pieces that are turned into bytes one by one: a long text costs more for each character. */
export const pieces = (records: ReadonlyArray<unknown>, lineOf: (record: unknown) => string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let text = ""
  for (const record of records) {
    text += lineOf(record)
    if (text.length < pieceSize) continue
    texts.push(text)
    text = ""
  }
  return text === "" ? texts : [...texts, text]
}

/** Text until it is asked for as bytes: a piece at a time, so that they do not all live until the last is written. */
export const makeWaiting = () => {
  let texts: ReadonlyArray<string> = []
  let at = 0
  return {
    /** Takes the next texts, once the ones before are gone. */
    put: (next: ReadonlyArray<string>) => {
      texts = next
      at = 0
    },
    /** The next text in UTF-8. */
    next: (): Uint8Array | undefined => {
      const text = texts[at++]
      return text === undefined ? undefined : Buffer.from(text)
    }
  }
}
