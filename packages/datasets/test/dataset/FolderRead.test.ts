import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import * as TypedColumn from "@sluice/core/internal/columns/TypedColumn"
import type { Dataset } from "@sluice/datasets"
import type * as Format from "@sluice/files/Format"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Bucket from "../../../files/test/storage/Bucket.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import { temporary } from "./Harness.ts"
import { change, type Row, series, setup, time } from "./Store.ts"

const layouts = [
  { byEntity: true, period: "month", rows: 9 },
  { byEntity: false, period: "month", rows: 9 }
] as const

const daily = (asset: string, from: number, to: number, PriceUSD: string): ReadonlyArray<Row> =>
  Array.from({ length: to - from }, (_, day) => ({ asset, time: time(from + day), PriceUSD }))

/** Days of December, January and a part of February. */
const months = [
  [0, 31],
  [31, 62],
  [62, 80]
] as const

const days = 80

const range = {
  entities: ["btc", "eth"],
  from: undefined,
  to: undefined,
  metrics: ["PriceUSD"],
  others: []
}

const keyOf = ({ asset, time }: Row) => `${asset} ${time}`

type Read = (reader: Dataset.HeldReader) => Stream.Stream<unknown, Dataset.DatasetError>

const asRecords: Read = (reader) => reader.read(series, range)

const names = ["asset", "time", "PriceUSD"]

/** The records that columns stand for. */
const asColumns: Read = ({ columns }) =>
  Stream.flatMap(columns!.read(series, range, { params: {}, names, exact: [] }), (rows) => {
    if (rows._tag === "Records") return Stream.fromIterable(rows.records.slice(rows.from, rows.to))
    const all = names.map((name) => rows.column(name)!)
    return Stream.fromIterable(
      Array.from({ length: rows.to - rows.from }, (_, index) =>
        Object.fromEntries(all.map((column) => [column.name, TypedColumn.recordValue(column, rows.from + index)]))
      )
    )
  })

/** Reads a dataset while changes replace and remove its files: each record once and in order, and all that was there all the time. */
const readWhile = Effect.fnUntraced(function* (to: string, seed: number, read: Read, format: Format.Options) {
  const draw = Draw.from(seed)
  const store = yield* FolderStore.make(to, { layout: draw.one(layouts), format })
  const apply = (...[spans, rows]: Parameters<typeof change>) =>
    Effect.scoped(Effect.flatMap(store.open(setup), ({ apply }) => apply(change(spans, rows))))
  const all = range.entities.flatMap((entity) => daily(entity, 0, days, "1"))
  for (const [from, end] of months) {
    const spans = range.entities.map((entity) => ({ entity, from: time(from), to: time(end) }))
    yield* apply(
      spans,
      range.entities.flatMap((entity) => daily(entity, from, end, "1"))
    )
  }
  const reader = (yield* store.reader!)!
  const pull = yield* Stream.toPull(read(reader))
  const given: Array<Row> = []
  const removed = new Set<string>()
  let isOver = false
  while (!isOver) {
    if (draw.below(2) === 0) {
      const entity = draw.one(range.entities)
      // A change of files that entities share is of one period.
      const [from, to] = draw.one(months)
      const first = from + draw.below(to - from)
      const end = Math.min(first + 1 + draw.below(20), to)
      const isRemoved = draw.below(2) === 0
      const spans = [{ entity, from: time(first), to: time(end) }]
      const rows = daily(entity, first, end, String(given.length + 2))
      yield* apply(spans, isRemoved ? [] : rows.filter((row) => !removed.has(keyOf(row))))
      if (isRemoved) for (const row of rows) removed.add(keyOf(row))
    }
    isOver = yield* pull.pipe(
      Effect.map((batch) => {
        // Type boundary: the store gives what was written.
        given.push(...(batch as ReadonlyArray<Row>))
        return false
      }),
      Pull.catchDone(() => Effect.succeed(true))
    )
  }
  const keys = given.map(keyOf)
  assert.deepStrictEqual(keys, [...new Set(keys)].toSorted(), `seed ${seed}`)
  const found = new Set(keys)
  assert.deepStrictEqual(
    all.map(keyOf).filter((key) => !removed.has(key) && !found.has(key)),
    [],
    `seed ${seed}`
  )
  return given.some(({ PriceUSD }) => PriceUSD !== "1")
})

describe("a dataset that is read while it changes", () => {
  it.live("gives each record once and in order, whatever files are gone by then", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      let changed = 0
      for (const seed of TestMode.seeds(15, 100)) {
        if (yield* Effect.scoped(readWhile(`${to}/${seed}`, seed, asRecords, { as: "ndjson" }))) changed += 1
      }
      assert.isAbove(changed, 0)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("does as columns", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      let changed = 0
      for (const seed of TestMode.seeds(2, 15)) {
        for (const format of [{ as: "ndjson" }, { as: "parquet", numbers: "text" }] as const) {
          const folder = `${to}/${seed}-${format.as}`
          if (yield* Effect.scoped(readWhile(folder, seed, asColumns, format))) changed += 1
        }
      }
      assert.isAbove(changed, 0)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("does in a bucket, where a file may be another while it is read", () =>
    Effect.gen(function* () {
      let changed = 0
      for (const seed of TestMode.seeds(8, 50)) {
        if (yield* Effect.scoped(readWhile(`s3://data/${seed}`, seed, asRecords, { as: "ndjson" }))) changed += 1
      }
      assert.isAbove(changed, 0)
    }).pipe(Effect.provide([NodeServices.layer, Bucket.make().layer(Bucket.calm)]))
  )
})
