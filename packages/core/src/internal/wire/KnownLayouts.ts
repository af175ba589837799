/** The layouts that a reader of records has learned while it reads, the one used last first. The scan has them too. */
import type * as Builder from "./Builder.ts"
import type * as FlatRecords from "./FlatRecords.ts"
import * as Json from "./Json.ts"
import * as Layout from "./scan/Layout.ts"
import * as Outline from "./Outline.ts"
import * as Scan from "./scan/Scan.ts"
import type * as Shape from "./scan/Shape.ts"
import * as Utf8 from "./Utf8.ts"

/** A layout, and where the scan has it. */
export interface Known {
  readonly place: number
  readonly layout: Layout.Layout
  readonly isPlain: boolean
  /** What builds the records of a scan, and one record of its values. Each is compiled when it is first needed. */
  build?: FlatRecords.Build
  buildOne?: Builder.Builder
}

/** Finds records of a layout from an offset on. Returns how many. */
export type Look = (known: Known, at: number, to: number, between: number) => number

/** Layouts as one way of reading finds and learns them. */
export interface Finder {
  /** Finds records by the layout that fits the first of them, and puts that layout first. Returns how many. */
  readonly find: (at: number, to: number, between: number) => number
  /** Parses a record of an unknown layout, and puts its layout first where it can be learned. Returns no invalid record. */
  readonly parse: (at: number, end: number, between: number) => unknown
}

/** The most layouts. A scan has one place more, where a layout is tried. */
export const most = Scan.places - 1

/** Begins with none; nothing where WebAssembly cannot be used. `isValid` checks a single record against the schema. */
export const make = (fields: Shape.Fields, isValid: (record: unknown) => boolean): KnownLayouts | undefined => {
  const scan = Scan.make()
  return scan && makeWith(scan, fields, isValid)
}

const makeWith = (scan: Scan.Scan, fields: Shape.Fields, isValid: (record: unknown) => boolean) => {
  const layouts: Array<Known> = []
  let free = 0

  /** When all layouts that there is room for are known, one unknown record of so many replaces the one not used for longest. */
  const finder = (look: Look, learningInterval: number): Finder => {
    let unknown = 0
    const parse: Finder["parse"] = (at, end, between) => {
      const text = end === -1 ? undefined : Utf8.decode([scan.bytes.subarray(at, end)])
      const record = text === undefined ? undefined : Json.parseExact(text)
      if (text === undefined || record === undefined || !isValid(record)) return undefined
      if (layouts.length === most && ++unknown % learningInterval !== 0) return record
      const layout = Layout.learn(text, fields)
      if (layout === undefined || !scan.setLayout(free, layout.steps)) return record
      const known = { place: free, layout, isPlain: Layout.isPlain(layout) }
      // A known layout may have failed on a value, such as a number with too many digits: do not learn it twice.
      if (look(known, at, end, between) !== 1) return record
      free = layouts.length === most ? layouts.pop()!.place : layouts.length + 1
      layouts.unshift(known)
      return record
    }
    const find: Finder["find"] = (at, to, between) => {
      for (let index = 0; index < layouts.length; index++) {
        const known = layouts[index]!
        const count = look(known, at, to, between)
        if (count === 0) continue
        if (index > 0) {
          layouts.splice(index, 1)
          layouts.unshift(known)
        }
        return count
      }
      return 0
    }
    return { find, parse }
  }

  return { scan, first: (): Known | undefined => layouts[0], finder }
}

/** Layouts that are known to a scan. */
export type KnownLayouts = ReturnType<typeof makeWith>

const { comma, openBrace } = Outline.marks

/** The offset behind a record, or -1. */
export const endOf = (bytes: Uint8Array, at: number, to: number, between: number): number => {
  if (at >= to || bytes[at] !== openBrace) return -1
  if (between === comma) return Outline.endOf(bytes.subarray(0, to), at)
  const end = bytes.indexOf(between, at)
  return end === -1 || end > to ? to : end
}
