import * as Timestamp from "@sluice/core/Timestamp"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Draw from "../../core/test/Draw.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Chart from "../src/chart/Chart.ts"
import { holesOf } from "../src/chart/CoverageRows.ts"
import * as Ranges from "../src/chart/Ranges.ts"
import * as Scale from "../src/chart/Scale.ts"
import * as Svg from "../src/chart/Svg.ts"
import * as Text from "../src/chart/Text.ts"
import * as Times from "../src/chart/Times.ts"
import * as Collect from "../src/commands/plot/Collect.ts"
import * as Layout from "../src/commands/plot/Layout.ts"

const same = (text: string) => text

const look: Text.Look = {
  width: 60,
  height: 8,
  isAscii: true,
  paints: [],
  up: same,
  down: same,
  dim: same,
  bold: same,
  widthOf: ({ length }) => length
}

/** What becomes of records. */
const collected = (rows: ReadonlyArray<Layout.Row>, isLog = false) => {
  const collect = Collect.make({}, { fields: undefined, isLog })
  assert.isTrue(Result.isSuccess(collect.see(rows)))
  return collect.end("")
}

/** Draws as text and as SVG, in which every number has to be one. */
const drawn = (chart: Chart.Chart, width: number, height: number) => {
  const text = Text.draw(chart, { ...look, width, height })
  assert.notMatch(text.join("\n"), /NaN|Infinity|undefined/)
  const svg = Svg.draw(chart, { width: width * 8, height: height * 16 }) ?? ""
  assert.notMatch(svg, /NaN|Infinity|undefined/)
  return { text, svg }
}

const { MAX_VALUE: greatest, MIN_VALUE: least } = Number

const extremes = [0, -0, least, -least, 2 * least, greatest, -greatest, greatest * (1 - Number.EPSILON), 1.5e308, 1]

/** A finite value: an extreme one, the neighbour of another, one of any size, or a usual one. */
const valueOf = (draw: Draw.Draw, before: number): number => {
  const found = draw.weighted<number>([
    [3, () => draw.one(extremes)],
    [2, () => before],
    [2, () => before * (1 + draw.int(-2, 2) * Number.EPSILON)],
    [3, () => (draw.next() - 0.3) * 10 ** draw.int(-323, 308)],
    [1, () => draw.int(-100, 100)]
  ])
  return Number.isFinite(found) ? found : greatest
}

describe("values", () => {
  it.each(TestMode.seeds(300, 3_000))("of any size do not break a chart: seed %i", (seed) => {
    const draw = Draw.from(seed)
    const isLog = draw.chance(0.5)
    const isCandles = draw.chance(0.3)
    let value = draw.one(extremes)
    const next = () => (value = valueOf(draw, value))
    const values: Array<number> = []
    const rows = Array.from({ length: draw.int(1, 6) }, (_, day) => {
      const fields = (isCandles ? Layout.prices : ["v"]).map((name) => [name, next()] as const)
      if (!isLog || fields.every(([, of]) => of > 0)) values.push(...fields.map(([, of]) => of))
      return { time: `2026-01-0${day + 1}T00:00:00.000000000Z`, ...Object.fromEntries(fields) }
    })
    const { chart } = collected(rows, isLog)
    assert.strictEqual(chart === undefined, values.length === 0)
    if (chart === undefined) return
    const [width, height] = [draw.int(20, 120), draw.int(1, 30)]
    const { svg, text } = drawn(chart, width, height)
    assert.match(text.join("\n"), isCandles ? /[#o|]/ : /\*/)
    assert.match(svg, /<text/)
    const [low, high] = [Math.min(...values), Math.max(...values)]
    const scale = Scale.make({ low, high }, isLog)
    for (const most of [1, height]) {
      const ticks = scale.ticks(most)
      assert.isAtLeast(ticks.length, 1, `${low} to ${high}`)
      for (const { text, value } of ticks) {
        assert.match(text, /^-?\d/)
        assert.isTrue(Number.isFinite(value))
      }
    }
    const places = values.toSorted((a, b) => a - b).map(scale.placeOf)
    if (low < high) assert.deepStrictEqual([places[0], places.at(-1)], [0, 1])
    for (const [index, place] of places.entries()) assert.isAtLeast(place, places[index - 1] ?? 0)
  })

  it.each([
    [1.79e308, false, "1.780e308 1.790e308"],
    [-1.79e308, false, "-1.790e308 -1.780e308"],
    [1.5e308, true, "1.0e308 1.5e308"],
    [least, true, "4.9e-324 9.9e-324"],
    [least, false, "-1 0 1"]
  ] as const)("of %d alone have a place and labels", (value, isLog, expected) => {
    const scale = Scale.make({ low: value, high: value }, isLog)
    const ticks = scale.ticks(3)
    assert.strictEqual(ticks.map(({ text }) => text).join(" "), expected)
    const places = ticks.map((tick) => scale.placeOf(tick.value))
    assert.deepStrictEqual(
      places,
      places.toSorted((a, b) => a - b)
    )
  })
})

/** The pieces of a line with points at these times. */
const piecesOf = (ats: ReadonlyArray<number>) => {
  const collector = Chart.line("")
  for (const at of ats) collector.add({ at, value: at })
  return collector.end().pieces
}

/** A market with candles at these times. */
const marketOf = (ats: ReadonlyArray<number>) => {
  const collector = Chart.market("")
  for (const at of ats) collector.add({ at, open: at, close: at + 1, high: at + 1, low: at })
  return collector.end()
}

describe("points", () => {
  it("have their gaps in the order of time and in its reverse", () => {
    const days = [...Array.from({ length: 10 }, (_, day) => day), ...Array.from({ length: 9 }, (_, day) => day + 20)]
    assert.deepStrictEqual(
      piecesOf(days).map(({ length }) => length),
      [10, 9]
    )
    assert.deepStrictEqual(piecesOf(days.toReversed()), piecesOf(days))
  })

  it("of candles in the reverse of time have the length of those in the order of time", () => {
    const ats = [0, 1, 2, 3, 9]
    assert.strictEqual(marketOf(ats).each, 1)
    assert.deepStrictEqual(marketOf(ats.toReversed()), marketOf(ats))
  })
})

/** A record whose time may not exist. */
const rowOf = (time: string, v: number) => ({ time: `${time}.000000000Z`, v })

describe("times", () => {
  it("that do not exist are those of no record", () => {
    const { chart } = collected([
      rowOf("2021-02-27T00:00:00", 1),
      rowOf("2021-02-30T00:00:00", 1e9),
      rowOf("2021-13-01T00:00:00", 1e9),
      rowOf("2021-02-27T24:00:00", 1e9),
      rowOf("2021-02-28T00:00:00", 2)
    ])
    assert.deepStrictEqual(
      chart?._tag === "Lines" && chart.lines[0]?.pieces.flat().map(({ at, value }) => [Times.short(at), value]),
      [
        ["2021-02-27", 1],
        ["2021-02-28", 2]
      ]
    )
  })

  it.each(TestMode.seeds(3, 20))("are those that a timestamp has: seed %i", (seed) => {
    const draw = Draw.from(seed)
    const digits = (least: number, most: number, length = 2) => String(draw.int(least, most)).padStart(length, "0")
    for (let index = 0; index < 1_000; index++) {
      const day = `${draw.one([digits(0, 9_999, 4), digits(2_020, 2_024)])}-${digits(0, 13)}-${digits(0, 32)}`
      const text = `${day}T${digits(0, 24)}:${digits(0, 60)}:${digits(0, 60)}.${digits(0, 999_999_999, 9)}Z`
      const nanos = Result.getOrUndefined(Timestamp.toEpochNanos(text))
      const expected = nanos === undefined ? undefined : Number(nanos) / 1e6
      const found = Layout.millisOf(text)
      if (expected === undefined || found === undefined) assert.strictEqual(found, expected, text)
      else assert.approximately(found, expected, 0.1, text)
    }
  })
})

/** A record of a catalog with a range so deep. */
const nested = (depth: number) => {
  let row: Layout.Row = { min_time: "2026-01-01", max_time: "2026-01-02" }
  for (let level = 0; level < depth; level++) row = { items: [row] }
  return row
}

const keyOf = ({ from, to }: Chart.Range) => `${from} ${to}`

describe("ranges", () => {
  it("are found in what a catalog nests, and not deeper", () => {
    assert.lengthOf(Layout.coveredBy(nested(4)), 1)
    assert.lengthOf(Layout.coveredBy(nested(100_000)), 0)
  })

  it("of records that are nested deep do not keep series from being drawn", () => {
    const rows = ["01", "02"].map((day) => ({
      asset: day === "01" ? "btc" : nested(10_000),
      ...rowOf(`2026-01-${day}T00:00:00`, 1)
    }))
    assert.strictEqual(collected(rows).chart?._tag, "Lines")
  })

  it("of any number are a bounded number", () => {
    const ranges = Ranges.make()
    for (let at = 0; at < 10_000; at++) ranges.add({ from: at * 10, to: at * 10 + (at % 100 === 0 ? 1 : 9) })
    const { isCoarse, ranges: found } = ranges.end()
    assert.deepStrictEqual([found.length, isCoarse], [2_048, true])
    assert.lengthOf(
      holesOf(found).filter(({ from, to }) => to - from === 9),
      100
    )
    const rows = [{ name: "a", ranges: found, isCoarse }]
    const { text } = drawn({ _tag: "Coverage", title: "", rows }, 60, 4)
    assert.match(text.at(-1) ?? "", /; at least 2047 holes$/)
  })

  it.each(TestMode.seeds(20, 200))("keep every hole that is long enough to be seen: seed %i", (seed) => {
    const draw = Draw.from(seed)
    const count = draw.one([draw.int(1, 100), draw.int(1_000, 20_000)])
    const length = count * 100
    const chance = draw.one([0, 0.001, 0.1, 0.5])
    const isMissing = Array.from({ length: count }, () => draw.chance(chance))
    const most = draw.one([1, 30, 100, 300])
    const all = isMissing.flatMap((missing, index): ReadonlyArray<Chart.Range> =>
      missing ? [] : [{ from: index * 100, to: Math.min(length, index * 100 + draw.int(0, most)) }]
    )
    const order = draw.int(0, 2)
    const given =
      order === 0
        ? all
        : order === 1
          ? all.toReversed()
          : all
              .map((range) => ({ range, key: draw.next() }))
              .toSorted((a, b) => a.key - b.key)
              .map(({ range }) => range)
    const collector = Ranges.make()
    for (const range of given) collector.add(range)
    const { isCoarse, ranges } = collector.end()
    assert.isAtMost(ranges.length, 2_048)
    const exact: Array<Chart.Range> = []
    let end = -1
    for (const { from, to } of all) {
      if (end >= 0 && from > end) exact.push({ from: end, to: from })
      end = Math.max(end, to)
    }
    const found = holesOf(ranges)
    const keys = new Set(found.map(keyOf))
    const isLong = ({ from, to }: Chart.Range) => to - from > length / 2_048
    assert.deepStrictEqual(
      exact.filter((hole) => (isCoarse ? isLong(hole) : true) && !keys.has(keyOf(hole))),
      []
    )
    const existing = new Set(exact.map(keyOf))
    assert.isTrue(found.every((hole) => existing.has(keyOf(hole))))
  })
})
