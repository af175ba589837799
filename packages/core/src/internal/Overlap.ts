/**
 * The lines of a resumed reply that were emitted before.
 */
import * as Json from "./Json.ts"
import type { Progress } from "./Progress.ts"
import * as Series from "./Series.ts"

/** Some lines, divided. */
export interface Passed {
  readonly passed: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
  /** The last record that was emitted did not come back where it has to stand. */
  readonly isBroken: boolean
}

/** Finds the place after the last record that was emitted. */
export interface Overlap {
  /** Whether that place is still to come. */
  readonly isOpen: () => boolean
  readonly pass: (texts: ReadonlyArray<string>) => Passed
}

/** Begins at the start of a reply. */
export const make = ({ call, notePassed, resumption, series }: Progress): Overlap => {
  switch (resumption._tag) {
    case "Fresh":
      return { isOpen: () => false, pass: (left) => ({ passed: [], left, isBroken: false }) }
    case "Replayed":
      return counted(resumption.count, resumption.last.text)
    case "Continued": {
      const { record: last, text: lastText } = resumption.last
      const placeOf = (record: unknown) =>
        JSON.stringify([series && Series.entityOf(series, record), Series.keyOf(call, record)])
      const place = placeOf(last)
      const hasKey = (text: string) => placeOf(Json.parse(text)) === place
      // A value may have been revised meanwhile; where nothing else tells two blocks of one height apart, the text does.
      const isLast = Series.isIdentified(call, last)
        ? (text: string) => Series.isSame(series, call, last, Json.parse(text))
        : (text: string) => isSame(text, lastText)
      return until(isLast, hasKey, notePassed)
    }
  }
}

/** Line ends may differ from reply to reply. */
const isSame = (text: string, other: string) => text.trim() === other.trim()

/** So many lines, the last of them this one. */
const counted = (count: number, last: string): Overlap => {
  let behind = count
  return {
    isOpen: () => behind > 0,
    pass: (texts) => {
      if (behind === 0) return { passed: [], left: texts, isBroken: false }
      const passed = texts.slice(0, behind)
      behind -= passed.length
      return { passed, left: texts.slice(passed.length), isBroken: behind === 0 && !isSame(passed.at(-1) ?? "", last) }
    }
  }
}

/** The lines up to the last emitted one, as long as they may stand before it. */
const until = (
  isLast: (text: string) => boolean,
  mayPrecede: (text: string) => boolean,
  notePassed: (count: number) => void
): Overlap => {
  let isOpen = true
  let count = 0
  return {
    isOpen: () => isOpen,
    pass: (texts) => {
      if (!isOpen) return { passed: [], left: texts, isBroken: false }
      const at = texts.findIndex(isLast)
      const passed = texts.slice(0, at === -1 ? undefined : at + 1)
      isOpen = at === -1
      count += passed.length
      if (!isOpen) notePassed(count)
      return { passed, left: texts.slice(passed.length), isBroken: !passed.every(mayPrecede) }
    }
  }
}
