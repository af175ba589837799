/** Skips the lines of a resumed reply that were emitted before. */
import * as EmittedIds from "./EmittedIds.ts"
import { longestPiece } from "../wire/Envelope.ts"
import * as Json from "../wire/Json.ts"
import type { LastRecord, ResumeState } from "./ResumeState.ts"
import * as Series from "../series/Series.ts"

/** Some lines, divided. */
export interface Filtered {
  /** Lines that were emitted before. */
  readonly skipped: ReadonlyArray<string>
  readonly rest: ReadonlyArray<string>
  /** The last emitted record is not where it must be, so the reply does not continue the previous one. */
  readonly isMismatch: boolean
}

/** Skips lines that were emitted before. */
export interface ReplayFilter {
  /** Whether lines that were emitted may still come. */
  readonly isActive: () => boolean
  /** Whether the last emitted record has not come back yet. */
  readonly isWaiting: () => boolean
  readonly filter: (texts: ReadonlyArray<string>) => Filtered
}

const passed = (rest: ReadonlyArray<string>): Filtered => ({ skipped: [], rest, isMismatch: false })

/** Builds the filter of one reply. */
export const make = ({ noteSkipped, resumption, series }: ResumeState): ReplayFilter => {
  switch (resumption._tag) {
    case "Fresh":
      return skipCount(0, () => true)
    case "Replayed": {
      const { count, last } = resumption
      return series?.identity === undefined
        ? skipCount(count, (line) => isSameLine(line, last.text))
        : skipPosition(series, last, count - last.ids.total, () => {})
    }
    case "Continued": {
      const { last } = resumption
      if (series?.identity !== undefined) return skipPosition(series, last, 0, noteSkipped)
      return skipCount(1, (line) => Series.isSame(series, last.record, Json.parse(line)), noteSkipped)
    }
  }
}

/** Line ends may differ between replies. */
const isSameLine = (text: string, other: string) => text.trim() === other.trim()

/** Skips this many lines. The last of them must be the last record emitted. */
const skipCount = (
  count: number,
  isLast: (line: string) => boolean,
  noteSkipped: (count: number) => void = () => {}
): ReplayFilter => {
  let toSkip = count
  const isActive = () => toSkip > 0
  return {
    isActive,
    isWaiting: isActive,
    filter: (texts) => {
      if (toSkip === 0) return passed(texts)
      const skipped = texts.slice(0, toSkip)
      toSkip -= skipped.length
      const isMismatch = toSkip === 0 && !isLast(skipped.at(-1) ?? "")
      if (toSkip === 0 && !isMismatch) noteSkipped(count)
      return { skipped, rest: texts.slice(skipped.length), isMismatch }
    }
  }
}

/**
 * Skips this many lines, and then the records emitted at the last position, in whatever order they come now. Other records
 * of that position are kept: they came late, or stand in another order. Records are compared by their identity, because a
 * value may have been revised meanwhile; by their whole text only where they have none.
 */
const skipPosition = (
  series: Series.Series,
  { ids, record: last }: LastRecord,
  before: number,
  noteSkipped: (count: number) => void
): ReplayFilter => {
  const idOfLast = Series.idOf(series, last)
  const remaining = new Map(ids.counts)
  let toSkip = Math.max(0, before)
  let isActive = true
  let isWaiting = true
  let count = 0
  /** New records, held back until the last emitted one comes back. Without it the stream cannot continue. */
  let held: ReadonlyArray<string> = []
  return {
    isActive: () => isActive,
    isWaiting: () => isWaiting,
    filter: (texts) => {
      if (!isActive) return passed(texts)
      const skipped = texts.slice(0, toSkip)
      toSkip -= skipped.length
      const rest = [...held]
      let isMismatch = !EmittedIds.isComplete(ids)
      for (const text of texts.slice(skipped.length)) {
        const record: unknown = isActive ? Json.parseExact(text) : undefined
        const isHere: boolean = isActive && Series.isSamePosition(series, record, last)
        const id = isHere ? Series.idOf(series, record) : ""
        const left = remaining.get(id) ?? 0
        if (isHere && left > 0) {
          remaining.set(id, left - 1)
          skipped.push(text)
          if (id === idOfLast) isWaiting = false
          continue
        }
        if (isWaiting && !(isHere && Series.isIdentified(series, record))) {
          isMismatch = true
          skipped.push(text)
          break
        }
        isActive = isHere
        rest.push(text)
      }
      count += skipped.length
      if (!isWaiting) noteSkipped(count)
      held = isWaiting ? rest : []
      if (held.reduce((length, text) => length + text.length, 0) > longestPiece) isMismatch = true
      return { skipped, rest: isWaiting ? [] : rest, isMismatch }
    }
  }
}
