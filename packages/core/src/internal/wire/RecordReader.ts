/**
 * Reads records whose layout is known from earlier records, more than twice as fast as `JSON.parse`.
 *
 * It learns layouts while it reads. A record of an unknown layout is parsed and checked by itself. When a run of records
 * contains anything else, damage or an invalid record included, the reader returns nothing: the caller then parses the
 * whole run and finds the same records and the same errors as without a reader.
 */
import type * as Accepted from "./Accepted.ts"
import * as Builder from "./Builder.ts"
import * as Json from "./Json.ts"
import * as Layout from "./Layout.ts"
import * as Outline from "./Outline.ts"
import * as Utf8 from "./Utf8.ts"

/**
 * Reads the records between two offsets, which are separated by one byte: a comma or a line feed. Returns nothing when the
 * caller should parse them: there is something else between the offsets, or too many records have no known layout.
 */
export type Read = (bytes: Uint8Array, from: number, to: number, between: number) => ReadonlyArray<unknown> | undefined

/** A layout, and what builds its records. */
interface Known {
  readonly layout: Layout.Layout
  readonly build: Builder.Builder
  /** The first value of the last record that the lead did not match. */
  first: unknown
  lead: Layout.Lead | undefined
}

/** Layouts to remember, the last used one first. */
const maxLayouts = 8

/** When that many layouts are known, one record in 64 of the others replaces the layout that was not used for longest. */
const learningInterval = 64

/** Records of a run that may have no known layout, in addition to a quarter of those read. */
const maxDeviating = 3

/** Runs that are parsed without an attempt to read them, after several in a row could not be read. */
const maxPause = 32

/**
 * Bytes to decode at a time. V8 makes a value of 13 characters or more a reference into the decoded text, so a program that
 * keeps one value keeps this much text. Four times as much would save a sixth of the time.
 */
const textSize = 1_024

const [openBrace, space] = [123, 32]

const nothing: Read = () => undefined

/** Builds a reader of the records of a schema. `isValid` checks a single record against the schema. */
export const make = (accepted: Accepted.Accepted | undefined, isValid: (record: unknown) => boolean): Read => {
  if (accepted === undefined) return nothing
  const layouts: Array<Known> = []
  const values: Array<unknown> = []
  let paused = 0
  let pause = 0
  let unknown = 0

  /** Parses a record of an unknown layout, and learns the layout. */
  const parse = (source: Source, from: number, to: number): unknown => {
    const text = Utf8.decode([source.bytes.subarray(from, to)])
    const record = text === undefined ? undefined : Json.parseExact(text)
    if (text === undefined || record === undefined || !isValid(record)) return undefined
    const isFull = layouts.length === maxLayouts
    if (text.length !== to - from || (isFull && ++unknown % learningInterval !== 0)) return record
    const layout = Layout.learn(text, accepted)
    if (layout === undefined) return record
    const known = { layout, build: Builder.make(layout.keys), first: undefined, lead: undefined }
    // A known layout may have failed on a value, such as a number with too many digits: do not learn it twice.
    if (readAs(known, source, from) !== to) return record
    if (isFull) layouts.pop()
    layouts.unshift(known)
    return record
  }

  /** Reads the values of a record if it has this layout. Returns the offset behind it, otherwise a negative number. */
  const readAs = (known: Known, source: Source, at: number): number => {
    let end = Layout.read(known.layout, source, at, values, known.lead)
    while (end === Layout.beyondText && refill(source, at)) {
      end = Layout.read(known.layout, source, at, values, known.lead)
    }
    return end
  }

  /** Reads the values of a record by the layout that fits it, and puts that layout first. Returns as `readAs` does. */
  const find = (source: Source, at: number): number => {
    for (let index = 0; index < layouts.length; index++) {
      const known = layouts[index]!
      const end = readAs(known, source, at)
      if (end < 0) continue
      if (index > 0) {
        layouts.splice(index, 1)
        layouts.unshift(known)
      }
      const [first] = values
      if (first !== known.lead?.value) {
        if (first === known.first && typeof first === "string") known.lead = Layout.leadOf(known.layout, first)
        known.first = first
      }
      return end
    }
    return -1
  }

  const readRun: Read = (bytes, from, to, between) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset, to)
    const source: Source = { bytes, view, to, text: "", textFrom: from, textTo: from }
    const records: Array<unknown> = []
    let deviating = 0
    for (let at = from; ; at++) {
      while (bytes[at] === space) at++
      const end = find(source, at)
      if (end < 0) {
        const next = at < to && bytes[at] === openBrace ? endOf(bytes, at, to, between) : -1
        const [latest] = layouts
        const record = next === -1 ? undefined : parse(source, at, next)
        const isLearned = layouts[0] !== latest
        if (record === undefined) return undefined
        if (!isLearned && ++deviating > maxDeviating + (records.length >>> 2)) return undefined
        records.push(record)
        at = next
      } else {
        records.push(layouts[0]!.build(values))
        at = end
      }
      while (bytes[at] === space) at++
      if (at === to) return records
      if (at > to || bytes[at] !== between) return undefined
    }
  }

  return (bytes, from, to, between) => {
    if (paused > 0) {
      paused--
      return undefined
    }
    const records = readRun(bytes, from, to, between)
    pause = records === undefined ? Math.min(2 * pause + 1, maxPause) : 0
    paused = pause
    return records
  }
}

/** The offset behind a record of an unknown layout, or -1. */
const endOf = (bytes: Uint8Array, from: number, to: number, between: number): number => {
  if (between === comma) return Outline.endOf(bytes.subarray(0, to), from)
  const end = bytes.indexOf(between, from)
  return end === -1 || end > to ? to : end
}

const { comma } = Outline.marks

/** The bytes of a run, and the text of some of them. */
interface Source extends Layout.Source {
  text: string
  textFrom: number
  textTo: number
}

/** Decodes the text from this record on, as far as it is ASCII. Returns false when that is no more than before. */
const refill = (source: Source, at: number): boolean => {
  const { bytes, textFrom, textTo, to } = source
  const most = Math.min(to, textFrom === at ? Math.max(at + textSize, 2 * textTo - at) : at + textSize)
  let end = most
  let text = Utf8.ascii(bytes.subarray(at, end))
  if (text.length !== end - at) {
    for (end = at; bytes[end]! < 128;) end++
    text = Utf8.ascii(bytes.subarray(at, end))
  }
  const isMore = textFrom !== at || end > textTo
  source.text = text
  source.textFrom = at
  source.textTo = end
  return isMore
}
