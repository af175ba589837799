/**
 * Records as rows of a COPY in the binary format: of each row the number of its values, and of each value its length and its
 * bytes, with the length -1 for null. They are written from columns, which a lazy array gives without building its records.
 */
import * as Decimal from "@sluice/core/Decimal"
import * as Collector from "@sluice/core/internal/columns/Collector"
import { Unwritable, unwritable } from "@sluice/core/internal/columns/FormatError"
import type { Booleans, Doubles, Integers, Texts } from "@sluice/core/internal/columns/TypedColumn"
import * as Result from "effect/Result"
import type { Table, TableColumn } from "../database/Table.ts"
import * as CopyTime from "./CopyTime.ts"
import { nanosColumn } from "./Statements.ts"

/** Makes the data of COPY statements of the records of one change. Each fails with the first value that its column cannot hold. */
export interface Writer {
  /** Adds records. Gives what is full. */
  readonly add: (records: ReadonlyArray<unknown>) => Result.Result<ReadonlyArray<Uint8Array>, Unwritable>
  /** Gives the rest. */
  readonly end: () => Result.Result<ReadonlyArray<Uint8Array>, Unwritable>
}

/** Values of a COPY, and bytes of text. */
const [mostValues, mostText] = [1 << 16, 1 << 20] as const

const signature = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1")
const trailer = -1

/** Where rows are written. */
interface Out {
  readonly bytes: Uint8Array
  readonly view: DataView
}

/** Writes the value of a record, other than null, and gives where it ends; nothing where PostgreSQL cannot hold it. */
type Put = (row: number, at: number) => number | undefined

/** A column of the table, the key of the records that it is from, and what it holds in the words of an error. */
interface Field {
  readonly name: string
  readonly key: string
  readonly expected: string
  /** Takes a column of the type that values of this field are collected as. */
  readonly begin: (column: never, out: Out) => Put
}

/** Builds a writer for a table. */
export const make = (table: Table): Writer => {
  const fields = fieldsOf(table)
  let before = 0
  let full: Array<Uint8Array> = []
  let failure: Unwritable | undefined

  const collector = Collector.make(
    {
      columns: table.columns.map((column) => (isText(column) ? { ...column, kind: "text" } : column)),
      types: {},
      words: new Map(),
      rows: Math.ceil(mostValues / fields.length),
      textSize: mostText,
      as: "PostgreSQL"
    },
    (batch) => {
      if (failure !== undefined) return
      const written = rowsOf(fields, batch, before)
      before += batch.length
      if (Result.isSuccess(written)) full.push(written.success)
      else failure = written.failure
    },
    true
  )

  const take = () => {
    if (failure !== undefined) return Result.fail(failure)
    const taken = full
    full = []
    return Result.succeed(taken)
  }

  return {
    add: (records) => {
      const added = collector.add(records)
      if (Result.isSuccess(added)) return take()
      // A record before it may have a text that PostgreSQL cannot hold.
      collector.end(false)
      const { as, column, record, value } = added.failure
      const expected = fields.find(({ key }) => key === column)?.expected
      failure ??= new Unwritable({ as, column, record, value, reason: `expected ${expected}` })
      return Result.fail(failure)
    },
    end: () => {
      collector.end(false)
      return take()
    }
  }
}

/** Writes the rows of a batch, of which so many records come before it. */
const rowsOf = (
  fields: ReadonlyArray<Field>,
  { columns, length }: Collector.AnyBatch,
  before: number
): Result.Result<Uint8Array, Unwritable> => {
  const used = fields.map((field) => ({ ...field, column: columns[field.key]! }))
  const size = used.reduce((sum, { column }) => sum + 12 * length + ("offsets" in column ? column.bytes.length : 0), 0)
  const bytes = new Uint8Array(signature.length + 2 * length + size + 2)
  const view = new DataView(bytes.buffer)
  // Type boundary: the collector makes columns of the types that `make` gives it.
  const puts = used.map(({ begin, column }) => ({
    isNull: column.isNull,
    put: begin(column as never, { bytes, view })
  }))
  bytes.set(signature)
  let at = signature.length
  for (let row = 0; row < length; row++) {
    view.setInt16(at, puts.length)
    at += 2
    for (let index = 0; index < puts.length; index++) {
      const { isNull, put } = puts[index]!
      if (isNull(row)) {
        view.setInt32(at, -1)
        at += 4
        continue
      }
      const end = put(row, at)
      if (end === undefined) {
        const { column, ...field } = used[index]!
        const value = column.at(row)
        const whole: unknown = column.type === "json" ? JSON.parse(String(value)) : value
        return Result.fail(unwritable("PostgreSQL", before + row + 1, field, whole))
      }
      at = end
    }
  }
  view.setInt16(at, trailer)
  return Result.succeed(bytes.subarray(0, at + 2))
}

/** Whether the values are collected as text: PostgreSQL has more times than 64 bits of nanoseconds, and more digits than 38. */
const isText = ({ type }: TableColumn) => type._tag === "Text" || type._tag === "Time" || type._tag === "Decimal"

const fieldsOf = ({ columns, isGrid, time }: Table): ReadonlyArray<Field> => {
  const fields = columns.map((column): Field => ({
    name: column.name,
    key: column.name,
    ...(column.name === time && isGrid ? gridTimes : kindOf(column))
  }))
  return isGrid ? fields : [...fields, { name: nanosColumn, key: time, ...nanos }]
}

type Kind = Pick<Field, "begin" | "expected">

const kindOf = ({ type }: TableColumn): Kind => {
  switch (type._tag) {
    case "Text":
      return { begin: textsWith(withoutNul), expected: anyText }
    case "Json":
      return { begin: textsWith(withoutEscapes, [1]), expected: anyText }
    case "Decimal":
      return { begin: textsWith(decimals), expected: "a decimal number" }
    case "Boolean":
      return { begin: booleans, expected: "true or false" }
    case "Int64":
      return { begin: sixtyFour, expected: "a whole number of 64 bits" }
    case "Double":
      return { begin: sixtyFour, expected: "a number that a double can hold" }
    case "Time":
      return { begin: timesWith(CopyTime.putMicros), expected: "a time that exists" }
  }
}

const anyText = "text in Unicode without the character NUL"

/** What a column of text can hold, where there is a value that it cannot. */
type Check = (column: Texts) => ((row: number) => boolean) | undefined

const textsWith =
  (check: Check, prefix: ReadonlyArray<number> = []) =>
  (column: Texts, { bytes, view }: Out): Put => {
    const canHold = check(column)
    const { bytes: all, offsets } = column
    return (row, at) => {
      if (canHold?.(row) === false) return undefined
      const [from, to] = [offsets[row]!, offsets[row + 1]!]
      view.setInt32(at, prefix.length + to - from)
      bytes.set(prefix, at + 4)
      return copy(all, from, to, bytes, at + 4 + prefix.length)
    }
  }

/** Most values are shorter than what a call takes that copies them. */
const short = 64

const copy = (all: Uint8Array, from: number, to: number, bytes: Uint8Array, at: number) => {
  if (to - from > short) bytes.set(all.subarray(from, to), at)
  else for (let index = from; index < to; index++) bytes[at + index - from] = all[index]!
  return at + to - from
}

const withoutNul: Check = ({ bytes, offsets }) =>
  bytes.includes(0) ? (row) => !bytes.subarray(offsets[row], offsets[row + 1]).includes(0) : undefined

/** JSON has escapes for what PostgreSQL keeps in no text. */
const withoutEscapes: Check = ({ at, bytes }) =>
  bytes.includes(backslash) ? (row) => !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(at(row) ?? "") : undefined

const backslash = "\\".charCodeAt(0)

const decimals: Check =
  ({ at }) =>
  (row) =>
    Decimal.isDecimal(at(row) ?? "")

const booleans =
  ({ values }: Booleans, { bytes, view }: Out): Put =>
  (row, at) => {
    view.setInt32(at, 1)
    bytes[at + 4] = (values[row >>> 3]! >>> (row & 7)) & 1
    return at + 5
  }

/** Doubles as well as integers: both have their eight bytes in the other order. */
const sixtyFour = ({ values }: Doubles | Integers, { view }: Out): Put => {
  const words = new Uint32Array(values.buffer, values.byteOffset, 2 * values.length)
  return (row, at) => {
    view.setInt32(at, 8)
    view.setUint32(at + 4, words[2 * row + 1]!)
    view.setUint32(at + 8, words[2 * row]!)
    return at + 12
  }
}

const timesWith =
  (write: (view: DataView, at: number, moment: CopyTime.DayTime) => boolean) =>
  ({ at: textAt, bytes, offsets }: Texts, { view }: Out): Put => {
    const read = CopyTime.makeReader()
    return (row, at) => {
      const moment = read(bytes, offsets[row]!, offsets[row + 1]!, () => textAt(row) ?? "")
      if (moment === undefined || !write(view, at + 4, moment)) return undefined
      view.setInt32(at, 8)
      return at + 12
    }
  }

const gridTimes: Kind = {
  begin: timesWith((view, at, moment) => moment.nanos % 1_000 === 0 && CopyTime.putMicros(view, at, moment)),
  expected: "a time that exists, of whole microseconds"
}

const nanos: Kind = {
  begin: timesWith(CopyTime.putNanos),
  expected: "a time from 1678 to 2261, in nanoseconds at most"
}
