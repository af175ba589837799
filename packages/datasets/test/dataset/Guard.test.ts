import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Dataset, SharedDataset } from "@sluice/datasets"
import { Download } from "@sluice/files"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import * as Stream from "effect/Stream"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as Layout from "../../src/internal/ledger/Layout.ts"
import { data, job, temporary, world } from "./Harness.ts"
import { change, type Row, series, setup, time } from "./Store.ts"

const ndjson = { as: "ndjson" } as const

const days = (asset: string, from: number, to: number): ReadonlyArray<Row> =>
  Array.from({ length: to - from }, (_, at) => ({ asset, time: time(from + at), PriceUSD: `${from + at}` }))

const whole = (entity: string): Dataset.Span => ({ entity, from: undefined, to: undefined })

/** Applies a change to the dataset of a folder. */
const apply = (to: string, rows: ReadonlyArray<Row>, spans: ReadonlyArray<Dataset.Span>, options = {}) =>
  Effect.gen(function* () {
    const store = yield* FolderStore.make(to, { format: ndjson, ...options })
    return yield* Effect.scoped(Effect.flatMap(store.open(setup), (opened) => opened.apply(change(spans, rows))))
  })

const verify = (to: string) => Effect.flatMap(FolderStore.make(to), (store) => store.verify(series, () => Effect.void))

describe("the folder of a dataset", () => {
  for (const as of ["ndjson", "parquet"] as const) {
    it.effect(`gives no new checksum to a file of ${as} that somebody has edited`, () =>
      Effect.gen(function* () {
        const to = yield* temporary
        const fs = yield* FileSystem.FileSystem
        const options = { format: { as }, layout: { period: "none" } }
        yield* apply(to, days("btc", 0, 5), [whole("btc")], options)
        const [name = ""] = Object.keys(yield* data(to))
        const file = (yield* Path.Path).join(to, name)
        const bytes = yield* fs.readFile(file)
        const at = Buffer.from(bytes).indexOf(as === "ndjson" ? '"3"' : "PAR1") + 1
        bytes[at] = bytes[at]! ^ 1
        yield* fs.writeFile(file, bytes)
        const span: Dataset.Span = { entity: "btc", from: time(4), to: undefined }
        const error = yield* Effect.flip(apply(to, days("btc", 4, 6), [span], options))
        assert.deepInclude(error, { _tag: "FileChanged", file: name })
        assert.deepStrictEqual(yield* fs.readFile(file), bytes)
      }).pipe(Effect.provide(NodeServices.layer))
    )
  }

  it.effect("finds times that do not exist in text", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const [day] = days("btc", 0, 1)
      const records = ["2024-02-29T09:61:00.000000000Z", "2024-02-30T00:00:00.000000000Z"].map((time) => ({
        ...day!,
        time
      }))
      yield* apply(to, records, [whole("btc")], { format: { as: "ndjson" } })
      const error = yield* Effect.flip(verify(to))
      const issues = error._tag === "DatasetDamaged" ? error.issues : []
      assert.lengthOf(issues, 2)
      for (const [at, { time }] of records.entries()) {
        assert.include(issues[at], `the record of btc at ${time}, which has a "time" that does not exist`)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("keeps records of the last year with four digits", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      for (const period of ["year", "month", "day"] as const) {
        const folder = `${to}/${period}`
        const last = [{ asset: "btc", time: "9999-12-31T00:00:00.000000000Z", PriceUSD: "1" }]
        yield* apply(folder, last, [whole("btc")], { layout: { period } })
        yield* verify(folder)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("refuses a number of records a file that is none, by name, and makes no folder", () =>
    Effect.gen(function* () {
      const to = `${yield* temporary}/new`
      for (const rows of [0, 1.5, -1, Infinity]) {
        const error = yield* Effect.flip(apply(to, days("btc", 0, 5), [whole("btc")], { layout: { rows } }))
        assert.deepInclude(error, { _tag: "BadDefinition", setting: "layout.rows" })
      }
      assert.isFalse(yield* Effect.flatMap(FileSystem.FileSystem, (fs) => fs.exists(to)))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("refuses bookkeeping that lost changes, and touches nothing", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const path = yield* Path.Path
      /** A dataset of btc, to which the last change added eth; and the same with `dataset.json` of before. */
      const begin = Effect.gen(function* () {
        const to = yield* temporary
        yield* apply(to, days("btc", 0, 5), [whole("btc")])
        const before = yield* fs.readFileString(path.join(to, ".sluice/dataset.json"))
        yield* apply(to, days("eth", 0, 5), [whole("eth")])
        const names = yield* fs.readDirectory(path.join(to, ".sluice"))
        const changes = path.join(
          to,
          ".sluice",
          names.find((name) => name.startsWith("changes-"))!
        )
        const lines = (yield* fs.readFileString(changes)).split("\n")
        assert.lengthOf(lines, 3)
        return { to, before, changes, lines }
      })
      type Begun = Effect.Success<typeof begin>
      const harms: Readonly<Record<string, (begun: Begun) => Effect.Effect<unknown, unknown>>> = {
        "the changes are lost": ({ changes }) => fs.remove(changes),
        "the last change is lost": ({ changes, lines }) => fs.writeFileString(changes, `${lines[0]}\n`),
        "all of the changes is cut": ({ changes }) => fs.writeFileString(changes, ""),
        "the changes are of another moment": ({ changes, lines }) =>
          fs.writeFileString(changes, `${lines[0]?.replace(/"of":"./, '"of":"x')}\n${lines[1]}\n`),
        "dataset.json is older": ({ before, to }) => fs.writeFileString(path.join(to, ".sluice/dataset.json"), before)
      }
      for (const [name, harm] of Object.entries(harms)) {
        const begun = yield* begin
        yield* harm(begun)
        const files = yield* data(begun.to)
        const changed = yield* Effect.flip(verify(begun.to))
        assert.strictEqual(changed._tag, "BookkeepingDamaged", `${name}: ${changed.message}`)
        const synced = yield* Effect.flip(apply(begun.to, days("eth", 5, 6), [whole("eth")]))
        assert.strictEqual(synced._tag, "BookkeepingDamaged", `${name}: ${synced.message}`)
        assert.deepStrictEqual(yield* data(begun.to), files, name)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("holds entities whatever they are called", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const names = [".", "..", ".x", "A", "a", "É".repeat(200), "é".repeat(200), "y".repeat(260)].toSorted()
      for (const layout of [{}, { byEntity: false }]) {
        const folder = `${to}/${Object.keys(layout).length}`
        for (let day = 0; day < 2; day++) {
          const rows = names.flatMap((name) => days(name, day, day + 1))
          const spans = names.map((name): Dataset.Span => ({ entity: name, from: time(day), to: undefined }))
          yield* apply(folder, rows, spans, { layout })
        }
        yield* verify(folder)
        const held = yield* Effect.flatMap(FolderStore.make(folder), (store) => store.held)
        assert.deepStrictEqual(
          held.map(({ entity, rows }) => [entity, rows]),
          names.map((name) => [name, 2])
        )
        const paths = Object.keys(yield* data(folder))
        assert.lengthOf(new Set(paths.map((path) => path.toLowerCase())), paths.length)
        const tops = new Set(paths.map((path) => path.split("/")[0]!.toLowerCase()))
        assert.strictEqual(tops.size, "byEntity" in layout ? 1 : names.length)
      }
      const long = Layout.entityFolder("asset", "y".repeat(260), () => false)
      assert.strictEqual(Buffer.byteLength(long), 255)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("follows no link below it", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const elsewhere = yield* temporary
      const fs = yield* FileSystem.FileSystem
      yield* fs.symlink(elsewhere, `${to}/asset=btc`)
      const error = yield* Effect.flip(apply(to, days("btc", 0, 5), [whole("btc")]))
      assert.deepInclude(error, { _tag: "UnexpectedEntry", expected: "folder" })
      assert.deepStrictEqual(yield* fs.readDirectory(elsewhere), [])
      assert.deepStrictEqual(yield* fs.readDirectory(`${to}/.sluice/parts`), [])
      yield* fs.remove(`${to}/asset=btc`)
      yield* apply(to, days("btc", 0, 5), [whole("btc")])
      yield* verify(to)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("tells a run that was ended in the middle of a change from damage", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      yield* apply(to, days("btc", 0, 5), [whole("btc")])
      const [name = ""] = Object.keys(yield* data(to))
      const before = yield* fs.readFile(`${to}/${name}`)
      yield* apply(to, days("btc", 0, 6), [whole("btc")])
      const journal = (yield* fs.readDirectory(`${to}/.sluice`)).find((name) => name.startsWith("changes-")) ?? ""
      const part = /"part":"([^"]+)"/.exec(yield* fs.readFileString(`${to}/.sluice/${journal}`))?.[1] ?? ""
      // As a kill leaves it between the line of the ledger and the new name.
      yield* fs.rename(`${to}/${name}`, `${to}/.sluice/parts/${part}`)
      yield* fs.writeFile(`${to}/${name}`, before)
      assert.deepInclude(yield* Effect.flip(verify(to)), { _tag: "RunInterrupted" })
      yield* apply(to, [], [])
      yield* verify(to)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("is not that of a download, and the other way round", () =>
    Effect.gen(function* () {
      const [one, other] = [yield* temporary, yield* temporary]
      const download: Download.Job<typeof job.endpoint> = { ...job, split: { by: "assets" }, to: one }
      yield* Stream.runDrain(Download.run(download))
      const fs = yield* FileSystem.FileSystem
      const names = yield* fs.readDirectory(one, { recursive: true })
      const dataset = yield* Effect.flip(Stream.runDrain(Dataset.sync({ ...job, to: one })))
      assert.deepInclude(dataset, { _tag: "FolderOccupied", found: "a download" })
      assert.deepStrictEqual(yield* fs.readDirectory(one, { recursive: true }), names)
      yield* Stream.runDrain(Dataset.sync({ ...job, to: other }))
      const held = yield* data(other)
      const refused = yield* Effect.flip(Stream.runDrain(Download.run({ ...download, to: other })))
      assert.deepInclude(refused, { _tag: "FolderOccupied", found: "a dataset" })
      assert.deepStrictEqual(yield* data(other), held)
    }).pipe(Effect.provide(world))
  )

  for (const [given, whole] of [
    [{ as: "csv" }, { as: "csv", guardFormulas: false, statusColumns: true, numbers: "text" }],
    [{ as: "ndjson" }, { as: "ndjson", guardFormulas: false, numbers: "text" }],
    [{ as: "parquet" }, { as: "parquet", compression: "zstd", numbers: "double", statusColumns: false }],
    [
      { as: "parquet", columns: ["time", "PriceUSD"], numbers: "decimal" },
      { as: "parquet", columns: ["time", "PriceUSD"], decimal: { scale: 18, precision: 38 }, statusColumns: true }
    ]
  ] as const) {
    it.effect(`is the same with a default of ${JSON.stringify(given)} as without`, () =>
      Effect.gen(function* () {
        for (const [first, second] of [
          [given, whole],
          [whole, given]
        ]) {
          const to = yield* temporary
          yield* apply(to, days("btc", 0, 5), [], { format: first })
          yield* apply(to, days("btc", 5, 6), [], { format: second })
          yield* FolderStore.make(to)
          const jobs = [first, second].map((format) => ({ ...job, format }))
          const folders = yield* Effect.forEach(jobs, ({ endpoint, format, params }) =>
            SharedDataset.make(
              { endpoint, params: { ...params, end_time: "2024-01-02" }, into: { folder: to, format } },
              "group"
            )
          )
          assert.deepStrictEqual(folders[0]?.identity, folders[1]?.identity)
        }
      }).pipe(Effect.provide(world))
    )
  }

  it.live("has files read again that were removed within the look-back", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const params = { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2026-08-30" }
      yield* Stream.runDrain(Dataset.sync({ ...job, params, to, layout: { period: "day" } }))
      yield* Stream.runDrain(Dataset.sync({ to }))
      const files = yield* data(to)
      const names = Object.keys(files).filter((name) => name.startsWith("asset=eth/"))
      // Every second of the last days, more than holes are remembered.
      assert.isAbove(names.length, 60)
      const removed = names.slice(-60).filter((_, at) => at % 2 === 1)
      for (const name of removed) yield* fs.remove((yield* Path.Path).join(to, name))
      yield* Stream.runDrain(Dataset.sync({ to }))
      assert.deepStrictEqual(yield* data(to), files)
    }).pipe(Effect.provide(world))
  )
})
