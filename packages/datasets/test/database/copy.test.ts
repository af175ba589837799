import { NodeServices } from "@effect/platform-node"
import { assert, describe, it, layer } from "@effect/vitest"
import { Batch, Timestamp } from "@sluice/core"
import { unwritable } from "@sluice/core/internal/columns/FormatError"
import * as Ddl from "@sluice/files/internal/format/Ddl"
import { Context, Effect, Layer, Result, Schema, Stream } from "effect"
import * as Draw from "../../../core/test/Draw.ts"
import { assertSame } from "../../../core/test/Same.ts"
import { firstSeed, seeds } from "../../../core/test/TestMode.ts"
import * as LazyDecoder from "../../../core/src/internal/read/LazyDecoder.ts"
import * as fields from "../../../core/src/internal/wire/fields.ts"
import * as RecordDecoder from "../../../core/src/internal/wire/RecordDecoder.ts"
import type { Table, TableColumn } from "../../src/internal/database/Table.ts"
import * as CopyBinary from "../../src/internal/postgres/CopyBinary.ts"
import * as Session from "../../src/internal/postgres/Session.ts"
import { dialect } from "../../src/internal/postgres/Statements.ts"
import * as Writers from "../../src/internal/postgres/Writers.ts"
import * as PostgresServer from "./PostgresServer.ts"

class Server extends Context.Service<Server, Effect.Success<typeof PostgresServer.make>>()("test/Server") {
  static readonly layer = Layer.provideMerge(Layer.effect(Server, PostgresServer.make), NodeServices.layer)
}

type Value = string | number | boolean | object | null

/** What is drawn of a column: what it can hold, and what it cannot. */
interface Drawn extends TableColumn {
  readonly values: ReadonlyArray<Value>
  readonly refused: ReadonlyArray<Value>
  readonly expected: string
}

const text = "text in Unicode without the character NUL"
const texts = ["", "btc", "\\N", "\\.", "a\tb\nc\r\\d", "é😀", "'\"{}", "x".repeat(63), "y".repeat(65), "z".repeat(300)]
const times = [
  "2024-02-29T23:59:59.999999000Z",
  "1970-01-01T00:00:00.000000000Z",
  "1969-12-31T23:59:59.999999000Z",
  "2000-01-01T00:00:00.000001000Z",
  "1678-01-01T00:00:00.000001000Z",
  "2261-12-31T23:59:59.999999000Z"
]
const noTimes = [
  "2026-02-29T00:00:00.000000000Z",
  "2026-01-01T24:00:00.000000000Z",
  "2026-01-01T23:60:00.000000000Z",
  "2026-13-01T00:00:00.000000000Z",
  "0000-01-01T00:00:00.000000000Z",
  "2026-01-01T00:00:00.00000000xZ",
  "2026-01-01T00:00:00.000000000+",
  "0000-01-01",
  "20260101",
  "infinity",
  ""
]
const numbers = [
  "1",
  "-12.50",
  "0.000000001",
  "12345678901234.567890123",
  "1e3",
  "+1",
  "5e-8",
  ".5",
  "5.",
  "0.30000",
  "00.1"
]
const noNumbers = ["N/A", "", "1,5", "NaN", "Infinity", "0x10", " 1"]

const column = (
  name: string,
  kind: Drawn["kind"],
  type: Drawn["type"]["_tag"],
  drawn: Omit<Drawn, keyof TableColumn>
) => {
  const usual = { _tag: "Decimal", shape: { precision: 38, scale: 18 }, isUsual: true } as const
  return { name, kind, nullable: true, type: type === "Decimal" ? usual : { _tag: type }, ...drawn } satisfies Drawn
}

const columns: ReadonlyArray<Drawn> = [
  {
    ...column("name", "text", "Text", { values: texts, refused: ["a\0b", "\ud800", null], expected: text }),
    nullable: false
  },
  column("note", "json", "Json", {
    values: [...texts, 1, true, {}, [1, { a: ["\\", null] }], ["a\\u0000"], ["C:\\ud8bad"]],
    refused: ["a\0b", "\ud800", ["\udc00"], { "\0": 1 }],
    expected: text
  }),
  column("digits", "decimal", "Decimal", {
    values: [...numbers, "1e-400", "9".repeat(200), `0.${"1".repeat(100)}`, 0.5],
    refused: noNumbers,
    expected: "a decimal number"
  }),
  column("price", "decimal", "Double", {
    values: [...numbers, "-0", "0.1234567890123456789", "9007199254740993", "1.7976931348623157e308", "5e-324"],
    refused: [...noNumbers, "1e400", "9".repeat(400)],
    expected: "a number that a double can hold"
  }),
  column("number", "number", "Double", {
    values: [0, -1, 0.1, 1e21, 1e-7, 5e-324, "12"],
    refused: ["N/A", "1e999"],
    expected: "a number that a double can hold"
  }),
  column("count", "integer", "Int64", {
    values: ["0", "-7", "9223372036854775807", "-9223372036854775808", "12.0", "+5", "007"],
    refused: ["9223372036854775808", "1.5", "", "x"],
    expected: "a whole number of 64 bits"
  }),
  column("flag", "boolean", "Boolean", { values: [true, false], refused: ["true", 1], expected: "true or false" }),
  column("at", "timestamp", "Time", {
    values: [
      ...times,
      "2026-01-01T00:00:00.123456789Z",
      "0001-01-01T00:00:00.000000000Z",
      "9999-12-31T23:59:59.999999999Z",
      "2026-01-01",
      "2026-01-01T10:30",
      "2026-01-01T10:30:59Z",
      "2026-01-01T10:30:59.5"
    ],
    refused: noTimes,
    expected: "a time that exists"
  })
]

/** The same of a series of a frequency, and of events. */
const tables = [true, false].map((isGrid) => {
  const time = {
    values: isGrid ? [...times, "0001-01-01T00:00:00.000000000Z"] : [...times, "2024-01-02T12:34:56.123456789Z"],
    refused: isGrid ? [...noTimes, "2024-01-02T12:34:56.123456789Z", null] : [...noTimes, null],
    expected: isGrid ? "a time that exists, of whole microseconds" : "a time that exists"
  }
  const all: ReadonlyArray<Drawn> = [...columns, { ...column("time", "timestamp", "Time", time), nullable: false }]
  const table: Table = { columns: all, carried: [], entity: "name", time: "time", key: undefined, isGrid }
  return { name: isGrid ? "a frequency" : "events", all, table }
})

type Row = Readonly<Record<string, Value>>

/** What an array of a lazy call holds without building its records. */
const isPlain = (value: Value) => !/[\\[{]|[^\x20-\x7e]|^\d+e/.test(JSON.stringify(value))

const row = (all: ReadonlyArray<Drawn>, { chance, one }: Draw.Draw, isLazy = false): Row =>
  Object.fromEntries(
    all.flatMap(({ name, nullable, values }) => {
      const value = nullable && chance(0.2) ? null : one(isLazy ? values.filter(isPlain) : values)
      return nullable && chance(0.1) ? [] : [[name, value]]
    })
  )

const Record = Schema.Struct({
  name: fields.id,
  time: fields.id,
  note: Schema.optionalKey(Schema.Union([Schema.String, Schema.Finite, Schema.Boolean, Schema.Null])),
  digits: fields.number,
  price: fields.decimal,
  number: fields.number,
  count: fields.integer,
  flag: fields.flag,
  at: fields.timestamp
})

/** Rows in arrays, as replies bring them, most of which are lazy. */
const replies = (all: ReadonlyArray<Drawn>, draw: Draw.Draw, most: number) => {
  const { decoder } = LazyDecoder.make(RecordDecoder.make(Record))
  let lazy = 0
  const parts = Array.from({ length: 1 + draw.below(20) }, () => {
    const isLazy = draw.chance(0.7)
    return { isLazy, rows: Array.from({ length: 1 + draw.below(most) }, () => row(all, draw, isLazy)) }
  })
  const read = ({ isLazy, rows }: (typeof parts)[number]): ReadonlyArray<unknown> => {
    if (!isLazy) return rows
    const bytes = new TextEncoder().encode(rows.map((record) => JSON.stringify(record)).join("\n"))
    const records = decoder.read(bytes, 0, bytes.length, "\n".charCodeAt(0)) ?? rows
    if (Batch.of(records) !== undefined) lazy++
    return records
  }
  return {
    rows: parts.flatMap(({ rows }) => rows),
    lazy: () => lazy,
    stream: Stream.flatMap(Stream.fromIterable(parts), (part) => Stream.suspend(() => Stream.fromArray(read(part))))
  }
}

/** A row as PostgreSQL reads it by itself, from JSON. */
const plain = (row: Row, isGrid: boolean) => ({
  ...Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (typeof value !== "string") return [name, value]
      // It would round nanoseconds.
      if (name === "time" || name === "at") return [name, value.replace(/(\.\d{6})\d{3}/, "$1")]
      return [name, name === "count" ? value.replace(/\.0*$/, "") : value]
    })
  ),
  ...(isGrid ? {} : { time_ns: String(Result.getOrThrow(Timestamp.toEpochNanos(String(row["time"])))) })
})

describe("a COPY", () => {
  it.each(tables)("is refused by record, column and value, of $name", ({ all, table }) => {
    const draw = Draw.from(firstSeed)
    const others = all.map((column) => ({ ...column, nullable: column.name !== "name" && column.name !== "time" }))
    for (const { expected, name, refused } of all) {
      for (const value of refused) {
        const rows = Array.from({ length: 40 }, () => row(others, draw))
        const at = draw.below(rows.length)
        const { add, end } = CopyBinary.make(table)
        const written = Result.flatMap(add(rows.with(at, { ...rows[at], [name]: value })), end)
        const error = unwritable("PostgreSQL", at + 1, { name, expected }, value)
        assertSame(Result.isFailure(written) ? { ...written.failure } : "written", { ...error }, error.message)
      }
    }
  })

  it("is refused by the first value that cannot be held, whichever column finds it", () => {
    const { add } = CopyBinary.make(tables[0]!.table)
    const good = { name: "btc", time: times[0] }
    const written = add([good, { ...good, note: "a\0b" }, { ...good, price: "N/A" }])
    assert.deepInclude(Result.isFailure(written) ? written.failure : {}, { record: 2, column: "note" })
  })

  it("is refused where the nanoseconds of an event need more than 64 bits", () => {
    for (const time of ["1677-09-21T00:12:43.145224191Z", "2262-04-11T23:47:16.854775808Z"]) {
      const { add, end } = CopyBinary.make(tables[1]!.table)
      const written = Result.flatMap(add([{ name: "btc", time }]), end)
      const expected = "a time from 1678 to 2261, in nanoseconds at most"
      const error = unwritable("PostgreSQL", 1, { name: "time_ns", expected }, time)
      assertSame(Result.isFailure(written) ? { ...written.failure } : "written", { ...error })
    }
  })
})

describe.skipIf(!PostgresServer.isInstalled)(PostgresServer.title("rows of a COPY"), () => {
  layer(Server.layer, { excludeTestServices: true })((it) => {
    it.effect.each(tables)("are what the records say, of $name", ({ all, table }) =>
      Effect.gen(function* () {
        const { url } = yield* Server
        let batches = 0
        for (const seed of seeds(2, 30)) {
          const draw = Draw.from(seed)
          const place = { schema: "public", table: `copied_${table.isGrid}_${seed}` }
          const statements = dialect.statements(table, place)
          const writer = yield* yield* Writers.make(Session.open({ url: url() }, "test"), 1)
          for (const sql of statements.create) yield* writer.run("create", sql)
          yield* writer.run("create", `CREATE TABLE expected_${place.table} (LIKE ${place.table})`)
          const { lazy, rows, stream } = replies(all, draw, seed % 10 === 0 ? 2_000 : 40)
          assert.strictEqual(yield* writer.stage({ table, statements }, stream), rows.length)
          batches += lazy()
          for (const sql of statements.intoEmpty?.add ?? []) yield* writer.run("add", sql)
          const names = [...all.map(({ name }) => name), ...(table.isGrid ? [] : ["time_ns"])].map(Ddl.identifier)
          const types = all.map(({ name, type }) => `${Ddl.identifier(name)} ${Ddl.typeOf(type, "postgres")}`)
          yield* writer.run(
            "read",
            `INSERT INTO expected_${place.table} (${names.join()}) SELECT ${names.join()}
            FROM json_to_recordset($1::text::json) AS n(${[...types, ...(table.isGrid ? [] : ["time_ns bigint"])].join()})`,
            JSON.stringify(rows.map((one) => plain(one, table.isGrid)))
          )
          const held = (name: string) =>
            writer.run("read", `SELECT t::text AS row FROM ${name} t ORDER BY t::text COLLATE "C"`)
          assertSame(yield* held(place.table), yield* held(`expected_${place.table}`), `seed ${seed}`)
        }
        assert.isAbove(batches, 5)
      }).pipe(Effect.scoped)
    )
  })
})
