import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import type { Dataset } from "@sluice/datasets"
import type { Format } from "@sluice/files"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Predicate from "effect/Predicate"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as Draw from "../../../core/test/Draw.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as FailingDisk from "../../../files/test/download/FailingDisk.ts"
import * as FolderSql from "../../src/internal/folder/FolderSql.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import * as Moment from "../../src/internal/model/Moment.ts"
import * as Sql from "./VersionsSql.ts"
import { temporary } from "./Harness.ts"
import { change, definition, layouts, replace, type Row, series, time } from "./Store.ts"

const assets = ["btc", "eth", "ltc"]

const keeping: Dataset.Definition = { ...definition, versions: "keep" }

/** Values as far as each format keeps them. */
const bare = (record: object, as: Format.Name) =>
  JSON.stringify(
    Object.entries(record)
      .filter(([, value]) => Predicate.isNotNullish(value))
      .map(([name, value]) => [name, as === "parquet" && name !== "time" && name !== "asset" ? Number(value) : value])
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  )

const range: Dataset.HeldRange = { entities: assets, from: undefined, to: undefined, metrics: [], others: [] }

const pastOf = Effect.fnUntraced(function* (to: string) {
  const store = yield* FolderStore.make(to)
  const past = (yield* store.reader ?? Effect.undefined)?.past
  return past ?? (yield* Effect.die("no versions"))
})

const read = Effect.fnUntraced(function* (to: string, own: Dataset.Series, asOf: string, entities = assets) {
  return yield* Stream.runCollect((yield* pastOf(to)).read(own, { ...range, entities }, asOf))
})

const formats: ReadonlyArray<Format.Options> = [
  { as: "ndjson", compression: "gzip" },
  { as: "csv" },
  { as: "parquet" },
  { as: "parquet", numbers: "decimal" }
]

/** A change of days of some assets: most records stay as they were. */
const drawn = (draw: Draw.Draw, model: ReadonlyArray<Row>, isShared: boolean, mayTie: boolean) => {
  const month = draw.below(2)
  const spans: Array<Dataset.Span> = []
  const rows: Array<Row> = []
  for (const asset of assets) {
    // What comes first is loaded, and of that it is not known since when it was there.
    if (model.length > 0 && draw.below(3) === 0) continue
    const low = isShared ? month * 31 : 0
    const from = low + draw.below(30)
    const to = from + 1 + draw.below(isShared ? low + 31 - from : 40)
    spans.push({ entity: asset, from: time(from), to: time(to) })
    for (let day = from; day < to; day++) {
      for (let tie = 0; tie < (mayTie ? 3 : 1); tie++) {
        const held = model.find(
          (row) => row.asset === asset && row.time === time(day) && (!mayTie || row.TxCnt === `${tie}`)
        )
        const kind = draw.below(10)
        if (kind === 0 || (held === undefined && kind < 4)) continue
        const PriceUSD =
          held?.PriceUSD !== undefined && kind < 9 ? held.PriceUSD : `${1 + draw.below(1000)}.${draw.below(9)}0`
        rows.push({ asset, time: time(day), PriceUSD, ...(mayTie ? { TxCnt: `${tie}` } : {}) })
      }
    }
  }
  return { spans, rows }
}

/** The first of the spans alone, whose change ends before it does, as one that has filled a file. */
const cut = (draw: Draw.Draw, { rows, spans }: ReturnType<typeof drawn>) => {
  const own = rows.filter(({ asset }) => asset === spans[0]?.entity)
  const until = own[draw.below(own.length + 1)]?.time
  return { rows: until === undefined ? own : own.filter(({ time }) => time < until), spans: spans.slice(0, 1), until }
}

const compare = Effect.fnUntraced(function* (seed: number, steps: number, reads: number) {
  const draw = Draw.from(seed)
  const layout = layouts[seed % layouts.length]!
  const format = draw.one(formats)
  const mayTie = draw.below(2) === 0
  const own: Dataset.Series = mayTie ? { ...series, identity: draw.one([["TxCnt"], []]) } : series
  const to = yield* temporary
  const isShared = !layout.byEntity && layout.period !== "none"
  let model: ReadonlyArray<Row> = []
  const moments: Array<readonly [string, ReadonlyArray<Row>]> = []
  let pairs = 0
  const step = Effect.fnUntraced(function* (opened: Dataset.OpenStore) {
    yield* TestClock.adjust(`${1 + draw.below(100)} minutes`)
    const all = drawn(draw, model, isShared, mayTie)
    const { rows, spans, until } =
      layout.byEntity && model.length > 0 && draw.chance(0.5) ? cut(draw, all) : { ...all, until: undefined }
    const done = until === undefined ? spans : spans.map((span) => ({ ...span, to: until }))
    const isIn = ({ asset, time }: Row) =>
      done.some(({ entity, from = "", to = "" }) => entity === asset && from <= time && time < to)
    model = [...model.filter((row) => !isIn(row)), ...rows].toSorted((a, b) =>
      `${a.asset} ${a.time} ${a.TxCnt}` < `${b.asset} ${b.time} ${b.TxCnt}` ? -1 : 1
    )
    yield* opened.apply({ ...change(spans, rows, 1 + draw.below(9)), until: Effect.succeed(until) })
    const now = Moment.ofMillis(yield* Clock.currentTimeMillis)
    yield* opened.looks?.end(now, true) ?? Effect.void
    moments.push([now, model])
  })
  for (let done = 0; done < steps; done += 3) {
    const store = yield* FolderStore.make(to, { layout, format })
    const opened = Effect.flatMap(store.open({ definition: keeping, series: own }), (opened) =>
      Effect.repeat(step(opened), { times: 2 })
    )
    yield* Effect.scoped(opened)
    yield* store.verify(own, () => Effect.void)
  }
  const [[begin = ""] = [], [end = ""] = []] = [moments[0], moments.at(-1)]
  const minutes = (Moment.millisOf(end) - Moment.millisOf(begin)) / 60_000
  const later = Array.from({ length: reads }, () => Moment.later(begin, draw.below(minutes) * 60_000))
  const all = [...moments.map(([moment]) => moment), ...later]
  const isInSql = format.as !== "csv" && own.identity?.length !== 0
  const inSql = isInSql ? yield* Sql.asOf(yield* FolderSql.statements(to, "known_at", own), all) : []
  for (const [index, moment] of all.entries()) {
    const [, held] = moments.findLast(([at]) => at <= moment)!
    const entities = assets.slice(draw.below(3))
    const found = (yield* read(to, own, moment, entities)).map((record) => bare(Object(record), format.as))
    const expected = held.filter(({ asset }) => entities.includes(asset)).map((row) => bare(row, format.as))
    // Without a number that counts them up, records of one time have no order.
    const [one, other] = own.identity?.length === 0 ? [found.toSorted(), expected.toSorted()] : [found, expected]
    assert.deepStrictEqual(
      one,
      other,
      `seed ${seed}, ${moment}, ${JSON.stringify({ layout, format, id: own.identity })}`
    )
    const rows = inSql[index]?.filter(({ asset }) => entities.some((entity) => entity === asset))
    const asText = rows?.map((row) => bare(row, format.as)).toSorted() ?? one.toSorted()
    assert.deepStrictEqual(asText, one.toSorted(), `SQL of seed ${seed}, ${moment}`)
    pairs += entities.length
  }
  return pairs
})

const daily = (asset: string, from: number, to: number, PriceUSD: string): ReadonlyArray<Row> =>
  Array.from({ length: to - from }, (_, day) => ({ asset, time: time(from + day), PriceUSD }))

const all = (entity: string): Dataset.Span => ({ entity, from: undefined, to: undefined })

const textOf = (rows: ReadonlyArray<unknown>) => rows.map((row) => bare(Object(row), "ndjson")).toSorted()

describe("the versions of a folder", () => {
  it.effect(
    "are what there was after each change, whatever it replaced or removed",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(Date.UTC(2026, 0, 1))
        let pairs = 0
        for (const seed of TestMode.seeds(5, 10)) {
          pairs += yield* compare(seed, TestMode.times(3, 30), TestMode.times(16, 200))
        }
        assert.isAbove(pairs, TestMode.times(100, 3_000))
      }).pipe(Effect.provide(NodeServices.layer)),
    1_800_000
  )

  it.live("are all there, whatever a change was doing when its process ended", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const fs = yield* FileSystem.FileSystem
      const options = { layout: { byEntity: true, period: "month", rows: 20 }, format: { as: "ndjson" } } as const
      const apply = (folder: string, next: Dataset.Change) =>
        Effect.gen(function* () {
          const store = yield* FolderStore.make(folder, options)
          yield* (yield* store.open({ definition: keeping, series })).apply(next)
        }).pipe(Effect.scoped)
      const now = Effect.andThen(
        Effect.sleep("3 millis"),
        Effect.map(Clock.currentTimeMillis, (millis) => Moment.ofMillis(millis))
      )
      const old = [...daily("btc", 0, 40, "1"), ...daily("eth", 20, 50, "1")]
      const spans = [
        { entity: "btc", from: time(38), to: undefined },
        { entity: "eth", from: undefined, to: time(33) },
        all("ltc")
      ]
      const rows = [...daily("btc", 38, 60, "2"), ...daily("eth", 31, 33, "2"), ...daily("ltc", 10, 12, "2")]
      const next = [...replace(new Map(old.map((row) => [`${row.asset} ${row.time}`, row])), spans, rows).values()]
      const base = `${to}/base`
      yield* apply(base, change([all("btc"), all("eth")], old))
      const before = yield* now
      yield* fs.copy(base, `${to}/calm`)
      const log: FailingDisk.Log = []
      yield* Effect.provide(apply(`${to}/calm`, change(spans, rows)), FailingDisk.life(1, Infinity, log))
      let completed = 0
      for (const moment of log.keys()) {
        if (!TestMode.isLong && moment % (moment < log.length - 24 ? 60 : 3) !== 0) continue
        const when = `killed at ${moment}, ${log[moment]}`
        const folder = `${to}/${moment}`
        yield* fs.copy(base, folder)
        yield* Effect.ignore(Effect.provide(apply(folder, change(spans, rows)), FailingDisk.life(1, moment)))
        const store = yield* FolderStore.make(folder, options)
        const opened = Effect.map(store.open({ definition: keeping, series }), ({ kept }) => kept.cursors.has("ltc"))
        const isDone = yield* Effect.provide(Effect.scoped(opened), FailingDisk.life(2))
        if (isDone) completed += 1
        assert.deepStrictEqual(textOf(yield* read(folder, series, before, ["btc", "eth"])), textOf(old), when)
        assert.deepStrictEqual(textOf(yield* read(folder, series, yield* now)), textOf(isDone ? next : old), when)
        yield* store.verify(series, () => Effect.void)
        const left = yield* fs.readDirectory(`${folder}/.sluice/parts`)
        assert.deepStrictEqual(left, [], when)
        yield* apply(folder, change(spans, rows))
        assert.deepStrictEqual(
          textOf(yield* read(folder, series, before, ["btc", "eth"])),
          textOf(old),
          `${when}, and again`
        )
        assert.deepStrictEqual(textOf(yield* read(folder, series, yield* now)), textOf(next), `${when}, and again`)
      }
      assert.isAbove(completed, 2)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
