/**
 * Finds in the bytes of a lazy array which records have to be looked at to know that all are in order: building every
 * record, or the text of every time, would take half as long as writing them to a file.
 */
import * as Batch from "@sluice/core/Batch"

/** A time as the service writes it, of the lowest and of the highest digit at each place. */
const [lowest, highest] = ['"0000-00-00T00:00:00.000000000Z"', '"9999-19-39T29:59:59.999999999Z"'] as const

/** Four characters of it at a time, as numbers that compare as text does. */
const wordsOf = (text: string) =>
  Array.from({ length: text.length / 4 }, (_, nth) => Buffer.from(text).readInt32BE(4 * nth))
const low = wordsOf(lowest)
const high = wordsOf(highest)

/** The highest bit of each of four bytes: that of no character of a time. */
const bits = 0x80808080 | 0

/** How many bytes it has. */
const length = highest.length

const zero = 48
const two = 50
const three = 51

/** Where a month, the day and the hour begin in it. */
const [monthAt, dayAt, hourAt] = [6, 9, 12] as const

/** Days of each month. The last day of February in leap years is left to those who look at the record. */
const days = [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** The word that ends it. */
const zone = length / 4 - 1

/**
 * Indices of the records that are not plainly later than the one before: of the same entity, and at a later time with
 * nine fractional digits. The first is one of them. Nothing where the array is not lazy.
 */
export const doubtful = (records: ReadonlyArray<unknown>, entity: string): ReadonlyArray<number> | undefined => {
  const batch = Batch.of(records)
  if (batch === undefined) return undefined
  const { bytes, runs } = batch
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found: Array<number> = []
  let index = 0
  for (const { count, first, keys, offsets } of runs) {
    const stride = 2 * keys.length + 2
    const [name, time] = [2 * keys.indexOf(entity) + 1, 2 * keys.indexOf("time") + 1]
    for (let record = 0, place = first; record < count; record++, index++, place += stride) {
      const before = place - stride
      const isPlain =
        record > 0 &&
        name > 0 &&
        time > 0 &&
        isTime(offsets, before + time) &&
        isTime(offsets, place + time) &&
        isSame(bytes, view, offsets, before + name, place + name) &&
        isLater(bytes, view, offsets[before + time]!, offsets[place + time]!)
      if (!isPlain) found.push(index)
    }
  }
  return found
}

/** Whether a value is as long as a time. */
const isTime = (offsets: Int32Array, place: number): boolean => offsets[place + 1] === offsets[place]! + length

const isSame = (bytes: Uint8Array, view: DataView, offsets: Int32Array, one: number, other: number): boolean => {
  // An array of both would be made for each record.
  const a = offsets[one]!
  const b = offsets[other]!
  const length = offsets[one + 1]! - a
  if (offsets[other + 1]! - b !== length) return false
  let at = 0
  for (; at + 4 <= length; at += 4) if (view.getInt32(a + at) !== view.getInt32(b + at)) return false
  for (; at < length; at++) if (bytes[a + at] !== bytes[b + at]) return false
  return true
}

/**
 * Whether the text at `b` is a time that exists, and later than the one at `a`, which is known to be a time where it ends as one. What
 * both have in common is not looked at again. Four bytes at a time take a third of the time of one by one.
 */
const isLater = (bytes: Uint8Array, view: DataView, a: number, b: number): boolean => {
  const end = view.getInt32(a + 4 * zone)
  if (!isWithin(end, zone)) return false
  let first = low.length
  for (let word = 0; word < low.length; word++) {
    const before = view.getInt32(a + 4 * word)
    const text = view.getInt32(b + 4 * word)
    if (before === text) continue
    if (first === low.length) {
      if (before > text) return false
      first = word
    }
    if (!isWithin(text, word)) return false
  }
  if (first === low.length || (4 * first < hourAt && !isDay(bytes, b))) return false
  return 4 * first > hourAt || bytes[b + hourAt]! < two || bytes[b + hourAt + 1]! <= three
}

/** Whether each of four characters is one that may stand at this place of a time: all four are compared by one addition and one subtraction. */
const isWithin = (text: number, word: number): boolean =>
  ((text | (text + (~bits - high[word]!)) | ~((text | bits) - low[word]!)) & bits) === 0

/** Whether a time, whose digits are known to be some, has a day that exists. */
const isDay = (bytes: Uint8Array, from: number): boolean => {
  const day = numberAt(bytes, from + dayAt)
  return day >= 1 && day <= (days[numberAt(bytes, from + monthAt)] ?? 0)
}

const numberAt = (bytes: Uint8Array, at: number) => (bytes[at]! - zero) * 10 + bytes[at + 1]! - zero
