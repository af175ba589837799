/**
 * Records of a file of lines, each built when it is read: of most that a change replaces the line tells enough.
 */

/** Lines, and the number of the first of them that is meant. */
export interface HeldLines {
  readonly lines: ReadonlyArray<string>
  readonly from: number
}

const behind = Symbol("lines")

/** The lines behind these records; nothing for other records. */
export const of = (records: ReadonlyArray<unknown>): HeldLines | undefined =>
  // Type boundary: only arrays made here have this property.
  (records as { readonly [behind]?: HeldLines })[behind]

/** Makes the records of lines, each of which is JSON. */
export const make = (lines: ReadonlyArray<string>): ReadonlyArray<unknown> => part(lines, new Map(), 0, lines.length)

/** The records of some of the lines. `built` has those that were read. */
const part = (
  lines: ReadonlyArray<string>,
  built: Map<number, unknown>,
  from: number,
  to: number
): ReadonlyArray<unknown> => {
  const length = Math.max(0, to - from)
  const at = (index: number): unknown => {
    const place = from + index
    if (!built.has(place)) built.set(place, JSON.parse(lines[place]!))
    return built.get(place)
  }
  const slice = (first = 0, end = length) => part(lines, built, from + first, from + Math.min(length, end))
  const held: HeldLines = { lines, from }
  const indexOf = (key: string | symbol) => {
    const index = typeof key === "string" ? Number(key) : Number.NaN
    return Number.isInteger(index) && index >= 0 && index < length ? index : undefined
  }
  const target: Array<unknown> = []
  return new Proxy(target, {
    get: (_, key) => {
      if (key === "length") return length
      if (key === behind) return held
      if (key === "slice") return slice
      const index = indexOf(key)
      return index === undefined ? Reflect.get(target, key) : at(index)
    },
    has: (_, key) => indexOf(key) !== undefined || Reflect.has(target, key)
  })
}
