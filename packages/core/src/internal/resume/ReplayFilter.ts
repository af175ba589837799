/**
 * Skips the lines of a resumed reply that were emitted before.
 */
import * as Call from "../call/Call.ts"
import * as EmittedBlocks from "./EmittedBlocks.ts"
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

const passAll: ReplayFilter = {
  isActive: () => false,
  isWaiting: () => false,
  filter: (rest) => ({ skipped: [], rest, isMismatch: false })
}

/** Builds the filter of one reply. */
export const make = ({ call, noteSkipped, resumption, series }: ResumeState): ReplayFilter => {
  switch (resumption._tag) {
    case "Fresh":
      return passAll
    case "Replayed":
      return skipCount(resumption.count, resumption.last)
    case "Continued":
      return series !== undefined && Call.isPerBlock(call)
        ? skipHeight(series, call, resumption.last, noteSkipped)
        : skipFirst((text) => Series.isSame(series, call, resumption.last.record, Json.parse(text)), noteSkipped)
  }
}

/** Line ends may differ between replies. */
const isSameLine = (text: string, other: string) => text.trim() === other.trim()

/** Skips this many lines. The last of them must be the last record emitted. */
const skipCount = (count: number, { blocks, text }: LastRecord): ReplayFilter => {
  let toSkip = count
  // The same blocks of the last height must come back. If a new one stood before them, an emitted one would be repeated.
  let lastHeight: ReadonlyArray<string> = []
  const isEmitted = (line: string) => blocks.has(EmittedBlocks.idOf(Json.parseExact(line)))
  const isActive = () => toSkip > 0
  return {
    isActive,
    isWaiting: isActive,
    filter: (texts) => {
      if (toSkip === 0) return { skipped: [], rest: texts, isMismatch: false }
      const skipped = texts.slice(0, toSkip)
      toSkip -= skipped.length
      if (blocks.size > 0) lastHeight = [...lastHeight, ...skipped].slice(-blocks.size)
      const isMatch =
        isSameLine(skipped.at(-1) ?? "", text) && EmittedBlocks.isComplete(blocks) && lastHeight.every(isEmitted)
      return { skipped, rest: texts.slice(skipped.length), isMismatch: toSkip === 0 && !isMatch }
    }
  }
}

/** Skips the first line, which must be the last record emitted. */
const skipFirst = (isLast: (text: string) => boolean, noteSkipped: (count: number) => void): ReplayFilter => {
  let isWaiting = true
  return {
    isActive: () => isWaiting,
    isWaiting: () => isWaiting,
    filter: (texts) => {
      if (!isWaiting || texts.length === 0) return { skipped: [], rest: texts, isMismatch: false }
      isWaiting = !isLast(texts[0]!)
      if (!isWaiting) noteSkipped(1)
      return { skipped: texts.slice(0, 1), rest: texts.slice(1), isMismatch: isWaiting }
    }
  }
}

/**
 * Skips the blocks emitted of one height, in whatever order they come now. Other blocks of that height are kept: they
 * came late, or stand in another order. Blocks are compared by hash, because a value may have been revised meanwhile; by
 * their whole text only where they have no hash.
 */
const skipHeight = (
  series: Series.Series,
  call: Call.Call,
  { blocks, record: last }: LastRecord,
  noteSkipped: (count: number) => void
): ReplayFilter => {
  const idOfLast = EmittedBlocks.idOf(last)
  let isActive = true
  let isWaiting = true
  let count = 0
  /** New blocks, held back until the last emitted one comes back. Without it the stream cannot continue. */
  let held: ReadonlyArray<string> = []
  return {
    isActive: () => isActive,
    isWaiting: () => isWaiting,
    filter: (texts) => {
      if (!isActive) return { skipped: [], rest: texts, isMismatch: false }
      const skipped: Array<string> = []
      const rest = [...held]
      let isMismatch = false
      for (const text of texts) {
        const record: unknown = isActive ? Json.parseExact(text) : undefined
        const isAtHeight: boolean = isActive && Series.isSamePosition(series, call, record, last)
        const id = isAtHeight ? EmittedBlocks.idOf(record) : ""
        if (isAtHeight && blocks.has(id)) {
          skipped.push(text)
          if (id === idOfLast) isWaiting = false
          continue
        }
        if (isWaiting && !(isAtHeight && Series.isIdentified(call, record))) {
          isMismatch = true
          skipped.push(text)
          break
        }
        isActive = isAtHeight
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
