import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Dataset } from "@sluice/datasets"
import type { Format } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import * as TestMode from "../../../core/test/TestMode.ts"
import type * as FolderOptions from "../../src/internal/folder/FolderOptions.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as ReadBack from "../../src/internal/folder/ReadBack.ts"
import * as Files from "../../../files/src/internal/folder/Files.ts"
import { data, temporary } from "./Harness.ts"
import { change, layouts, type Model, replace, type Row, rowsOf, series, setup, time } from "./Store.ts"

const assets = ["btc", "eth", "ltc"]

/** The records of all files, in order. */
const rowsIn = (files: ReadonlyMap<string, ReadonlyArray<Row>>) =>
  [...files.values()].flat().toSorted((a, b) => (`${a.asset} ${a.time}` < `${b.asset} ${b.time}` ? -1 : 1))

/** The records of each file of a folder, with the asset that the path names. */
const rowsByFile = Effect.fnUntraced(function* (folder: string, format: Format.Options) {
  const files = yield* Files.make
  const path = yield* Path.Path
  const found = new Map<string, ReadonlyArray<Row>>()
  for (const name of Object.keys(yield* data(folder))) {
    const asset = /asset=([^/]+)/.exec(name)?.[1]
    const read = yield* Stream.runCollect(ReadBack.records(files, path.join(folder, name), format, new Set()))
    found.set(
      name,
      read.map((record) => ({ ...(asset === undefined ? {} : { asset }), ...(record as Row) }))
    )
  }
  return found
})

/** The file that has the records of an asset at a time. Fails where several have some. */
const homesOf = (files: ReadonlyMap<string, ReadonlyArray<Row>>) => {
  const homes = new Map<string, string>()
  for (const [file, rows] of files) {
    for (const { asset, time } of rows) {
      const moment = `${asset} ${time}`
      assert.strictEqual(homes.get(moment) ?? file, file, `${moment} is in two files`)
      homes.set(moment, file)
    }
  }
  return homes
}

/** Fails where a record is in another file than before. */
const assertNoneMoved = (before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>) => {
  for (const [moment, file] of after) assert.strictEqual(before.get(moment) ?? file, file, `${moment} has moved`)
}

const value = Effect.map(Random.nextIntBetween(0, 12), (number) =>
  number === 0 ? undefined : number === 1 ? null : number === 2 ? "0.1" : `${number}.${number * 7919}`
)

const row = Effect.fnUntraced(function* (asset: string, day: number) {
  const [PriceUSD, TxCnt] = [yield* value, yield* value]
  return {
    asset,
    time: time(day),
    ...(PriceUSD === undefined ? {} : { PriceUSD }),
    ...(TxCnt === undefined ? {} : { TxCnt })
  } satisfies Row
})

/** Days of some entities from one to another, most of which have a record. */
const changed = Effect.fnUntraced(function* (isShared: boolean) {
  const spans: Array<Dataset.Span> = []
  const rows: Array<Row> = []
  const month = yield* Random.nextIntBetween(0, 2)
  for (const asset of assets) {
    if ((yield* Random.nextIntBetween(0, 3)) === 0) continue
    const low = isShared ? month * 31 : 0
    // February, the third of the months, has 28 days.
    const days = month === 2 ? 28 : 31
    const from = yield* Random.nextIntBetween(low, low + days - 1)
    const to = yield* Random.nextIntBetween(from + 1, isShared ? low + days : 80)
    const isOpen = !isShared && (yield* Random.nextIntBetween(0, 3)) === 0
    spans.push({ entity: asset, from: from === 0 ? undefined : time(from), to: isOpen ? undefined : time(to) })
    const isEmpty = (yield* Random.nextIntBetween(0, 5)) === 0
    for (let day = from; day < (isEmpty ? from : to); day++) {
      if ((yield* Random.nextIntBetween(0, 6)) > 0) rows.push(yield* row(asset, day))
    }
  }
  return { spans, rows }
})

/** Now and then the first of the spans alone, whose change ends before it does. */
const cut = Effect.fnUntraced(function* ({ rows, spans }: Effect.Success<ReturnType<typeof changed>>) {
  const [span] = spans
  const own = rows.filter(({ asset }) => asset === span?.entity)
  const until = own[yield* Random.nextIntBetween(1, 60)]?.time
  if (span === undefined || until === undefined) return { rows, spans, until: undefined }
  return { rows: own.filter(({ time }) => time < until), spans: [span], until }
})

/** CSV and Parquet have no difference between null and absent, and Parquet has doubles. */
const plain = (rows: ReadonlyArray<Row>, as: Format.Name) =>
  as === "ndjson"
    ? rows
    : rows.map(({ asset, time, ...values }) => {
        const present = Object.entries(values).filter(([, value]) => value !== null)
        const numbers = present.map(([name, value]) => [name, as === "csv" ? value : Number(value)] as const)
        return { asset, time, ...Object.fromEntries(numbers) }
      })

const formats: ReadonlyArray<Format.Options> = [
  { as: "ndjson" },
  { as: "ndjson", compression: "gzip" },
  { as: "csv" },
  { as: "csv", compression: "zstd" },
  { as: "parquet" },
  { as: "parquet", compression: "gzip", numbers: "decimal" }
]

/** Applies random changes to a store and to a model, and compares them after each. */
const compare = Effect.fnUntraced(function* (
  options: FolderOptions.Options & { format: Format.Options },
  steps: number
) {
  const to = yield* temporary
  const { format, layout } = options
  let model: Model = new Map()
  let homes: ReadonlyMap<string, string> = new Map()
  for (let step = 0; step < steps; step++) {
    const store = yield* FolderStore.make(to, options)
    const drawn = yield* changed(layout?.byEntity === false && layout.period !== "none")
    const { rows, spans, until } = store.cut.rows === undefined ? { ...drawn, until: undefined } : yield* cut(drawn)
    const done = until === undefined ? spans : spans.map((span) => ({ ...span, to: until }))
    model = replace(model, done, rows)
    const asked = { ...change(spans, rows), until: Effect.succeed(until) }
    const applied = yield* Effect.scoped(Effect.flatMap(store.open(setup), (opened) => opened.apply(asked)))
    assert.strictEqual(applied.records, rows.length)
    const files = yield* rowsByFile(to, format)
    assert.deepStrictEqual(plain(rowsIn(files), format.as), plain(rowsOf(model), format.as), `step ${step}`)
    const now = homesOf(files)
    assertNoneMoved(homes, now)
    homes = now
    yield* store.verify(series, () => Effect.void)
    const held = yield* store.held
    const total = held.reduce((sum, { rows }) => sum + rows, 0)
    assert.strictEqual(total, model.size)
  }
})

describe("the store of a folder", () => {
  for (const [number, layout] of layouts.entries()) {
    const words = `${layout.byEntity ? "by asset" : "of all assets"}, ${layout.period}, ${layout.rows} records a file`
    it.effect(`holds what changes leave, whatever they replace: ${words}`, () =>
      Effect.gen(function* () {
        for (const [index, format] of formats.entries()) {
          // Every format with some layout, and every layout with some format.
          if (!TestMode.isLong && index % layouts.length !== number) continue
          const seeded = Random.withSeed(compare({ layout, format }, TestMode.times(4, 12)), `${words} ${index}`)
          yield* Effect.provide(seeded, NodeServices.layer)
        }
      })
    )
  }

  it.effect.each(layouts.filter(({ rows }) => rows < 10).map((layout, nth) => ({ ...layout, nth })))(
    "keeps records of one moment in one file, and leaves files as they are where the same comes again: $period",
    ({ nth, ...layout }) =>
      Effect.gen(function* () {
        for (const format of TestMode.oneOf([formats[0]!, formats[4]!], nth)) {
          const to = yield* temporary
          // One to seven records a day, as an exchange writes several trades at once.
          const rows = Array.from({ length: 40 }, (_, day) =>
            Array.from({ length: 1 + ((day * 5) % 7) }, (_, at): Row => ({
              asset: "btc",
              time: time(day),
              PriceUSD: `${day}.${at + 1}`
            }))
          ).flat()
          const store = yield* FolderStore.make(to, { layout, format })
          const apply = (from: number, rows: ReadonlyArray<Row>, size: number) =>
            Effect.scoped(
              Effect.flatMap(store.open({ ...setup, series: { ...series, identity: [] } }), (opened) =>
                opened.apply(change([{ entity: "btc", from: time(from), to: undefined }], rows, size))
              )
            )
          const since = (from: number) => rows.filter((row) => row.time >= time(from))
          yield* apply(0, rows, 11)
          const homes = homesOf(yield* rowsByFile(to, format))
          assert.isAbove(new Set(homes.values()).size, 5)
          for (const [from, size] of [
            [0, 1],
            [0, 300],
            [17, 4],
            [33, 7],
            [39, 2]
          ] as const) {
            assert.deepStrictEqual((yield* apply(from, since(from), size)).written, [], `from ${from} by ${size}`)
          }
          // Late records in the last file do not push others out of it.
          const late = [34, 36, 38, 39].map((day): Row => ({ asset: "btc", time: time(day), PriceUSD: "0.5" }))
          const merged = [...since(33), ...late].toSorted((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
          yield* apply(33, merged, 3)
          assertNoneMoved(homes, homesOf(yield* rowsByFile(to, format)))
        }
      }).pipe(Effect.provide(NodeServices.layer))
  )
})
