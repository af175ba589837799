import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import { get, lines, pages, type Row, rows } from "./Harness.ts"
import { open } from "./LiveHarness.ts"

const market = "coinbase-btc-usd-spot"
const future = "binance-ADAUSDT-future"

/** Four seconds before an order of `market` that is filled by ninety others. */
const busy = "2026-10-01T02:07:05.500Z"

const world = (live: Sandbox.LiveOptions, options: Sandbox.Options = {}) =>
  Sandbox.layerMemory({ ...options, live: { httpLag: 0, ...live } })

/** A record as it was sent, and when, in milliseconds. */
interface Sent {
  readonly at: number
  readonly text: string
}

const unnumbered = (text: string) => text.replace(/,"cm_sequence_id":"[^"]*"\}$/, "}")

/** What the connections of a world were sent, in the order in which they were opened. */
const journal = Effect.gen(function* () {
  const { live } = yield* Sandbox.Sandbox
  return (yield* live.journal).map(({ frames, opened }) => ({
    opened: Date.parse(opened),
    sent: frames.map(({ at, text }): Sent => ({ at: Date.parse(at), text: unnumbered(text) }))
  }))
})

/** What a stream sends for so many minutes. */
const watch = (path: string, minutes: number, live: Sandbox.LiveOptions) =>
  Effect.gen(function* () {
    yield* open(`/timeseries-stream/${path}&backfill=none`)
    yield* TestClock.adjust(`${minutes} minutes`)
    const [entry] = yield* journal
    return entry?.sent ?? []
  }).pipe(Effect.scoped, Effect.provide(world(live)))

const textOf = ({ text }: Sent) => text

const timeValue = (row: Row) => String(row["time"])

const timeOf = (record: string) => timeValue(JSON.parse(record) as Row)

const isSorted = (texts: ReadonlyArray<string>) => texts.every((text, n) => n === 0 || texts[n - 1]! <= text)

/** Streams with the bound of their delays in seconds: more than their records are apart. */
const streams: ReadonlyArray<readonly [path: string, minutes: number, seconds: number]> = [
  [`market-trades?markets=${market},${future}`, 10, 60],
  ["market-trades?markets=uniswap_v2_eth-1-usdt-usdc-spot", 20, 60],
  [`market-liquidations?markets=${future}`, 240, 3_600],
  [`market-openinterest?markets=${future}`, 20, 120],
  [`market-candles?markets=${market}&frequency=1m`, 20, 600],
  ["index-levels?indexes=CMBIBTC", 2, 2],
  ["asset-metrics?assets=btc,eth&metrics=ReferenceRateUSD,ReferenceRateEUR&frequency=1s", 2, 2],
  ["asset-metrics?assets=btc&metrics=ReferenceRateUSD&frequency=200ms", 1, 1],
  [`market-quotes?markets=${market}`, 2, 2],
  [`market-contract-prices?markets=${future}`, 10, 60],
  ["pair-quotes?pairs=btc-eur", 1, 1]
]

describe("A live stream with jitter", () => {
  it.effect.each(streams)(
    "of %s has the records of one without, each by less than its bound later",
    ([path, minutes, seconds]) =>
      Effect.gen(function* () {
        const plain = yield* watch(path, minutes, {})
        const late = yield* watch(path, minutes, { jitter: `${seconds} seconds` })
        const instants = new Map<string, number>(plain.map(({ at, text }) => [text, at]))
        const first = plain[0]?.at ?? 0
        const end = plain.at(-1)?.at ?? 0
        let delayed = 0
        for (const { at, text } of late) {
          const own = instants.get(text)
          // What is published after the connection was opened may be of before.
          if (own === undefined) assert.isBelow(Date.parse(timeOf(text)), first)
          else {
            assert.isAtLeast(at, own)
            assert.isBelow(at, own + seconds * 1_000)
            if (at > own) delayed++
          }
        }
        assert.isAbove(delayed, 0)
        const seen = late.map(textOf)
        assert.strictEqual(new Set(seen).size, seen.length)
        const known = new Set(seen)
        for (const { at, text } of plain) if (at + seconds * 1_000 <= end) assert.isTrue(known.has(text), text)
        const [, entity = ""] = /=([^,&]+)/.exec(path) ?? []
        const times = (all: ReadonlyArray<Sent>) =>
          all.filter(({ text }) => text.includes(`"${entity}"`)).map(({ text }) => timeOf(text))
        assert.isTrue(isSorted(times(plain)))
        assert.isFalse(isSorted(times(late)))
        assert.deepStrictEqual(yield* watch(path, minutes, { jitter: `${seconds} seconds` }), late)
      })
  )
})

const wait = (millis: number) => TestClock.adjust(`${millis} millis`)

describe("A connection under jitter", () => {
  const path = `/timeseries-stream/market-trades?markets=${market},kraken-btc-usd-spot`
  const jittered = world({ from: busy, jitter: "1 second" })

  it.effect("sends what is published after it was opened, whatever its time, and nothing twice", () =>
    Effect.gen(function* () {
      yield* open(`${path}&backfill=none`)
      // The first begin amid the fills of an order.
      for (let count = 0; count < 30; count++) {
        yield* wait(count < 20 ? 217 : 5_003)
        yield* open(`${path}&backfill=none`)
      }
      yield* wait(10_000)
      const [first, ...others] = yield* journal
      assert(first !== undefined)
      assert.isAbove(first.sent.length, 90)
      assert.strictEqual(new Set(first.sent.map(textOf)).size, first.sent.length)
      for (const { opened, sent } of others) {
        assert.deepStrictEqual(
          sent,
          first.sent.filter(({ at }) => at > opened)
        )
      }
      const amid = others.filter(({ sent }) => sent.length > 20 && sent.length < 80)
      assert.isNotEmpty(amid)
    }).pipe(Effect.scoped, Effect.provide(jittered))
  )

  it.effect("begins with the record of the latest time among those that were published before", () =>
    Effect.gen(function* () {
      const quotes = "/timeseries-stream/pair-quotes?pairs=btc-eur"
      yield* open(`${quotes}&backfill=none`)
      yield* wait(3_000)
      for (let count = 0; count < 20; count++) {
        yield* wait(130)
        yield* open(quotes)
      }
      yield* wait(1_000)
      const [first, ...others] = yield* journal
      const last: Array<boolean> = []
      for (const { opened, sent } of others) {
        const before = first?.sent.filter(({ at }) => at <= opened) ?? []
        const latest = before.toSorted((a, b) => (timeOf(a.text) < timeOf(b.text) ? -1 : 1)).at(-1)
        assert.strictEqual(sent[0]?.text, latest?.text)
        assert.deepStrictEqual(
          sent.slice(1),
          first?.sent.filter(({ at }) => at > opened)
        )
        last.push(latest === before.at(-1))
      }
      assert.sameMembers([...new Set(last)], [true, false])
    }).pipe(Effect.scoped, Effect.provide(jittered))
  )

  it.effect("sends what the service tells that it has published, in this order", () =>
    Effect.gen(function* () {
      yield* open(`${path}&backfill=none`)
      yield* wait(60_000)
      const { live } = yield* Sandbox.Sandbox
      const [{ opened, sent } = { opened: 0, sent: [] }] = yield* journal
      for (const [after, until] of [
        [opened, opened + 60_000],
        [opened + 4_300, opened + 4_600]
      ] as const) {
        const truth = yield* live.series(path, { after, until })
        assert.isAbove(truth.length, 10)
        assert.deepStrictEqual(truth, sent.filter(({ at }) => at > after && at <= until).map(textOf))
      }
    }).pipe(Effect.scoped, Effect.provide(jittered))
  )

  it.effect("keeps the jitter it was opened with, and without any is as by default", () =>
    Effect.gen(function* () {
      const quotes = "pair-quotes?pairs=btc-eur"
      const both = Effect.gen(function* () {
        const { live } = yield* Sandbox.Sandbox
        yield* open(`/timeseries-stream/${quotes}&backfill=none`)
        yield* wait(1)
        yield* live.setJitter(0)
        yield* open(`/timeseries-stream/${quotes}&backfill=none`)
        yield* wait(60_000)
        return yield* journal
      }).pipe(Effect.scoped, Effect.provide(jittered))
      const [late, plain] = yield* both
      assert.isFalse(isSorted(late?.sent.map(({ text }) => timeOf(text)) ?? []))
      assert.deepStrictEqual(plain?.sent, yield* watch(quotes, 1, { from: busy }))
    })
  )

  it.effect.each([
    "/timeseries-stream/asset-metrics?assets=eth&metrics=PriceUSD&frequency=1b",
    `/timeseries-stream/market-orderbooks?markets=${market}`
  ])("of %s, whose records tell what changed since the one before, is as without", (path) => {
    const seen = (live: Sandbox.LiveOptions) =>
      Effect.gen(function* () {
        yield* open(path)
        yield* TestClock.adjust("5 minutes")
        return (yield* journal)[0]?.sent
      }).pipe(Effect.scoped, Effect.provide(world({ from: busy, ...live })))
    return Effect.gen(function* () {
      assert.deepStrictEqual(yield* seen({ jitter: "1 minute", httpJitter: "1 minute" }), yield* seen({}))
    })
  })
})

const entityOf = (row: Row) => String(row["asset"] ?? row["index"] ?? row["market"])

const nameOf = (text: string) => {
  const row = JSON.parse(text) as Row
  return [entityOf(row), row["time"], row["coin_metrics_id"]].join()
}

describe("HTTP under jitter", () => {
  const start = busy.slice(0, -1)

  const step = 50

  /** When each record of a path is shown first, of so many looks at it, and how many come after one of a later time. */
  const shown = Effect.fnUntraced(function* (path: string, looks: number) {
    const { live } = yield* Sandbox.Sandbox
    const moments = new Map<string, number>()
    let stragglers = 0
    for (let look = 0; look < looks; look++) {
      const page = yield* rows(path)
      const names = page.map((row) => nameOf(JSON.stringify(row)))
      assert.isTrue(isSorted(names))
      const known = new Set(names)
      for (const name of moments.keys()) assert.isTrue(known.has(name), "what was shown stays")
      const isKnown = names.map((name) => moments.has(name))
      const at = Date.parse(yield* live.now)
      for (const [place, name] of names.entries()) {
        if (isKnown[place] === true) continue
        moments.set(name, at)
        const [row, next] = [page[place], page[place + 1]]
        if (isKnown[place + 1] === true && row && next && entityOf(row) === entityOf(next)) stragglers++
      }
      yield* wait(step)
    }
    return { moments, stragglers }
  })

  it.effect.each([
    [`market-trades?markets=${market},kraken-btc-usd-spot`, "", 120, 1_000, 400],
    ["asset-metrics?assets=btc,eth&metrics=ReferenceRateUSD&frequency=1s", "", 200, 2_000, 1_500],
    ["index-levels?indexes=CMBIBTC", "&frequency=1s", 200, 2_000, 1_500]
  ] as const)(
    "shows %s at a moment of each after its publication, a straggler in its place",
    ([stream, more, looks, jitter, httpJitter]) =>
      Effect.gen(function* () {
        yield* open(`/timeseries-stream/${stream}&backfill=none`)
        const lag = 300
        const { live } = yield* Sandbox.Sandbox
        yield* live.setHttpLag(lag)
        const query = `&start_time=${start}&start_inclusive=false&page_size=10000`
        const { moments, stragglers } = yield* shown(`/timeseries/${stream}${more}${query}`, looks)
        assert.isAbove(stragglers, 0)
        const [entry] = yield* journal
        const published = new Map(entry?.sent.map(({ at, text }) => [nameOf(text), at]))
        let delayed = 0
        for (const [name, at] of moments) {
          const least = (published.get(name) ?? Number.NaN) + lag
          assert.isAtLeast(at, least)
          assert.isBelow(at, least + httpJitter + step)
          if (at >= least + step) delayed++
        }
        assert.isAbove(delayed, 0)
        const end = Date.parse(yield* live.now) - lag - httpJitter - step
        for (const [name, at] of published) {
          const isOfBefore = String(name.split(",")[1]) < start
          assert.isTrue(moments.has(name) || isOfBefore || at > end, name)
        }
      }).pipe(Effect.scoped, Effect.provide(world({ from: busy, jitter, httpJitter })))
  )

  it.effect("shows the same records in pages from both ends, as lines and by limits, and all of them in the end", () =>
    Effect.gen(function* () {
      const path = `/timeseries/market-trades?markets=${market},kraken-btc-usd-spot&start_time=${start}`
      const sizes = new Set<number>()
      for (let look = 0; look < 8; look++) {
        yield* wait(look === 0 ? 4_000 : 230)
        const whole = yield* rows(`${path}&page_size=10000`)
        sizes.add(whole.length)
        const fromStart = (yield* pages(`${path}&page_size=7&paging_from=start`)).flat()
        const fromEnd = (yield* pages(`${path}&page_size=7`)).toReversed().flat()
        const streamed = lines(yield* get(`${path}&format=json_stream`))
        for (const read of [fromStart, fromEnd, streamed]) assert.deepStrictEqual(read, whole)
        const ofMarket = whole.filter((row) => row["market"] === market)
        const one = `/timeseries/market-trades?markets=${market}&start_time=${start}`
        assert.deepStrictEqual(yield* rows(`${one}&limit_per_market=5`), ofMarket.slice(-5))
        assert.deepStrictEqual(yield* rows(`${one}&limit_per_market=5&paging_from=start`), ofMarket.slice(0, 5))
      }
      assert.isAbove(sizes.size, 5)
      const { live } = yield* Sandbox.Sandbox
      yield* wait(1_000)
      const whole = yield* rows(`${path}&page_size=10000`)
      yield* live.setJitter(0)
      yield* live.setHttpJitter(0)
      assert.deepStrictEqual(yield* rows(`${path}&page_size=10000`), whole)
    }).pipe(Effect.provide(world({ from: busy, jitter: 1_000, httpJitter: 400, httpLag: 300 })))
  )

  it.effect("hides what is still to come beside what a history hides", () =>
    Effect.gen(function* () {
      const path = `/timeseries/market-openinterest?markets=${future}&start_time=2026-10-01T01:30:00`
      const { live } = yield* Sandbox.Sandbox
      const counts: Array<number> = []
      let all: ReadonlyArray<string> = []
      for (let look = 0; look < 20; look++) {
        const late = new Set((yield* rows(path)).map(timeValue))
        yield* live.setJitter(0)
        all = (yield* rows(path)).map(timeValue)
        yield* live.setJitter("10 minutes")
        const hidden = all.filter((time) => !late.has(time))
        assert.strictEqual(late.size + hidden.length, all.length)
        const now = Date.parse(yield* live.now)
        for (const time of hidden) assert.isAbove(Date.parse(time), now - 11 * 60_000)
        counts.push(hidden.length)
        yield* TestClock.adjust("3 minutes")
      }
      assert.isAbove(Math.max(...counts), 2)
      // Twenty minutes of it are missing, and while they are new there is nothing to come.
      assert.strictEqual(all.length, 75)
      assert.include(counts, 0)
    }).pipe(Effect.provide(world({ from: busy, jitter: "10 minutes" }, { history: { seed: 5 } })))
  )

  it.effect("keeps blocks and updates of books in their order", () =>
    Effect.gen(function* () {
      const { live } = yield* Sandbox.Sandbox
      for (const path of [
        "/timeseries/asset-metrics?assets=eth&metrics=PriceUSD&frequency=1b&limit_per_asset=50",
        `/timeseries/market-orderbooks?markets=${market}&dataset=updates&depth_limit=full_book&format=json_stream&start_time=2026-10-01T02:00:00`
      ]) {
        const plain = yield* get(path)
        yield* live.setJitter("1 minute")
        yield* live.setHttpJitter("1 minute")
        assert.strictEqual((yield* get(path)).text, plain.text)
        yield* live.setJitter(0)
        yield* live.setHttpJitter(0)
      }
    }).pipe(Effect.provide(world({ from: busy })))
  )
})
