/**
 * Finds the end of a long list or object in bytes, and commas between its items, without parsing it.
 *
 * The loop over the bytes is in `scan.wat`, a tenth of the time that JavaScript takes. Where WebAssembly is missing or
 * forbidden, `Outline.ts` does it.
 */
import * as Outline from "./Outline.ts"
import * as Scan from "./scan/Scan.ts"

/** Shorter values are left to JavaScript, so that short pages need no scan. */
const shortest = 65_536

/** Builds the function that skips the nested values of a client's pages. */
export const make = (): Outline.SkipNested => {
  /** Made for the first long value: most pages hold none whose end is not known. */
  let skip: Outline.SkipNested | undefined
  return (bytes, from, commas) => {
    if (bytes.length - from < shortest) return Outline.skipNested(bytes, from, commas)
    skip ??= skipWith(Scan.make())
    return skip(bytes, from, commas)
  }
}

const skipWith = (scan: Scan.Scan | undefined): Outline.SkipNested => {
  if (scan === undefined) return Outline.skipNested
  const { at, load, skip, stop } = scan
  return (bytes, from, commas) => {
    const { length } = bytes
    let [depth, isText] = [0, 0]
    let next = commas === undefined ? length : from + Outline.commaDistance
    for (let place = from; place < length;) {
      const end = Math.min(place + Scan.longestRun, length)
      load(bytes, place, end)
      /** From an offset in the memory of the scan to one in the bytes. */
      const shift = place - Scan.runStart
      let inside = Scan.runStart
      while (inside < end - shift) {
        inside = skip(inside, end - shift, depth, isText, Math.max(0, next - shift))
        depth = at()
        isText = stop()
        // The codes of a bracket and its counterpart differ by two.
        if (depth === 0) return bytes[inside + shift - 1] === bytes[from]! + 2 ? inside + shift : from
        if (inside >= end - shift) break
        next = inside + shift + Outline.commaDistance
        commas?.push(inside + shift)
        inside++
      }
      // One more where the piece ended between a backslash and what is escaped.
      place = inside + shift
    }
    return length + 1
  }
}
