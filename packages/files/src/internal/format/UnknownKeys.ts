/** Finds keys of records that have no column, because the interface does not know them yet. */
import * as Batch from "@sluice/core/Batch"
import * as LazyRows from "./LazyRows.ts"

/** The most keys that are reported. Records with more are not what the interface describes. */
const most = 100

/** Begins with the names of all columns, chosen or not. */
export const make = (columns: ReadonlyArray<string>) => {
  const seen = new Set(columns)
  // Keys of the record before. Most records have the same keys in the same order, and comparing them takes a fifth of the
  // time of looking each up.
  const order: Array<string> = []
  return {
    /** Gives the keys without a column that were not seen before. */
    see: (records: ReadonlyArray<unknown>): ReadonlyArray<string> => {
      const found: Array<string> = []
      if (seen.size >= columns.length + most) return found
      const see = (key: string, index: number) => {
        if (key === order[index]) return
        order[index] = key
        if (seen.has(key)) return
        seen.add(key)
        found.push(key)
      }
      const batch = Batch.of(records)
      if (batch !== undefined) {
        for (const { keys } of batch.runs) keys.forEach(see)
        return found
      }
      const { source } = LazyRows.of(records) ?? {}
      if (source?._tag === "Columns") {
        source.keys.forEach(see)
        return found
      }
      for (const record of records) {
        let index = 0
        // Type boundary: `for … in` lists the keys of any value; a value that is no object has none.
        for (const key in record as object) see(key, index++)
      }
      return found
    }
  }
}

/** Watches the records of the files of an encoder. */
export type UnknownKeys = ReturnType<typeof make>
