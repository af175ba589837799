/**
 * A file of some format while it is written: records in, bytes out.
 */
import type * as Result from "effect/Result"
import type { Unwritable } from "./FormatError.ts"

/** The state of one file; fed by one stream, in order. */
export interface Writing {
  /** Takes records; gives the bytes that are ready, or the first value that cannot be written. */
  readonly write: (records: ReadonlyArray<unknown>) => Result.Result<ReadonlyArray<Uint8Array>, Unwritable>
  /** Gives the bytes that are left, once all records are written. */
  readonly end: () => ReadonlyArray<Uint8Array>
  /** Lets go of what the file has to give back; called once nothing more is written, whole or not. */
  readonly close: () => void
}

/** The value a record has under a key; nothing where the record is no object. */
export const valueOf = (record: unknown, key: string): unknown =>
  // Type boundary: a property of any value can be read, except of null and undefined.
  (record as Readonly<Record<string, unknown>> | null | undefined)?.[key]

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

/** The bytes of text in UTF-8. */
export const toBytes = (text: string): Uint8Array => Buffer.from(text)
