/**
 * Builds records from the values that a scan has found.
 *
 * V8 makes a value of 13 characters or more a reference into the decoded text, so a program that keeps one value keeps that
 * text. So it is decoded a little at a time.
 */
import * as Builder from "./Builder.ts"
import * as FlatRecords from "./FlatRecords.ts"
import type { Node, ObjectNode } from "./scan/Layout.ts"
import * as Scan from "./scan/Scan.ts"
import { kind } from "./scan/Shape.ts"
import * as Utf8 from "./Utf8.ts"

/** Bytes to decode at a time. */
const textSize = 1_024

const [quote, replacement] = [34, "\ufffd"]

/** Builds records from the results of a scan. */
export const make = ({ bytes, found }: Scan.Scan) => {
  const textBetween = Utf8.slicer(bytes)
  const cursor: FlatRecords.Cursor = { at: 0, text: "", from: 0, to: 0, lead: undefined }
  let last = 0
  let isDamaged = false
  /** Index of the first replacement in the decoded text, where it was searched. */
  let replaced: number | undefined

  /** Decodes from the byte before a value. */
  const decode = (from: number, end: number) => {
    cursor.from = from - 1
    cursor.to = Math.max(end + 1, Math.min(cursor.from + textSize, last))
    cursor.text = textBetween(cursor.from, cursor.to)
    replaced = undefined
  }

  /**
   * Whether the decoded text has no replacement before an offset. Bytes that are not UTF-8 become one, as the text may hold one.
   * Searched where a value is not plain: few are, and the search of a text takes as long as its values.
   */
  const isWholeBefore = (stop: number) => {
    replaced ??= cursor.text.indexOf(replacement)
    return replaced === -1 || stop < replaced
  }

  /** Behind a text outside ASCII, characters are nearer to the beginning than their bytes. */
  const skipSurplus = (offset: number) => {
    cursor.from += offset >>> Scan.surplusShift
  }

  /** Whether the bytes of a value are this text. */
  const isExact = (from: number, end: number, written: string) =>
    Utf8.decode([bytes.subarray(from - 1, end + 1)]) === `"${written}"`

  const take = (offset: number, meta: number): unknown => {
    if ((meta & kind.null) !== 0) return null
    const from = offset & Scan.offsetMask
    const end = meta >>> Scan.offsetShift
    if (end >= cursor.to) decode(from, end)
    const { text } = cursor
    const start = from - cursor.from
    if ((meta & Scan.isForeign) !== 0) skipSurplus(offset)
    const stop = end - cursor.from
    if ((meta & Scan.isEscaped) !== 0) {
      const isWhole = isWholeBefore(stop)
      if (!isWhole && !isExact(from, end, text.slice(start, stop))) isDamaged = true
      // With its quotes. It throws at a wrong escape, since catching that here would take a fifth of the time of a value.
      return JSON.parse(text.slice(start - 1, stop + 1))
    }
    const written = text.slice(start, stop)
    if ((meta & Scan.isForeign) !== 0) {
      const isWhole = isWholeBefore(stop) && text.charCodeAt(stop) === quote
      if (!isWhole && !isExact(from, end, written)) isDamaged = true
      return written
    }
    if ((meta & kind.text) !== 0) return written
    return (meta & kind.number) !== 0 ? Number(written) : (meta & kind.true) !== 0
  }

  const next = (): unknown => {
    const offset = found[cursor.at]!
    const meta = found[cursor.at + 1]!
    cursor.at += 2
    return take(offset, meta)
  }

  const count = (): number => {
    const items = found[cursor.at]!
    cursor.at += 2
    return items
  }

  const readerOf = (node: Node): (() => unknown) => {
    switch (node._tag) {
      case "Value":
        return next
      case "Empty":
        return () => []
      case "Object":
        return objectOf(node)
      case "List": {
        const read = readerOf(node.item)
        return () => {
          const items = Builder.makeList()
          for (let left = count(); left > 0; left--) items.push(read())
          return items
        }
      }
    }
  }

  const objectOf = ({ keys, members }: ObjectNode): (() => object) => {
    const build = Builder.make(keys)
    const values: Array<unknown> = []
    if (members.every(({ _tag }) => _tag === "Value")) {
      return () => {
        for (let index = 0; index < keys.length; index++) values[index] = next()
        return build(values)
      }
    }
    const readers = members.map(readerOf)
    return () => {
      for (let index = 0; index < readers.length; index++) values[index] = readers[index]!()
      return build(values)
    }
  }

  /** Makes what builds the next records of a layout, and throws where a text has a wrong escape. */
  const recordsOf = (root: ObjectNode): FlatRecords.Build => {
    const build = Builder.make(root.keys)
    const readers = root.members.map(readerOf)
    const isFlat = root.members.every(({ _tag }) => _tag === "Value")
    const values: Array<unknown> = []
    const other = () => {
      const meta = found[cursor.at + 1]!
      if ((meta & Scan.isRepeated) === 0) cursor.lead = readers[0]!()
      else {
        skipSurplus(found[cursor.at]!)
        cursor.at += 2
      }
      values[0] = cursor.lead
      if (isFlat) for (let index = 1; index < readers.length; index++) values[index] = next()
      else for (let index = 1; index < readers.length; index++) values[index] = readers[index]!()
      return build(values)
    }
    const oneByOne: FlatRecords.Build = (count, records) => {
      for (let left = count; left > 0; left--) records.push(other())
    }
    return (isFlat ? FlatRecords.make(root.keys, { cursor, decode, found, other, take }) : undefined) ?? oneByOne
  }

  return {
    /** Begins with the first value that the scan found, before the offset where it stopped. */
    begin: (to: number) => {
      cursor.at = 0
      cursor.to = 0
      last = to
      isDamaged = false
    },
    /** Whether a text since the beginning was not UTF-8. Then the records must not be used. */
    isDamaged: (): boolean => isDamaged,
    recordsOf
  }
}

/** Takes the values in their order. */
export type FoundValues = ReturnType<typeof make>
