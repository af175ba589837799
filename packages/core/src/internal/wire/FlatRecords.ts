/**
 * Builds records of flat values in one loop, compiled for their keys: each text is cut out and set in its
 * record, without a call or an array between. It takes two thirds of the time of a value after the other.
 *
 * Where code generation is forbidden there is no such loop.
 */
import * as Result from "effect/Result"
import * as Builder from "./Builder.ts"
import * as Scan from "./scan/Scan.ts"
import { kind } from "./scan/Shape.ts"

/** Where the next value is among those found, and the decoded text around it. */
export interface Cursor {
  at: number
  text: string
  /** The offset of the first character of the text, and the one behind its last byte. */
  from: number
  to: number
  /** The first value of the record before. Most records of a series repeat it, so they share it. */
  lead: unknown
}

/** Appends as many records. */
export type Build = (count: number, records: Array<unknown>) => void

/** What the loop takes its values from. */
export interface Source {
  readonly found: Int32Array
  readonly cursor: Cursor
  /** Decodes from the byte before a value on, beyond an end. */
  readonly decode: (from: number, end: number) => void
  /** Takes a value that is no plain text, inside the decoded text. May move {@link Cursor.from}. */
  readonly take: (offset: number, meta: number) => unknown
  /** Builds the next record, whatever its values are. */
  readonly other: () => object
}

/** What is no plain text and not null. */
const unusual = kind.number | kind.true | kind.false | Scan.isEscaped | Scan.isForeign

/** More keys make the loop too long for V8 to optimise it soon. */
const mostKeys = 64

/** With more keys, records of unusual values are built by {@link Source.other}: code for them would double the loop. */
const mostUnusualKeys = 16

/** Compiles the loop for these keys, in this order. No key may be `__proto__`. */
export const make = (
  keys: ReadonlyArray<string>,
  { cursor, decode, found, other, take }: Source
): Build | undefined => {
  if (keys.length === 0 || keys.length > mostKeys) return undefined
  // Type boundary: the compiled function takes these and returns this loop.
  const compiled = Result.try(
    () =>
      new Function("found", "cursor", "decode", "take", "other", write(keys))(
        found,
        cursor,
        decode,
        take,
        other
      ) as Build
  )
  return Result.getOrUndefined(compiled)
}

/** The expression for a text or null. */
const plain = (place: number) =>
  `(m${place} & ${kind.null}) !== 0 ? null : text.slice(f${place} - from, (m${place} >>> ${Scan.offsetShift}) - from)`

/** Statements that take any value. One outside ASCII moves `from`. */
const anyValue = (place: number) =>
  `if ((m${place} & ${unusual}) === 0) ${name(place)} = ${plain(place)}
      else { ${name(place)} = take(f${place}, m${place}); from = cursor.from }`

const name = (place: number) => (place === 0 ? "lead" : `v${place}`)

const reload = `from = cursor.from
      text = cursor.text
      to = cursor.to`

const write = (keys: ReadonlyArray<string>): string => {
  const places = [...keys.keys()]
  const others = places.slice(1)
  const { create, declaration } = Builder.writeRecord(keys)
  const last = places.length - 1
  const first = last === 0 ? "f0" : "isRepeated ? f1 : f0"
  const viaOther = `cursor.at = at
      cursor.lead = lead
      records.push(other())
      at = cursor.at
      lead = cursor.lead
      ${reload}`
  const skip = `if (isRepeated) cursor.from = from += f0 >>> ${Scan.surplusShift}`
  // A text that was decoded from the value behind a repeated one does not have its bytes.
  const inPlace = `if (end >= to) {
        decode((${first}) & ${Scan.offsetMask}, end)
        ${reload}
        ${last === 0 ? skip : ""}
      } else ${skip}
      ${others.map((place) => `let v${place}`).join(";")}
      if (!isRepeated) { ${anyValue(0)} }
      ${others.map(anyValue).join("\n      ")}
      records.push(${create(places.map(name))})
      at += ${2 * keys.length}`
  return `${declaration}
return (count, records) => {
  let { at, from, lead, text, to } = cursor
  for (; count > 0; count--) {
    const ${places.map((place) => `f${place} = found[at + ${2 * place}], m${place} = found[at + ${2 * place + 1}]`).join()}
    const end = m${last} >>> ${Scan.offsetShift}
    const isRepeated = (m0 & ${Scan.isRepeated}) !== 0
    if (((${places.map((place) => `m${place}`).join("|")}) & ${unusual}) !== 0) {
      ${keys.length > mostUnusualKeys ? viaOther : inPlace}
      continue
    }
    if (end >= to) {
      decode(${first}, end)
      ${reload}
    }
    if (!isRepeated) lead = ${plain(0)}
    records.push(${create(places.map((place) => (place === 0 ? "lead" : plain(place))))})
    at += ${2 * keys.length}
  }
  cursor.at = at
  cursor.lead = lead
}`
}
