/** A list of records, addressed by position and written on demand. */

/** How many records come before a record, and how many do with the record itself. */
export interface RecordPosition {
  readonly before: number
  readonly after: number
}

/** Finds the first number below a length from which on a condition holds, which never ceases to hold; the length where it never does. */
export const firstThat = (length: number, holds: (n: number) => boolean): number => {
  let [before, end] = [0, length]
  while (before < end) {
    const middle = Math.floor((before + end) / 2)
    if (holds(middle)) end = middle
    else before = middle + 1
  }
  return before
}

/** Finds a record among so many in ascending order; `order` tells how the one at a position stands to it. */
export const find = (length: number, order: (position: number) => number): RecordPosition => {
  const before = firstThat(length, (position) => order(position) >= 0)
  return { before, after: before < length && order(before) === 0 ? before + 1 : before }
}

/** Records in ascending order. Nothing is stored: any range can be written alone. */
export interface Listing {
  readonly length: number
  /** Writes the records from one position up to, but without, another; each as one line of JSON. */
  readonly rows: (from: number, to: number) => ReadonlyArray<string>
  /** Names the record at a position; the name says where the record belongs, whatever is added or removed around it. */
  readonly nameAt: (position: number) => string
  /**
   * Counts the records before the one of a name, and those up to it: the same number when that record is gone. Undefined for
   * a text that names no record of such a list.
   */
  readonly positionOf: (name: string) => RecordPosition | undefined
  readonly warnings?: ReadonlyArray<unknown>
  readonly heartbeats?: ReadonlyArray<unknown>
}

export const map = (self: Listing, f: (row: string, position: number) => string): Listing => ({
  ...self,
  rows: (from, to) => self.rows(from, to).map((row, n) => f(row, from + n))
})

export const reverse = (self: Listing, from: number, to: number): Listing => ({
  ...self,
  rows: (first, last) => self.rows(from + to - last, from + to - first).toReversed()
})

/** Drops the first records, as if the service did not have them. */
export const drop = (self: Listing, count: number): Listing => {
  const gone = Math.min(count, self.length)
  const shift = (position: number) => Math.max(0, position - gone)
  return {
    ...self,
    length: self.length - gone,
    rows: (from, to) => self.rows(from + gone, to + gone),
    nameAt: (position) => self.nameAt(position + gone),
    positionOf: (name) => {
      const place = self.positionOf(name)
      return place === undefined ? undefined : { before: shift(place.before), after: shift(place.after) }
    }
  }
}

/** The records of one entity, whose rows have a sortable key, such as a time or a height. */
export interface EntitySeries extends Pick<Listing, "length" | "rows"> {
  readonly entity: string
  readonly keyAt: (position: number) => number
  readonly before: (key: number) => number
}

// A row of a series is named by its entity and its key, as the tokens of the service do (docs/interface.md 2.4).
const nameOf = ({ entity }: EntitySeries, key: number): string => `${key}.${entity}`

/** Finds what a name names: the part, its number among the parts, and the key. */
const named = (parts: ReadonlyArray<EntitySeries>, name: string) => {
  const [, key = "", entity] = /^(-?\d+)\.(.+)$/.exec(name) ?? []
  const n = parts.findIndex((part) => part.entity === entity)
  const part = parts[n]
  return part && { n, part, key: Number(key) }
}

export const concat = (parts: ReadonlyArray<EntitySeries>): Listing => {
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
    },
    nameAt: (position) => {
      const n = starts.findLastIndex((start) => start <= position)
      const part = parts[n]
      return part === undefined ? "" : nameOf(part, part.keyAt(position - (starts[n] ?? 0)))
    },
    positionOf: (name) => {
      const found = named(parts, name)
      if (found === undefined) return undefined
      const { key, n, part } = found
      const start = starts[n] ?? 0
      return { before: start + part.before(key), after: start + part.before(key + 1) }
    }
  }
}

const countBefore = (parts: ReadonlyArray<EntitySeries>, key: number): number =>
  parts.reduce((sum, part) => sum + part.before(key), 0)

// Finds the key of the row at a position: the largest whole number with no more than `position` rows before it.
const keyOf = (parts: ReadonlyArray<EntitySeries>, position: number): number => {
  const least = Math.min(...parts.map((part) => part.keyAt(0)))
  const most = Math.max(...parts.map((part) => part.keyAt(part.length - 1)))
  return least + firstThat(most - least, (n) => countBefore(parts, least + n + 1) > position)
}

/** Merges series by key; rows of equal key keep the order of the entities. */
export const merge = (all: ReadonlyArray<EntitySeries>): Listing => {
  const parts = all.filter((part) => part.length > 0)
  const has = (part: EntitySeries, key: number) => part.before(key + 1) > part.before(key)
  const length = parts.reduce((sum, part) => sum + part.length, 0)
  return {
    length,
    rows: (from, to) => {
      if (from >= to || length === 0) return []
      const key = keyOf(parts, from)
      const heads = parts.map((part) => part.before(key))
      // Skips rows with this key before `from`: at most one per part.
      let skip = from - countBefore(parts, key)
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
    },
    nameAt: (position) => {
      const key = keyOf(parts, position)
      const before = countBefore(parts, key)
      const part = parts.filter((part) => has(part, key))[position - before]
      return part === undefined ? "" : nameOf(part, key)
    },
    positionOf: (name) => {
      const found = named(parts, name)
      if (found === undefined) return undefined
      const { key, n, part } = found
      const earlier = parts.slice(0, n).filter((part) => has(part, key)).length
      const before = countBefore(parts, key) + earlier
      return { before, after: before + (has(part, key) ? 1 : 0) }
    }
  }
}
