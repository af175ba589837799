/**
 * Builds records from the values that a scan has found.
 *
 * V8 makes a value of 13 characters or more a reference into the decoded text, so a program that keeps one value keeps that
 * text. So it is decoded a little at a time.
 */
import * as Accepted from "./Accepted.ts"
import * as Builder from "./Builder.ts"
import type { Node, ObjectNode } from "./NestedLayout.ts"
import * as Scan from "./Scan.ts"
import * as Utf8 from "./Utf8.ts"

/** Bytes to decode at a time. */
const textSize = 1_024

/** Takes the values in their order. */
export interface FoundValues {
  /** Begins with the first value that the scan found, before the offset where it stopped. */
  readonly begin: (to: number) => void
  /** Builds what builds the next record of a layout. */
  readonly recordOf: (root: ObjectNode) => () => object
}

/** Builds records from the results of a scan. */
export const make = ({ bytes, found }: Scan.Scan): FoundValues => {
  let at = 0
  let text = ""
  let textFrom = 0
  let textTo = 0
  let last = 0

  const decode = (from: number, end: number) => {
    textFrom = from
    textTo = Math.max(end, Math.min(from + textSize, last))
    text = Utf8.ascii(bytes.subarray(textFrom, textTo))
  }

  const next = (): unknown => {
    const from = found[at]!
    const meta = found[at + 1]!
    at += 2
    const end = meta >>> Scan.offsetShift
    if ((meta & Accepted.null_) !== 0) return null
    if (end > textTo) decode(from, end)
    if ((meta & Accepted.text) !== 0) return text.slice(from - textFrom, end - textFrom)
    if ((meta & Accepted.number) !== 0) return Number(text.slice(from - textFrom, end - textFrom))
    return (meta & Accepted.true_) !== 0
  }

  const count = (): number => {
    const items = found[at]!
    at += 2
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
          const items: Array<unknown> = []
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

  /** The first value of the record before. Most records of a series repeat it, so they share it. */
  const recordOf = (root: ObjectNode): (() => object) => {
    const build = Builder.make(root.keys)
    const readers = root.members.map(readerOf)
    const isFlat = root.members.every(({ _tag }) => _tag === "Value")
    const values: Array<unknown> = []
    return () => {
      if ((found[at + 1]! & Scan.isRepeated) !== 0) at += 2
      else values[0] = readers[0]!()
      if (isFlat) for (let index = 1; index < readers.length; index++) values[index] = next()
      else for (let index = 1; index < readers.length; index++) values[index] = readers[index]!()
      return build(values)
    }
  }

  return {
    begin: (to) => {
      at = 0
      textTo = 0
      last = to
    },
    recordOf
  }
}
