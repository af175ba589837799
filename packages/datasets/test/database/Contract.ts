/**
 * What every database promises of a dataset, tried with changes that a generator makes and a model in memory.
 */
import { assert } from "@effect/vitest"
import type { Dataset } from "@sluice/datasets"
import { Effect } from "effect"
import { assertSame } from "../../../core/test/Same.ts"
import { changeOf, cursorsOf, day, type Price, price, type PriceChange, prices } from "./Prices.ts"
import * as Draw from "../../../core/test/Draw.ts"

const order = ({ asset, time }: Price) => `${asset} ${time}`

/** What a dataset should hold. */
export class Model {
  rows: ReadonlyArray<Price> = []
  readonly cursors = new Map<string, Dataset.Cursor>()

  apply(change: PriceChange): number {
    const isIn = ({ asset, time }: Price) =>
      change.spans.some(
        ({ entity, from, to }) =>
          entity === asset && (from === undefined || time >= from) && (to === undefined || time < to)
      )
    const kept = this.rows.filter((row) => !isIn(row))
    const replaced = this.rows.length - kept.length
    this.rows = [...kept, ...change.records].toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    for (const cursor of cursorsOf(change)) this.cursors.set(cursor.entity, cursor)
    return replaced
  }

  held(): ReadonlyArray<Dataset.Held> {
    return [...new Set(this.rows.map(({ asset }) => asset))].map((entity) => {
      const own = this.rows.filter(({ asset }) => asset === entity)
      return { entity, rows: own.length, first: own[0]?.time ?? "", last: own.at(-1)?.time ?? "" }
    })
  }
}

/** Changes of three assets: first loads, look-backs with revisions and late values, holes, and spans that become empty. */
export const changes = (seed: number, count: number): ReadonlyArray<PriceChange> => {
  const choose = Draw.from(seed).below
  return Array.from({ length: count }, () => {
    const assets = ["ada", "btc", "eth"].filter(() => choose(2) === 0)
    const parts = (assets.length === 0 ? ["btc"] : assets).map((entity): PriceChange => {
      const from = choose(20) + 1
      const to = from + choose(10)
      const days = Array.from({ length: to - from }, (_, index) => from + index).filter(() => choose(5) > 0)
      const records = days.map((on) => price(entity, on, choose(8) === 0 ? null : String(choose(50) / 4)))
      return {
        spans: [
          {
            entity,
            from: choose(6) === 0 && from === 1 ? undefined : day(from),
            // The first time after the span may be a nanosecond after its last record.
            to: choose(2) === 0 ? day(to) : `${day(to - 1).slice(0, -2)}1Z`.replace(/^2026-01-00/, "2025-12-31")
          }
        ],
        records
      }
    })
    return {
      spans: parts
        .flatMap(({ spans }) => spans)
        .filter(({ from, to }) => from === undefined || to === undefined || from < to),
      records: parts.flatMap(({ records, spans: [span] }) =>
        records.filter(({ time }) => span?.to === undefined || time < span.to)
      )
    }
  }).filter(({ spans }) => spans.length > 0)
}

/** A database, as tests look into it beside the store. */
export interface Database {
  readonly store: Dataset.Store
  /** The rows of the prices, in order. */
  readonly rows: Effect.Effect<ReadonlyArray<Price>, unknown>
}

/** Compares all that a store tells with a model. */
export const compare = Effect.fnUntraced(function* ({ rows, store }: Database, model: Model, where: string) {
  assertSame(yield* rows, model.rows, where)
  assertSame(yield* store.held, model.held(), where)
  assertSame((yield* store.look)?.cursors, model.cursors, where)
  yield* store.verify(prices.series, () => Effect.void)
})

/** Applies changes over several runs, and compares after each. */
export const followsModel = Effect.fnUntraced(function* (database: Database, seed: number, count: number) {
  const model = new Model()
  const all = changes(seed, count)
  const perRun = Math.ceil(all.length / 3)
  for (let first = 0; first < all.length; first += perRun) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const open = yield* database.store.open(prices)
        assertSame(open.kept.cursors, model.cursors, `seed ${seed}, run from ${first}`)
        for (const change of all.slice(first, first + perRun)) {
          const replaced = model.apply(change)
          const applied = yield* open.apply(changeOf(change))
          const expected = { records: change.records.length, replaced, written: [], deleted: [] }
          assert.deepStrictEqual(applied, expected, `seed ${seed}, change ${all.indexOf(change)}`)
        }
      })
    )
    yield* compare(database, model, `seed ${seed}, after the run from ${first}`)
  }
})
