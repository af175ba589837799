/**
 * The lines of a resumed reply that were emitted before.
 */
import * as Blocks from "./Blocks.ts"
import * as Call from "../call/Call.ts"
import { longestPiece } from "../wire/Envelope.ts"
import * as Json from "../wire/Json.ts"
import type { Last, Progress } from "./Progress.ts"
import * as Series from "../series/Series.ts"

/** Some lines, divided. */
export interface Passed {
  readonly passed: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
  /** The last record that was emitted did not come back where it has to stand. */
  readonly isBroken: boolean
}

/** Finds what was emitted. */
export interface Overlap {
  /** Whether lines may still come that were emitted. */
  readonly isOpen: () => boolean
  /** Whether the last record that was emitted is still to come. */
  readonly isMissing: () => boolean
  readonly pass: (texts: ReadonlyArray<string>) => Passed
}

const nothing: Overlap = {
  isOpen: () => false,
  isMissing: () => false,
  pass: (left) => ({ passed: [], left, isBroken: false })
}

/** Begins at the start of a reply. */
export const make = ({ call, notePassed, resumption, series }: Progress): Overlap => {
  switch (resumption._tag) {
    case "Fresh":
      return nothing
    case "Replayed":
      return counted(resumption.count, resumption.last)
    case "Continued":
      return series !== undefined && Call.isPerBlock(call)
        ? ofHeight(series, call, resumption.last, notePassed)
        : until((text) => Series.isSame(series, call, resumption.last.record, Json.parse(text)), notePassed)
  }
}

/** Line ends may differ from reply to reply. */
const isSame = (text: string, other: string) => text.trim() === other.trim()

/** So many lines, the last of them this one. */
const counted = (count: number, { blocks, text }: Last): Overlap => {
  let behind = count
  // Of the last height the same blocks have to come back: with another before it, one of them would be repeated later.
  let height: ReadonlyArray<string> = []
  const isEmitted = (line: string) => blocks.has(Blocks.nameOf(Json.parseExact(line)))
  const isOpen = () => behind > 0
  return {
    isOpen,
    isMissing: isOpen,
    pass: (texts) => {
      if (behind === 0) return { passed: [], left: texts, isBroken: false }
      const passed = texts.slice(0, behind)
      behind -= passed.length
      if (blocks.size > 0) height = [...height, ...passed].slice(-blocks.size)
      const isBack = isSame(passed.at(-1) ?? "", text) && Blocks.areAll(blocks) && height.every(isEmitted)
      return { passed, left: texts.slice(passed.length), isBroken: behind === 0 && !isBack }
    }
  }
}

/** The line of the last record that was emitted, which has to be the first. */
const until = (isLast: (text: string) => boolean, notePassed: (count: number) => void): Overlap => {
  let isMissing = true
  const isOpen = () => isMissing
  return {
    isOpen,
    isMissing: isOpen,
    pass: (texts) => {
      if (!isMissing || texts.length === 0) return { passed: [], left: texts, isBroken: false }
      isMissing = !isLast(texts[0]!)
      if (!isMissing) notePassed(1)
      return { passed: texts.slice(0, 1), left: texts.slice(1), isBroken: isMissing }
    }
  }
}

/**
 * The lines of the blocks that were emitted of one height, whatever their order is now. Others of that height are left:
 * they came late, or are in another order. A value may have been revised meanwhile, so blocks are told apart by their
 * hashes; by all of their text only where they come without.
 */
const ofHeight = (
  series: Series.Series,
  call: Call.Call,
  { blocks, record: last }: Last,
  notePassed: (count: number) => void
): Overlap => {
  const nameOfLast = Blocks.nameOf(last)
  let isOpen = true
  let isMissing = true
  let count = 0
  /** Blocks that were not emitted, kept until the last one comes back: without it there is no going on. */
  let held: ReadonlyArray<string> = []
  return {
    isOpen: () => isOpen,
    isMissing: () => isMissing,
    pass: (texts) => {
      if (!isOpen) return { passed: [], left: texts, isBroken: false }
      const passed: Array<string> = []
      const left = [...held]
      let isBroken = false
      for (const text of texts) {
        const record: unknown = isOpen ? Json.parseExact(text) : undefined
        const isHere: boolean = isOpen && Series.isSamePlace(series, call, record, last)
        const name = isHere ? Blocks.nameOf(record) : ""
        if (isHere && blocks.has(name)) {
          passed.push(text)
          if (name === nameOfLast) isMissing = false
          continue
        }
        if (isMissing && !(isHere && Series.isIdentified(call, record))) {
          isBroken = true
          passed.push(text)
          break
        }
        isOpen = isHere
        left.push(text)
      }
      count += passed.length
      if (!isMissing) notePassed(count)
      held = isMissing ? left : []
      if (held.reduce((length, text) => length + text.length, 0) > longestPiece) isBroken = true
      return { passed, left: isMissing ? [] : left, isBroken }
    }
  }
}
