import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveEndpoint } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { time } = FakeLive

const broken = { close: 1011 }

const block = (height: number, sequence: number, fork = "") => ({
  asset: "btc",
  time: time(height - 80),
  height: String(height),
  hash: `h${height}${fork}`,
  parent_hash: `h${height - 1}`,
  type: "new_block",
  PriceUSD: "1",
  cm_sequence_id: String(sequence)
})

const overHttp = (height: number, fork = "", when = time(height - 80)) => ({
  asset: "btc",
  time: when,
  height: String(height),
  block_hash: `h${height}${fork}`,
  parent_block_hash: `h${height - 1}`,
  PriceUSD: "1"
})

/** What a reader of blocks is told, as words. Adds when each was told, in milliseconds, to `times`. */
const followBlocks = (
  scripts: ReadonlyArray<FakeLive.Script>,
  blocks: ReadonlyArray<ReturnType<typeof overHttp>>,
  options: LiveEndpoint.CallOptions = {},
  times: Array<number> = []
) =>
  Virtual.run(
    Effect.gen(function* () {
      const told: Array<string> = []
      const origin = yield* Clock.currentTimeMillis
      const api = FakeApi.serve(({ url: { searchParams } }) => {
        const [from, to] = ["start_height", "end_height"].map((name) => Number(searchParams.get(name) ?? NaN))
        const start = searchParams.get("start_time") ?? ""
        return Effect.succeed(
          FakeApi.page(
            blocks.filter(
              ({ height, time: when }) => !(Number(height) < from! || Number(height) > to!) && when >= start
            )
          )
        )
      })
      yield* Live.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"] }, options).pipe(
        Stream.runForEach((message) =>
          Effect.map(Clock.currentTimeMillis, (millis) => {
            if (message._tag === "Data") told.push(`${message.origin} ${String(message.record.hash)}`)
            if (message._tag === "Gap") told.push(`gap ${message.from}..${message.to} ${message.reason}`)
            if (message._tag === "Reorg") told.push(`gone ${message.hash}`)
            while (times.length < told.length) times.push(millis - origin)
          })
        ),
        Effect.timeoutOption("2 minutes"),
        Effect.provide(FakeLive.make(scripts).layer(api, { silence: Infinity }))
      )
      return told
    })
  )

const chain = Array.from({ length: 40 }, (_, index) => overHttp(100 + index))

describe("Blocks after a break", () => {
  it.effect("are told again where a chain that was left returns", () =>
    Effect.gen(function* () {
      const gone = (fork: string, sequence: number) => ({
        ...block(101, sequence, fork),
        type: "reorg"
      })
      const frames = [
        block(100, 0),
        block(101, 1, "a"),
        gone("a", 2),
        block(101, 3, "b"),
        gone("b", 4),
        block(101, 5, "a")
      ]
      const told = yield* followBlocks([[{ frames }]], chain)
      assert.deepStrictEqual(told, ["live h100", "live h101a", "gone h101a", "live h101b", "gone h101b", "live h101a"])
    })
  )

  it.effect("tell of blocks that were left above the first one of the connection", () =>
    Effect.gen(function* () {
      const first = [block(100, 0), block(101, 1, "a"), block(102, 2, "a")]
      const told = yield* followBlocks([[{ frames: first }, broken], [{ frame: block(101, 0) }]], chain)
      assert.deepStrictEqual(told, ["live h100", "live h101a", "live h102a", "gone h102a", "gone h101a", "live h101"])
    })
  )

  it.effect("are said to be gone once, where the frame of one of them was lost", () =>
    Effect.gen(function* () {
      const frames = (first: number) => [
        block(101, first, "a"),
        block(102, first + 1, "a"),
        // The frame before it is lost, of 102.
        { ...block(101, first + 3, "a"), type: "reorg" },
        block(101, first + 4),
        block(102, first + 5)
      ]
      const left = ["live h101a", "live h102a"]
      const right = ["live h101", "live h102"]
      const single = yield* followBlocks([[{ frames: [block(100, 0), ...frames(1)] }]], chain)
      assert.deepStrictEqual(single, ["live h100", ...left, "gone h101a", "gone h102a", ...right])
      // While a skipped number is checked, what comes is gathered.
      const together = yield* followBlocks([[{ frames: [block(99, 0), block(100, 2), ...frames(3)] }]], chain)
      assert.deepStrictEqual(together, ["live h99", "live h100", ...left, "gone h102a", "gone h101a", ...right])
    })
  )

  it.effect("are read after any number of lost frames of blocks that left", () =>
    Effect.gen(function* () {
      const forks = [101, 102, 103, 104].flatMap((height, index) => [
        { frame: block(height, 1 + 3 * index, "a") },
        // The frame between them is lost.
        { frame: block(height, 3 + 3 * index) },
        Effect.sleep("5 seconds")
      ])
      const lost = [{ frame: block(106, 14) }, { frame: block(107, 15) }]
      const told = yield* followBlocks([[{ frame: block(100, 0) }, ...forks, ...lost]], chain)
      const left = [101, 102, 103, 104].flatMap((height) => [`live h${height}a`, `gone h${height}a`, `live h${height}`])
      assert.deepStrictEqual(told, ["live h100", ...left, "filled h105", "live h106", "live h107"])
    })
  )

  it.effect("are at most as late as `overlap`, where some that HTTP never shows follow skipped numbers", () =>
    Effect.gen(function* () {
      const heights = Array.from({ length: 30 }, (_, index) => 101 + index)
      const script = heights.flatMap((height, index) => [
        { frame: block(height, 6 * index, "a") },
        { frame: { ...block(height, 6 * index + 2, "a"), type: "reorg" } },
        { frame: block(height, 6 * index + 4) },
        Effect.sleep("2 seconds")
      ])
      const times: Array<number> = []
      const told = yield* followBlocks([[{ frame: block(100, 0) }, broken], script], chain, {}, times)
      assert.includeMembers(
        told,
        heights.flatMap((height) => [`live h${height}a`, `gone h${height}a`, `live h${height}`])
      )
      const begun = times[told.indexOf("gap 100..101 lagging")]! - 30_000
      const late = told.map((text, index) => {
        const height = Number(/ h(\d+)a?$/.exec(text)?.[1] ?? NaN)
        return height > 100 ? times[index]! - (begun + 2_000 * (height - 101)) : 0
      })
      assert.strictEqual(Math.round(Math.max(...late)), 30_000)
    })
  )

  it.effect("are not said to be gone because HTTP lags behind the chain", () =>
    Effect.gen(function* () {
      const old = [...chain.slice(0, 1), overHttp(101, "a")]
      const reorg = { ...block(101, 2, "a"), type: "reorg" }
      const scripts = [
        [{ frames: [block(100, 0), block(101, 1, "a"), reorg, block(101, 3)] }, broken],
        [{ frame: block(102, 0) }]
      ]
      const told = yield* followBlocks(scripts, old)
      assert.deepStrictEqual(told, [
        "live h100",
        "live h101a",
        "gone h101a",
        "live h101",
        "gap 100..102 lagging",
        "live h102"
      ])
    })
  )

  it.effect("are all there, though one before it had a height that was too high, by five or by far", () =>
    Effect.gen(function* () {
      for (const high of [107, 999_999]) {
        const wrong = { ...block(103, 3), height: String(high), hash: "wrong" }
        const scripts = [
          [{ frames: [block(100, 0), block(101, 1), block(102, 2), wrong] }, broken],
          [{ frame: block(110, 0) }]
        ]
        const told = (yield* followBlocks(scripts, chain)).filter((text) => !text.startsWith("gone"))
        const filled = [103, 104, 105, 106, 107, 108, 109].map((height) => `filled h${height}`)
        assert.deepStrictEqual(told, ["live h100", "live h101", "live h102", "live wrong", ...filled, "live h110"])
      }
    })
  )

  it.effect("tell of those that have left the chain meanwhile, the highest first", () =>
    Effect.gen(function* () {
      const scripts = [
        [{ frames: [block(100, 0), block(101, 1, "a"), block(102, 2, "a")] }, broken],
        [{ frame: block(104, 0) }]
      ]
      const told = yield* followBlocks(scripts, chain)
      const filled = ["filled h101", "filled h102", "filled h103"]
      assert.deepStrictEqual(told, [
        "live h100",
        "live h101a",
        "live h102a",
        "gone h102a",
        "gone h101a",
        ...filled,
        "live h104"
      ])
    })
  )

  it.effect("tell of none where HTTP shows both blocks of a fork, or the service has told of it", () =>
    Effect.gen(function* () {
      const reorg = {
        asset: "btc",
        time: time(23),
        type: "reorg",
        height: "101",
        hash: "h101a",
        parent_hash: "h100",
        cm_sequence_id: "2"
      }
      const both = [...chain.slice(0, 2), overHttp(101, "a"), ...chain.slice(2)]
      const first = [block(100, 0), block(101, 1, "a")]
      const told = yield* followBlocks([[{ frames: first }, broken], [{ frame: block(103, 0) }]], both)
      assert.deepStrictEqual(told, ["live h100", "live h101a", "filled h101", "filled h102", "live h103"])
      const after = yield* followBlocks([[{ frames: [...first, reorg] }, broken], [{ frame: block(103, 0) }]], chain)
      assert.deepStrictEqual(after, [
        "live h100",
        "live h101a",
        "gone h101a",
        "filled h101",
        "filled h102",
        "live h103"
      ])
    })
  )

  it.effect("hold one that replaced the block before `since`, if its own time is not before it", () =>
    Effect.gen(function* () {
      const since = time(21)
      // Over HTTP the fork at 100 is before `since`, and the block that replaced it is not.
      const before = [overHttp(100, "a", time(20)), ...chain.slice(1, 2)]
      const after = [overHttp(100, "", time(21)), ...chain.slice(1)]
      let asked = 0
      const api = FakeApi.serve(({ url: { searchParams } }) =>
        Effect.sync(() => {
          const [from, to] = ["start_height", "end_height"].map((name) => Number(searchParams.get(name) ?? NaN))
          const start = searchParams.get("start_time") ?? ""
          const blocks = asked++ === 0 ? before : after
          return FakeApi.page(
            blocks.filter(
              ({ height, time: when }) => !(Number(height) < from! || Number(height) > to!) && when >= start
            )
          )
        })
      )
      const told = yield* Virtual.run(
        Live.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"] }, { since }).pipe(
          Stream.filter((message) => message._tag === "Data"),
          Stream.map(({ origin, record }) => `${origin} ${String(record.hash)}`),
          Stream.take(4),
          Stream.runCollect,
          Effect.provide(FakeLive.make([[{ frame: block(103, 0) }]]).layer(api))
        )
      )
      assert.deepStrictEqual(told, ["history h101", "filled h100", "filled h102", "live h103"])
    })
  )
})
