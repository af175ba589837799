import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Endpoint, Params } from "@sluice/core"
import type { Dataset } from "@sluice/datasets"
import * as DatasetDuckdb from "@sluice/datasets/DatasetDuckdb"
import { Effect, FileSystem, Schema, Stream } from "effect"
import fs from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import * as path from "node:path"
import * as fields from "../../../core/src/internal/wire/fields.ts"
import * as Draw from "../../../core/test/Draw.ts"
import { assertSame } from "../../../core/test/Same.ts"
import { seeds, times } from "../../../core/test/TestMode.ts"
import { newFile, query } from "./Duckdb.ts"
import * as Prices from "./Prices.ts"

/** A series with a field of every kind. */
const endpoint = Endpoint.make("/drawn", {
  section: "none",
  order: "series",
  identity: ["id"],
  params: Schema.Struct({ assets: Params.entities(Params.requiredList, "asset") }),
  record: Schema.Struct({
    asset: fields.id,
    time: fields.timestamp,
    id: fields.id,
    text: fields.text,
    list: fields.texts,
    whole: fields.integer,
    amount: fields.decimal,
    stored: fields.timestamp,
    flag: fields.flag,
    number: fields.maybe(Schema.Finite)
  })
})

const setup: Dataset.Setup = {
  definition: { ...Prices.trades.definition, endpoint: endpoint.path, params: { assets: ["a", "b"] } },
  // Type boundary: see `Prices.ts`.
  series: { endpoint: endpoint as unknown as Endpoint.Any, entity: "asset", time: "time", identity: ["id"] }
}

const same = <A>(...values: ReadonlyArray<A>) => values.map((value) => [value, value] as const)

/** Values as records have them, and as the table shows them. */
const values: Readonly<Record<string, ReadonlyArray<readonly [unknown, unknown]>>> = {
  // As bytes: the library that reads them leaves out a byte order mark.
  text: ["", "plain", "N/A", "a\u0000b", "\uFEFFx", "Ξ→₿ é 😀", `'"\\\r\n\t`, "long ".repeat(2_000)].map((text) => [
    text,
    Buffer.from(text).toString("base64")
  ]),
  list: [
    [[], "[]"],
    [["a", 'b"\u0000'], '["a","b\\"\\u0000"]'],
    [["😀"], '["😀"]']
  ],
  whole: same("0", "-1", "9223372036854775807", "-9223372036854775808"),
  amount: [
    ["0", "0.000000000000000000"],
    ["1e-18", "0.000000000000000001"],
    ["-0.000000000000000001", "-0.000000000000000001"],
    ["99999999999999999999.999999999999999999", "99999999999999999999.999999999999999999"],
    ["-99999999999999999999.999999999999999999", "-99999999999999999999.999999999999999999"]
  ],
  stored: same(
    "1678-01-01T00:00:00.000000001Z",
    "1969-12-31T23:59:59.999999999Z",
    "1970-01-01T00:00:00.000000000Z",
    "2261-12-31T23:59:59.999999999Z"
  ),
  flag: same(true, false),
  number: same(0, -1.5, 5e-324, 1.7976931348623157e308)
}

/** So many records of two assets, and the rows that they should be. */
const drawn = (seed: number, count: number) => {
  const { below, one } = Draw.from(seed)
  return Array.from({ length: count }, (_, index) => {
    const asset = index < count / 2 ? "a" : "b"
    const time = new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 3) * 1_000).toISOString().replace("Z", "000001Z")
    const key = { asset, time, id: String(index) }
    const record: Record<string, unknown> = { ...key }
    const row: Record<string, unknown> = { ...key }
    for (const [name, all] of Object.entries(values)) {
      const [value, shown] = below(4) === 0 ? [one([null, undefined]), null] : one(all)
      if (value !== undefined) record[name] = value
      row[name] = shown
    }
    return { record, row }
  })
}

const changeOf = (records: ReadonlyArray<unknown>): Dataset.Change => ({
  spans: ["a", "b"].map((asset) => Prices.whole(asset)),
  records: Stream.fromIterable(records).pipe(Stream.rechunk(1_000)),
  cursors: Effect.succeed([]),
  forget: []
})

const nanos = (column: string) => `strftime(${column}, '%Y-%m-%dT%H:%M:%S.%n') || 'Z' AS ${column}`

const rows = (file: string) =>
  query(
    file,
    `SELECT asset, ${nanos("time")}, id, to_base64(encode(text)) AS text, list::VARCHAR AS list, whole::VARCHAR AS whole, amount::VARCHAR AS amount,
      ${nanos("stored")}, flag, number FROM "drawn [1]*'s" ORDER BY id::INTEGER`
  )

/** A new file in a folder whose name has what SQL and patterns of paths read in another way. */
const oddFile = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const folder = path.join(path.dirname(yield* newFile), "asset=it's [1]")
  yield* files.makeDirectory(folder)
  return path.join(folder, "data.duckdb")
})

const storeAt = (file: string) => DatasetDuckdb.make({ file, table: "drawn [1]*'s", numbers: "decimal" })

const applyTo = (file: string, change: Dataset.Change) =>
  Effect.scoped(Effect.flatMap(storeAt(file).open(setup), (open) => open.apply(change)))

/** The files of records beside a file of DuckDB. */
const left = (file: string) =>
  fs.readdirSync(path.dirname(file), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".parquet"))

/** Lets this write to files. */
const writeWith = (write: unknown) =>
  Effect.sync(() => {
    Object.assign(fs, { writeFileSync: write })
    syncBuiltinESMExports()
  })

describe("the values of a dataset in DuckDB", () => {
  it.live("are those of the records, of every kind", () =>
    Effect.gen(function* () {
      for (const seed of seeds(1, 20)) {
        // Also more than DuckDB takes at once.
        const all = drawn(seed, seed % 20 === 19 ? 130_000 : 300)
        const file = yield* oddFile
        const { records } = yield* applyTo(file, changeOf(all.map(({ record }) => record)))
        assert.strictEqual(records, all.length)
        assertSame(
          yield* rows(file),
          all.map(({ row }) => row),
          `seed ${seed}`
        )
        assert.isEmpty(left(file))
      }
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("are refused where a column cannot hold them, and nothing of the change is kept", () =>
    Effect.gen(function* () {
      const [{ record, row } = { record: {}, row: {} }] = drawn(1, 1)
      const file = yield* oddFile
      const open = yield* storeAt(file).open(setup)
      yield* open.apply(changeOf([record]))
      const bad: ReadonlyArray<readonly [column: string, value: unknown, shown: string]> = [
        ["asset", null, "null"],
        ["text", "a\uD800", '"a\\ud800"'],
        ["whole", "9223372036854775808", '"9223372036854775808"'],
        ["whole", "1.5", '"1.5"'],
        ["amount", "100000000000000000000", '"100000000000000000000"'],
        ["amount", "0.0000000000000000001", '"0.0000000000000000001"'],
        ["amount", "N/A", '"N/A"'],
        ["stored", "1677-01-01T00:00:00.000000000Z", '"1677-01-01T00:00:00.000000000Z"'],
        ["flag", "true", '"true"'],
        ["number", "N/A", '"N/A"']
      ]
      for (const [column, value, shown] of bad) {
        const error = yield* Effect.flip(open.apply(changeOf([record, { ...record, id: "1", [column]: value }])))
        assert.strictEqual(
          error._tag === "Unwritable" ? `${error.as} ${error.record} ${error.column} ${error.value}` : error.message,
          `DuckDB 2 ${column} ${shown}`
        )
        assertSame(yield* rows(file), [row], column)
        assert.isEmpty(left(file))
      }
      // DuckDB itself refuses what it cannot parse.
      const half = yield* Effect.flip(open.apply(changeOf([{ ...record, list: ["\uD800"] }])))
      assert.include(half.message, "no low surrogate in string")
      assertSame(yield* rows(file), [row])
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("are staged beside the file until the change ends, is interrupted or has no room", () =>
    Effect.gen(function* () {
      const file = yield* oddFile
      const records = drawn(1, 10).map(({ record }) => record)
      const change = changeOf(records)
      const look = Effect.sync(() => assert.lengthOf(left(file), 1))
      yield* applyTo(file, { ...change, records: Stream.onStart(change.records, look) })
      assert.deepStrictEqual(fs.readdirSync(path.dirname(file)), ["data.duckdb"])
      const never = { ...change, records: Stream.concat(change.records, Stream.never) }
      yield* Effect.timeoutOption(applyTo(file, never), `${times(100, 1_000)} millis`)
      assert.isEmpty(left(file))
      const { writeFileSync } = fs
      const full = writeWith(() => {
        throw new Error("ENOSPC: no space left on device, write")
      })
      const error = yield* Effect.flip(
        Effect.acquireUseRelease(
          full,
          () => applyTo(file, change),
          () => writeWith(writeFileSync)
        )
      )
      assert.strictEqual(
        error.message,
        `cannot copy records in ${storeAt(file).name}: ENOSPC: no space left on device, write`
      )
      assert.strictEqual(error._tag, "StoreFailed")
      assert.isEmpty(left(file))
      assert.lengthOf(yield* rows(file), records.length)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
