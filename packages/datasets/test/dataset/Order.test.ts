import { assert, describe, it } from "@effect/vitest"
import { Batch } from "@sluice/core"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import * as fields from "../../../core/src/internal/wire/fields.ts"
import * as LazyDecoder from "../../../core/src/internal/read/LazyDecoder.ts"
import * as RecordDecoder from "../../../core/src/internal/wire/RecordDecoder.ts"
import * as Order from "../../src/internal/read/Order.ts"

const decoder = RecordDecoder.make(
  Schema.Struct({
    market: fields.id,
    time: fields.timestamp,
    trade_id: Schema.optionalKey(fields.text),
    price: Schema.optionalKey(fields.text)
  })
)

interface Row {
  readonly market: string
  readonly time?: string
  readonly trade_id: string
  readonly price?: string
}

const start = Date.parse("2024-12-31T23:59:00Z")

/** Records in order, so many of them at one moment, some with other keys. */
const rows = (count: number, together: number): ReadonlyArray<Row> =>
  Array.from({ length: count }, (_, at) => ({
    market: at < count / 2 ? "binance-btc-usdt-spot" : "binance-eth-usdt-spot",
    time: `${new Date(start + Math.floor(at / 3) * 20_000).toISOString().slice(0, -1)}${String(Math.floor((at % 3) / together)).padStart(6, "0")}Z`,
    trade_id: String(at),
    ...(at % 7 === 6 ? {} : { price: "1.5" })
  }))

/** What can be wrong with the record in the middle, or what looks so and is not. */
const changes: Readonly<Record<string, (row: Row, before: Row, after: Row) => Row>> = {
  nothing: (row) => row,
  "it is a repeat": (_, before) => before,
  "it is a repeat with another price": (_, before) => ({ ...before, price: "2.5" }),
  "it has the time of the one before": (row, { time = "" }) => ({ ...row, time }),
  "it is later than the next": (row, _, { time = "" }) => ({ ...row, time: time.replace("000Z", "999Z") }),
  "it is earlier than the one before": (row) => ({ ...row, time: "2024-12-30T00:00:00.000000000Z" }),
  "it is of an earlier entity": (row) => ({ ...row, market: "a" }),
  "it is of a longer entity": (row) => ({ ...row, market: `${row.market}-x` }),
  "it has a letter in its time": (row) => ({ ...row, time: row.time?.replace("00Z", "0xZ") ?? "" }),
  "its time has another zone": (row) => ({ ...row, time: row.time?.replace("Z", "+") ?? "" }),
  "it has three digits of a second": (row) => ({ ...row, time: row.time?.replace(/\d{6}Z$/, "Z") ?? "" }),
  "its minute is none": (row) => ({ ...row, time: row.time?.replace(/T\d\d:\d\d/, "T23:61") ?? "" }),
  "its second is none": (row) => ({ ...row, time: row.time?.replace(/:\d\d\./, ":60.") ?? "" }),
  "its hour is none": (row) => ({ ...row, time: row.time?.replace(/T\d\d/, "T24") ?? "" }),
  "its day is none": (row) => ({ ...row, time: row.time?.replace(/^[^T]+/, "2025-02-29") ?? "" }),
  "its month is none": (row) => ({ ...row, time: row.time?.replace(/^[^T]+/, "2025-13-01") ?? "" }),
  "it is of a leap day": (row) => ({ ...row, time: row.time?.replace(/^[^T]+/, "2028-02-29") ?? "" }),
  "its time is none": (row) => ({ ...row, time: "soon" }),
  "it has no time": (row) => Struct.omit(row, ["time"])
}

const size = 30
const parse = (text: string): ReadonlyArray<unknown> => text.split("\n").map((line) => JSON.parse(line) as unknown)

describe("the order of records", () => {
  for (const [name, change] of Object.entries(changes)) {
    for (const identity of [undefined, [], ["trade_id"]]) {
      const words =
        identity === undefined ? "one record at a time" : `records told apart by ${JSON.stringify(identity)}`
      it(`is found the same in bytes as in objects: ${name}, ${words}`, () => {
        const lazy = LazyDecoder.make(decoder)
        const memory = new Uint8Array(10_000)
        for (const at of [1, 6, 7, 14, 15, 16]) {
          const all = rows(size, identity === undefined ? 1 : 2)
          const bad = all.with(at, change(all[at]!, all[at - 1]!, all[at + 1]!))
          const [plain, bytes] = [
            Order.make({ entity: "market", identity }),
            Order.make({ entity: "market", identity })
          ]
          // An array ends somewhere, before the record, with it, or behind it.
          for (let from = 0; from < size; from += 7) {
            const text = bad
              .slice(from, from + 7)
              .map((row) => JSON.stringify(row))
              .join("\n")
            const block = new TextEncoder().encode(text)
            memory.set(block)
            const read = lazy.decoder.read(memory, 0, block.length, 10)
            if (name === "nothing") assert.isDefined(Batch.of(read ?? []))
            const seen = plain.see(parse(text))
            assert.deepStrictEqual(bytes.see(read ?? parse(text)), seen)
            assert.deepStrictEqual(bytes.repeats, plain.repeats)
            if (Result.isFailure(seen)) break
          }
        }
      })
    }
  }
})
