import { assert, describe, it } from "@effect/vitest"
import { Columns } from "@sluice/core"
import { required } from "@sluice/interface/Least"
import * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as RecordDecoder from "../../src/internal/wire/RecordDecoder.ts"
import * as Draw from "../Draw.ts"
import * as Table from "../table/Expected.ts"
import * as Endpoints from "../table/Read.ts"
import * as TestMode from "../TestMode.ts"
import * as ColumnsOf from "./ColumnsOf.ts"
import * as DrawnRecords from "./DrawnRecords.ts"
import * as Expected from "./Expected.ts"

const calls = Endpoints.all
  .flatMap((operation) => Table.views(operation).map((view) => ({ operation, view })))
  .map((call, index) => [call.operation.path, call.view.name, { ...call, index }] as const)

/** Records of all calls together. */
const total = TestMode.times(12_000, 1_000_000)

/** Records of a story, on average. */
const size = TestMode.times(50, 500)

/** Cuts lines into blocks of up to so many. */
const cut = <A>(all: ReadonlyArray<A>, draw: Draw.Draw, most: number): ReadonlyArray<ReadonlyArray<A>> => {
  const blocks: Array<ReadonlyArray<A>> = []
  for (let at = 0; at < all.length;) {
    const to = at + 1 + draw.below(most)
    blocks.push(all.slice(at, to))
    at = to
  }
  return blocks
}

let records = 0
let inBatches = 0

describe.each(calls)("the columns of %s, %s", (path, _, { index, operation: { endpoint }, view }) => {
  const params = { ...required(path), ...view.params }
  const isSeries = endpoint.order === "series"
  // Type boundary: endpoints known as data have records without services.
  const decoder = RecordDecoder.make(endpoint.record(params as never) as Schema.Codec<unknown>)

  it.effect("are the same however the records come, and hold what a conversion by hand gives", () =>
    Effect.gen(function* () {
      const draw = Draw.from(1_000 * TestMode.firstSeed + index)
      let left = Math.ceil(total / calls.length)
      for (let story = index; left > 0; story++) {
        const numbers = (["double", "decimal", "text"] as const)[story % 3]!
        const how = { numbers, isSeries }
        const chosen = story % 2 === 0 ? undefined : Object.keys(view.fields)
        const options = { numbers, ...(chosen === undefined ? {} : { columns: chosen }) }
        const [empty] = (yield* ColumnsOf.read(endpoint, params, Stream.empty, options)).batches
        const columns = Object.keys(empty!.columns).map((name) => [name, view.fields[name]!.type] as const)
        const valuesOf = (record: DrawnRecords.Json) =>
          columns.map(([name, type]) => Expected.valueOf(type, record[name], how))

        const isBad = story % 4 === 3
        const count = Math.min(left, 1 + draw.below(2 * size))
        left -= count
        let style: DrawnRecords.Style = "usual"
        const lines: Array<string> = []
        const expected: Array<ReadonlyArray<Expected.Value>> = []
        while (lines.length < count) {
          if (lines.length % 64 === 0) style = draw.chance(0.3) ? "odd" : "usual"
          const isNext = isBad && draw.chance(2 / count)
          const record = DrawnRecords.recordOf(view.fields, draw, isNext ? "bad" : style)
          const line = DrawnRecords.lineOf(record, draw, style)
          // Type boundary: the line is that of a record.
          const values = valuesOf(JSON.parse(line) as DrawnRecords.Json)
          if (!isBad && values.includes(Expected.misfit)) continue
          lines.push(line)
          expected.push(values)
        }

        const whole = yield* ColumnsOf.read(endpoint, params, ColumnsOf.objects([lines]), {
          ...options,
          rows: Infinity
        })
        const end = expected.findIndex((values) => values.includes(Expected.misfit))
        const fit = end === -1 ? lines.length : end
        assert.strictEqual(
          whole.batches.reduce((sum, { length }) => sum + length, 0),
          fit
        )
        for (const [index, [name]] of columns.entries()) {
          let at = 0
          for (const value of ColumnsOf.valuesOf(whole, name)) {
            const wanted = expected[at++]![index]
            if (!Object.is(value, wanted)) assert.deepStrictEqual(value, wanted, `${name} of ${lines[at - 1]}`)
          }
        }
        if (end === -1) assert.isUndefined(whole.error)
        else {
          const [column] = columns[expected[end]!.indexOf(Expected.misfit)]!
          assert.instanceOf(whole.error, Columns.Unwritable)
          assert.deepStrictEqual([whole.error.column, whole.error.record], [column, end + 1])
        }

        const onBatch = ({ length }: { readonly length: number }) => {
          inBatches += length
        }
        records += count
        const lazily = (most: number) => ColumnsOf.lazily(decoder, cut(lines, draw, most), onBatch)
        ColumnsOf.assertSame(
          yield* ColumnsOf.read(endpoint, params, lazily(150), { ...options, rows: Infinity }),
          whole
        )
        const rows = 1 + draw.below(draw.chance(0.5) ? 10 : 300)
        const [one, other] = [ColumnsOf.objects(cut(lines, draw, 100)), lazily(draw.chance(0.5) ? 64 : 500)]
        ColumnsOf.assertSame(
          yield* ColumnsOf.read(endpoint, params, other, { ...options, rows }),
          yield* ColumnsOf.read(endpoint, params, one, { ...options, rows })
        )
      }
    })
  )
})

describe("the records of these tests", () => {
  // Blocks with an odd record among their many are none: with longer blocks there are fewer batches.
  it("come as batches too", () => {
    assert.isAtLeast(records, total)
    assert.isAbove(inBatches, records / 10)
  })
})
