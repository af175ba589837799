/**
 * Keys of records for which a table has no column, because the interface does not know them yet.
 */

/** Watches over the records of one file. */
export interface LeftOut {
  /** Gives the keys without a column that were not met before. */
  readonly see: (records: ReadonlyArray<unknown>) => ReadonlyArray<string>
}

/** Keys that are told of at most; past that something else is wrong. */
const most = 100

/** Begins with the keys that have a column, or are left out by choice. */
export const make = (names: ReadonlyArray<string>): LeftOut => {
  const met = new Set(names)
  // The keys of the record before: mostly those of the next one too, in the same order, so one look at each is enough.
  const order: Array<string> = []
  return {
    see: (records) => {
      const found: Array<string> = []
      if (met.size >= names.length + most) return found
      for (const record of records) {
        let at = 0
        // Type boundary: the keys of any value can be listed; one that is no object has none.
        for (const key in record as object) {
          if (key !== order[at]) {
            order[at] = key
            if (!met.has(key)) {
              met.add(key)
              found.push(key)
            }
          }
          at++
        }
      }
      return found
    }
  }
}
