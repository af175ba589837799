/**
 * A list of records that are written on demand, addressed by position.
 */

/** Records in ascending order; nothing is held, any range can be written by itself. */
export interface Listing {
  readonly length: number
  /** Writes the records from one position up to, but without, another; each as one line of JSON. */
  readonly rows: (from: number, to: number) => ReadonlyArray<string>
  /** Warnings that the envelope carries beside the records. */
  readonly warnings?: ReadonlyArray<unknown>
}

/** A listing of nothing. */
export const empty: Listing = { length: 0, rows: () => [] }

/** Changes every record of a listing. */
export const map = (self: Listing, f: (row: string, position: number) => string): Listing => ({
  ...self,
  rows: (from, to) => self.rows(from, to).map((row, n) => f(row, from + n))
})

/** A listing whose rows have a sortable key, such as a time or a height. */
export interface Keyed extends Listing {
  readonly keyAt: (position: number) => number
  /** Counts the rows whose key is smaller. */
  readonly before: (key: number) => number
}

/** Puts listings one after the other. */
export const concat = (parts: ReadonlyArray<Listing>): Listing => {
  const starts: Array<number> = []
  let length = 0
  for (const part of parts) {
    starts.push(length)
    length += part.length
  }
  return {
    length,
    rows: (from, to) => {
      const rows: Array<string> = []
      parts.forEach((part, n) => {
        const start = starts[n] ?? 0
        const first = Math.max(0, from - start)
        const last = Math.min(part.length, to - start)
        if (first >= last) return
        for (const row of part.rows(first, last)) rows.push(row)
      })
      return rows
    }
  }
}

// Finds the key of the row at a position: the largest whole number with no more than `position` rows before it.
const keyOf = (parts: ReadonlyArray<Keyed>, position: number): number => {
  let low = Math.min(...parts.map((part) => part.keyAt(0)))
  let high = Math.max(...parts.map((part) => part.keyAt(part.length - 1)))
  while (low < high) {
    const middle = Math.floor((low + high + 1) / 2)
    const before = parts.reduce((sum, part) => sum + part.before(middle), 0)
    if (before <= position) low = middle
    else high = middle - 1
  }
  return low
}

/** Merges listings by key; rows of equal key keep the order of the listings. */
export const merge = (all: ReadonlyArray<Keyed>): Listing => {
  const parts = all.filter((part) => part.length > 0)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return {
    length,
    rows: (from, to) => {
      if (from >= to || length === 0) return []
      const key = keyOf(parts, from)
      const heads = parts.map((part) => part.before(key))
      // Rows with the key itself that come before `from` are passed over; there is one per part at most.
      let skip = from - heads.reduce((sum, head) => sum + head, 0)
      const rows: Array<string> = []
      while (rows.length < to - from) {
        let least = -1
        let leastKey = Number.POSITIVE_INFINITY
        parts.forEach((part, n) => {
          const head = heads[n] ?? 0
          if (head >= part.length) return
          const next = part.keyAt(head)
          if (next < leastKey) {
            least = n
            leastKey = next
          }
        })
        const part = parts[least]
        if (part === undefined) break
        const head = heads[least] ?? 0
        heads[least] = head + 1
        if (skip > 0) skip--
        else rows.push(...part.rows(head, head + 1))
      }
      return rows
    }
  }
}
