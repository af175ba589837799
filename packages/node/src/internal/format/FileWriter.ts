/**
 * Writes one file of some format: records in, bytes out.
 */
import * as Predicate from "effect/Predicate"
import type * as Result from "effect/Result"
import type { Unwritable } from "./FormatError.ts"

/** A file that is being written. One stream feeds it, in order. */
export interface FileWriter {
  /** Adds records, or fails with the first value that the format cannot hold. */
  readonly write: (records: ReadonlyArray<unknown>) => Result.Result<void, Unwritable>
  /** Ends the file: no more records follow. */
  readonly end: () => void
  /** Gives the next bytes, which the caller may keep; nothing where it needs more records, or has given all bytes. */
  readonly next: () => Uint8Array | undefined
  /** Releases the memory that files share. Called in the end, whether the file is complete or not. */
  readonly close: () => void
}

/** The value of a record's own property; nothing where the record is no object. */
export const valueOf = (record: unknown, key: string): unknown => {
  // Type boundary: a property of any value can be read, except of null and undefined.
  const value = (record as Readonly<Record<string, unknown>> | null | undefined)?.[key]
  // JSON has no functions: a function is inherited by every object, such as `toString`.
  return Predicate.isFunction(value) || value === Object.prototype ? undefined : value
}

/** Characters after which a text ends. */
const textSize = 32_768

/** Joins the lines of records to texts of about 32 KiB. */
export const texts = (records: ReadonlyArray<unknown>, lineOf: (record: unknown) => string): ReadonlyArray<string> => {
  const texts: Array<string> = []
  let text = ""
  for (const record of records) {
    text += lineOf(record)
    if (text.length < textSize) continue
    texts.push(text)
    text = ""
  }
  return text === "" ? texts : [...texts, text]
}

/** Holds texts and encodes each when it is asked for, so that the bytes of only one exist at a time. */
export const makeTextQueue = () => {
  let queued: ReadonlyArray<string> = []
  let index = 0
  return {
    /** Adds texts; called when the ones before are taken. */
    put: (texts: ReadonlyArray<string>) => {
      queued = texts
      index = 0
    },
    /** The next text in UTF-8. */
    next: (): Uint8Array | undefined => {
      const text = queued[index++]
      return text === undefined ? undefined : Buffer.from(text)
    }
  }
}
