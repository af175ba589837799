import { assert, describe, it } from "@effect/vitest"
import type { Change } from "../../src/internal/book/Book.ts"
import * as Keeper from "../../src/internal/book/Keeper.ts"

const most = { live: 100, http: 100, shown: 100 }

const record = (type: "snapshot" | "update", second: number, size: string) =>
  // Type boundary: the fields that a book is made of.
  ({
    type,
    market: "a-btc-usd-spot",
    time: `2026-09-30T23:59:${second}.000000000Z`,
    coin_metrics_id: `${second}`,
    bids: [{ price: "100", size }],
    asks: [{ price: "101", size }]
  }) as unknown as Change

const timesOf = (messages: ReadonlyArray<Keeper.Message>) =>
  messages.flatMap((message) => (message._tag === "Book" ? [message.book.time.slice(17, 19)] : []))

const received = "2026-01-01T00:00:00.000000000Z"

describe("the books of a reader behind whom messages were dropped", () => {
  it("do not go back to an older snapshot that a new connection began with, and go on from it", () => {
    const keeper = Keeper.make(most)
    const read = Keeper.reader(most, keeper)
    const deliver = (change: Change, connection: number) => {
      assert.isUndefined(keeper.see(change, "live", connection))
      return timesOf(read({ _tag: "Data", record: change, origin: "live", received }))
    }
    const dropped = () => timesOf(read({ _tag: "Dropped", count: 1 }))
    assert.deepStrictEqual(deliver(record("snapshot", 30, "1"), 1), ["30"])
    assert.deepStrictEqual(deliver(record("update", 33, "2"), 1), ["33"])
    keeper.see(record("snapshot", 30, "1"), "live", 2)
    assert.deepStrictEqual(dropped(), [])
    assert.deepStrictEqual(deliver(record("update", 36, "3"), 2), ["36"])
    keeper.see(record("update", 39, "4"), "live", 2)
    assert.deepStrictEqual(dropped(), ["39"])
  })
})
