import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Dataset } from "@sluice/datasets"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Changes from "../../src/internal/ledger/Changes.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as Past from "../../src/internal/ledger/Past.ts"
import * as Ledger from "../../src/internal/ledger/Ledger.ts"
import * as Files from "../../../files/src/internal/folder/Files.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import { data, temporary } from "./Harness.ts"
import { change, definition, series, setup, time } from "./Store.ts"

const options = { layout: { byEntity: true, period: "year" }, format: { as: "ndjson" } } as const

/** The most bytes of changes that a reader of the ledger should meet, and one change more. */
const most = 8_388_608 + 2_000_000

/** Cursors that take so many bytes of the ledger. */
const cursorsOf = (day: number, bytes: number): ReadonlyArray<Dataset.Cursor> => [
  { entity: "btc", from: time(0), last: time(day), columns: ["PriceUSD", "x".repeat(bytes)] }
]

/** A change of a day, as a dataset that is watched makes one each minute. */
const dayOf = (day: number, bytes: number): Dataset.Change => ({
  ...change(
    [{ entity: "btc", from: time(day), to: undefined }],
    [{ asset: "btc", time: time(day), PriceUSD: String(day) }]
  ),
  cursors: Effect.succeed(cursorsOf(day, bytes))
})

const journals = (to: string) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const names = (yield* fs.readDirectory(`${to}/.sluice`)).filter((name) => name.endsWith(".journal"))
    const sizes = yield* Effect.forEach(names, (name) =>
      Effect.map(fs.stat(`${to}/.sluice/${name}`), ({ size }) => size)
    )
    return { names, bytes: Number(sizes.reduce((sum, size) => sum + size, 0n)) }
  })

/** Applies a change of each day, with cursors of so many bytes, to one store that stays open. */
const apply = (
  to: string,
  sizes: ReadonlyArray<number>,
  each: Effect.Effect<void, unknown, FileSystem.FileSystem> = Effect.void
) =>
  Effect.gen(function* () {
    const store = yield* FolderStore.make(to, options)
    const opened = yield* store.open(setup)
    for (const [day, bytes] of sizes.entries()) {
      yield* opened.apply(dayOf(day, bytes))
      yield* each
    }
  }).pipe(Effect.scoped)

const rows = (days: number) =>
  Array.from(
    { length: days },
    (_, day) => `${JSON.stringify({ asset: "btc", time: time(day), PriceUSD: String(day) })}\n`
  ).join("")

/** Proves a folder, and gives the cursors of its ledger. */
const cursorsIn = (to: string) =>
  Effect.gen(function* () {
    const store = yield* FolderStore.make(to, options)
    yield* store.verify(series, () => Effect.void)
    return [...((yield* store.look)?.cursors.values() ?? [])]
  })

/** Adds a change each day, and tells how many are on the disk. */
const live = (folder: string, seen: (days: number) => void) =>
  Effect.gen(function* () {
    const files = yield* Files.make
    const working: Ledger.Working = {
      definition,
      layout: { byEntity: true, period: "year", rows: 100 },
      files: new Map(),
      cursors: new Map(),
      parts: new Map(),
      deleted: new Set(),
      merged: new Set(),
      removed: undefined,
      ...Past.begin({})
    }
    const head: Changes.Head = { field: "asset", format: { as: "ndjson" } }
    const tag = yield* Ledger.write(files, folder, { ...working, ...head, moment: 0 }, undefined)
    const changes = yield* Changes.open(files, folder, { moment: 0, tag }, working, head, 0)
    for (let day = 0; day < 6; day++) {
      yield* changes.settle
      const line: Ledger.Line = { files: [], deleted: [], cursors: cursorsOf(day, 1_000), forget: [] }
      yield* changes.add(line)
      Ledger.add(working, line)
      seen(day + 1)
    }
  }).pipe(Effect.scoped)

describe("the changes of a dataset that stays open", () => {
  it.live("take no more than a bound, however many they are", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const found = new Set<string>()
      const each = Effect.map(journals(to), ({ bytes, names }) => {
        assert.lengthOf(names, 1)
        assert.isBelow(bytes, most)
        for (const name of names) found.add(name)
      })
      yield* apply(to, Array<number>(12).fill(1_000_000), each)
      assert.isAbove(found.size, 1)
      assert.strictEqual(Object.values(yield* data(to)).join(""), rows(12))
      assert.deepStrictEqual(yield* cursorsIn(to), cursorsOf(11, 1_000_000))
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("are all there when the process ends while they are written as a whole", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const log: FailingDisk.Log = []
      yield* Effect.provide(
        live(yield* temporary, () => {}),
        FailingDisk.life(1, Infinity, log)
      )
      assert.isAbove(log.filter((name) => name === "rename").length, 2)
      for (const moment of log.keys()) {
        const folder = `${to}/${moment}`
        yield* fs.makeDirectory(folder)
        let days = 0
        yield* Effect.ignore(
          Effect.provide(
            live(folder, (found) => {
              days = found
            }),
            FailingDisk.life(1, moment)
          )
        )
        const ledger = yield* Ledger.read(yield* Files.make, folder, folder)
        if (days === 0 && ledger?.cursors.size !== 1) continue
        // A line that was just written may be there without having been told.
        const last = ledger?.cursors.get("btc")?.last
        assert.include([time(days - 1), time(days)], last, `killed at ${moment}, ${log[moment]}`)
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
