/** Writes one file of some format: records in, bytes out. */
import type * as Result from "effect/Result"
import type { Unwritable } from "@sluice/core/internal/columns/FormatError"

/** A file that is being written. One stream feeds it, in order. */
export interface FileWriter {
  /** Adds records, or fails with the first value that the format cannot hold. */
  readonly write: (records: ReadonlyArray<unknown>) => Result.Result<void, Unwritable>
  /** Ends the file: no more records follow. */
  readonly end: () => void
  /**
   * Gives the next bytes, which are valid until the next call of any function; nothing where it needs more records, or has
   * given all bytes.
   */
  readonly next: () => Uint8Array | undefined
  /** Releases the memory that files share. Called in the end, whether the file is complete or not. */
  readonly close: () => void
}

/** Joins the lines of a batch of records. */
export const linesOf = (records: ReadonlyArray<unknown>, lineOf: (record: unknown) => string): string => {
  let text = ""
  for (const record of records) text += lineOf(record)
  return text
}

/** Holds the bytes of one batch until they are asked for. */
export const makeSlot = () => {
  let waiting: Uint8Array | undefined
  // New memory for each batch would be outside the heap of V8, and would have to be collected.
  let memory: Buffer = Buffer.alloc(0)
  return {
    /** Memory of at least this many bytes, for the next batch. */
    room: (size: number): Buffer => {
      if (size > memory.length) memory = Buffer.allocUnsafeSlow(size + (size >>> 2))
      return memory
    },
    /** Puts bytes into the slot, which is empty. */
    put: (bytes: Uint8Array) => {
      waiting = bytes
    },
    putText: (text: string) => {
      waiting = text === "" ? undefined : Buffer.from(text)
    },
    next: (): Uint8Array | undefined => {
      const bytes = waiting
      waiting = undefined
      return bytes
    }
  }
}
