import { assert, describe, it } from "@effect/vitest"
import * as Draw from "../../core/test/Draw.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as CandleRows from "../src/chart/CandleRows.ts"
import * as Chart from "../src/chart/Chart.ts"
import * as CoverageRows from "../src/chart/CoverageRows.ts"
import type * as Frame from "../src/chart/Frame.ts"
import * as LineRows from "../src/chart/LineRows.ts"
import * as Scale from "../src/chart/Scale.ts"
import * as Svg from "../src/chart/Svg.ts"
import * as Text from "../src/chart/Text.ts"
import * as Times from "../src/chart/Times.ts"

const same = (text: string) => text

const frame = (more: Partial<Frame.Frame> = {}): Frame.Frame => ({
  width: 14,
  height: 4,
  margin: 2,
  isAscii: true,
  paints: [],
  up: same,
  down: same,
  dim: same,
  ...more
})

const line = (points: ReadonlyArray<readonly [at: number, value: number]>, name = "") => {
  const collector = Chart.line(name)
  for (const [at, value] of points) collector.add({ at, value })
  return collector.end()
}

const market = (rows: ReadonlyArray<readonly [open: number, close: number, high: number, low: number]>, each = 1) => {
  const collector = Chart.market("")
  for (const [at, [open, close, high, low]] of rows.entries()) collector.add({ at: at * each, open, close, high, low })
  return collector.end()
}

describe("lines", () => {
  const rising = line([0, 1, 2, 3].map((at) => [at, at]))

  it("go from the lowest value to the highest, with round values at the axis", () => {
    assert.deepStrictEqual(LineRows.draw([rising], { from: 0, to: 3 }, frame()), [
      " 3 +        **",
      " 2 +     ***",
      " 1 +  ***",
      " 0 +**"
    ])
  })

  it("are dots of Braille, eight in a letter", () => {
    const [only] = LineRows.draw([rising], { from: 0, to: 3 }, frame({ height: 1, isAscii: false }))
    assert.strictEqual(only, " 0 ┤⣀⣀⠤⠤⠤⠒⠒⠒⠊⠉")
  })

  it("stop at a gap of a series with a frequency, and not between times without one", () => {
    const times = { from: 0, to: 6 }
    const gap = line([0, 1, 2, 5, 6].map((at) => [at, 1]))
    const wide = frame({ height: 3, margin: 4, width: 16 })
    assert.deepStrictEqual(LineRows.draw([gap], times, wide), ["1.01 +", "1.00 +****    **", "0.99 +"])
    const uneven = line([0, 1, 3, 6].map((at) => [at, 1]))
    assert.deepStrictEqual(LineRows.draw([uneven], times, wide), ["1.01 +", "1.00 +**********", "0.99 +"])
  })

  it("have marks of their own where no colour tells them apart, and else a colour", () => {
    const falling = line([3, 2, 1, 0].map((value, at) => [at, value]))
    const both = { lines: [rising, falling], times: { from: 0, to: 3 } }
    assert.deepStrictEqual(LineRows.draw(both.lines, both.times, frame()), [
      " 3 +++      **",
      " 2 +  +++***",
      " 1 +  ***+++",
      " 0 +**      ++"
    ])
    const paints = [(text: string) => `<${text}>`, (text: string) => `{${text}}`]
    const [first = ""] = LineRows.draw(both.lines, both.times, frame({ paints, isAscii: false }))
    assert.match(first, /^ 3 ┤\{[⠁-⣿]+\} +<[⠁-⣿]+>$/)
  })

  it("draw one point in the middle, and nothing of none", () => {
    const wide = frame({ margin: 4, width: 16, height: 3 })
    assert.deepStrictEqual(LineRows.draw([line([[7, 1]])], { from: 7, to: 7 }, wide)[1], "1.00 +     *")
    const look: Text.Look = { ...wide, bold: same, widthOf: (text) => text.length }
    const empty: Chart.Chart = { _tag: "Lines", title: "", isLog: false, lines: [line([])] }
    assert.deepStrictEqual([Text.draw(empty, look), Svg.draw(empty, { width: 100, height: 100 })], [[], undefined])
  })

  it.each(TestMode.seeds(4, 100))(
    "show the lowest and highest value of every column, whatever is drawn: seed %i",
    (seed) => {
      const draw = Draw.from(seed)
      const count = draw.one([draw.int(2, 60), draw.int(2_049, 20_000)])
      let value = 100
      const points = Array.from({ length: count }, (_, index): readonly [number, number] => {
        value += draw.next() - 0.5
        return [index * 60_000 + (draw.chance(0.1) ? draw.int(0, 30_000) : 0), draw.chance(0.001) ? value * 3 : value]
      })
      const [low, high] = [Math.min(...points.map(([, y]) => y)), Math.max(...points.map(([, y]) => y))]
      const times = { from: points[0]![0], to: points.at(-1)![0] }
      const room = draw.int(10, 120)
      const height = draw.int(2, 20)
      const rows = LineRows.draw(
        [line(points)],
        times,
        frame({ width: room + 2, margin: 0, height, isAscii: false, dim: () => "" })
      )
      const isSet = (column: number, row: number) => {
        const code = (rows[row >> 2]?.[column >> 1] ?? " ").charCodeAt(0)
        const bits = code >= 0x2800 ? code - 0x2800 : 0
        return (bits & [0x01, 0x08, 0x02, 0x10, 0x04, 0x20, 0x40, 0x80][(row & 3) * 2 + (column & 1)]!) !== 0
      }
      const columnOf = (at: number) => Math.round(((at - times.from) / (times.to - times.from)) * (room * 2 - 1))
      const rowOf = (y: number) => Math.round((1 - (y - low) / (high - low)) * (height * 4 - 1))
      const extremes = new Map<number, [top: number, bottom: number]>()
      for (const [at, y] of points) {
        const [top, bottom] = extremes.get(columnOf(at)) ?? [Infinity, -Infinity]
        extremes.set(columnOf(at), [Math.min(top, rowOf(y)), Math.max(bottom, rowOf(y))])
      }
      // An interval that is kept may lie in two columns: its extreme is then in one of them.
      const near = count > 2_048 ? [-1, 0, 1] : [0]
      const all = Array.from({ length: height * 4 }, (_, row) => row)
      for (const [column, [top, bottom]] of extremes) {
        const set = all.filter((row) => near.some((by) => isSet(column + by, row)))
        assert.isAtMost(set[0] ?? Infinity, top)
        assert.isAtLeast(set.at(-1) ?? -Infinity, bottom)
      }
      assert.isTrue(
        all.some((row) => row === 0 && Array.from({ length: room * 2 }).some((_, column) => isSet(column, row)))
      )
    }
  )

  it("keep a bounded number of points, and all of a short series", () => {
    const long = line(Array.from({ length: 100_000 }, (_, at) => [at, Math.sin(at)]))
    assert.isAtMost(long.pieces.flat().length, 4 * 2_048)
    assert.lengthOf(line(Array.from({ length: 2_048 }, (_, at) => [at, at])).pieces.flat(), 2_048)
    const shuffled = line([
      [2, 2],
      [0, 0],
      [1, 1]
    ])
    assert.deepStrictEqual(shuffled.pieces, [[0, 1, 2].map((at) => ({ at, value: at }))])
  })
})

describe("candles", () => {
  const rows = [
    [1, 2, 3, 0],
    [2, 4, 4, 2],
    [4, 1, 4, 1]
  ] as const

  it("have bodies and wicks, and are lighter where they fall", () => {
    assert.deepStrictEqual(CandleRows.draw(market(rows), { from: 0, to: 3 }, frame()), [
      " 4 +   ## ooo",
      "   ||  ## ooo",
      " 2 +## ## ooo",
      " 0 +|"
    ])
  })

  it("are one of several where there are more than columns, and empty where there is none", () => {
    const all = { from: 0, to: 4 }
    assert.deepStrictEqual(Chart.fold(market(rows), { from: 0, to: 3 }, 2).slots, [
      { at: 0, open: 1, close: 4, high: 4, low: 0 },
      { at: 2, open: 4, close: 1, high: 4, low: 1 }
    ])
    const { each, slots } = Chart.fold({ ...market(rows), candles: market(rows).candles.slice(2) }, all, 2)
    assert.deepStrictEqual([each, slots[0], slots[1]?.open], [2, undefined, 4])
  })

  it("keep the first open, the last close and the extremes of a market of any length", () => {
    const drawn = Draw.from(TestMode.firstSeed)
    const many = Array.from({ length: 10_000 }, () => {
      const [open, close] = [drawn.int(10, 90), drawn.int(10, 90)]
      return [open, close, Math.max(open, close) + drawn.int(0, 9), Math.min(open, close) - drawn.int(0, 9)] as const
    })
    const { candles } = market(many)
    assert.isAtMost(candles.length, 2_048)
    assert.deepStrictEqual(
      [
        candles[0]?.open,
        candles.at(-1)?.close,
        Math.max(...candles.map(({ high }) => high)),
        Math.min(...candles.map(({ low }) => low))
      ],
      [
        many[0]![0],
        many.at(-1)![1],
        Math.max(...many.map(([, , high]) => high)),
        Math.min(...many.map(([, , , low]) => low))
      ]
    )
  })
})

/** The bar of an entity. */
const draw = (ranges: ReadonlyArray<Chart.Range>, name = "a") =>
  CoverageRows.draw([{ name, ranges }], { from: 0, to: 10 }, frame(), (text) => text.length)[0]

describe("coverage", () => {
  it("is a bar from the first time to the last, open at holes, however short these are", () => {
    assert.strictEqual(
      draw([
        { from: 0, to: 4 },
        { from: 6, to: 10 }
      ]),
      "a  |####  ####"
    )
    assert.strictEqual(
      draw([
        { from: 0, to: 4.2 },
        { from: 4.4, to: 10 }
      ]),
      "a  |####=#####"
    )
    assert.strictEqual(draw([{ from: 3, to: 3 }]), "a  |   #")
    assert.strictEqual(draw([]), "a  |")
  })

  it("cuts a name that is longer than its margin", () => {
    assert.strictEqual(draw([{ from: 0, to: 10 }], "long"), "l~ |##########")
  })
})

describe("axes", () => {
  const day = 86_400_000
  const first = Date.parse("2024-01-01T00:00:00Z")

  it.each([
    [{ low: 0, high: 100 }, 5, false, "0 20 40 60 80 100"],
    [{ low: 61_210, high: 61_980 }, 4, false, "61.4k 61.6k 61.8k"],
    [{ low: 0, high: 5e-5 }, 4, false, "0 2.0e-5 4.0e-5"],
    [{ low: -5, high: 5 }, 4, false, "-5 0 5"],
    [{ low: 0, high: 3e9 }, 3, false, "0 1G 2G 3G"],
    [{ low: -1.7e308, high: 1.7e308 }, 3, false, "-1.0e308 0 1.0e308"],
    [{ low: 1, high: 1_000 }, 5, true, "1 10 100 1k"],
    [{ low: 7, high: 7 }, 3, true, "5 10"]
  ] as const)("have round values: %o", (bounds, most, isLog, expected) => {
    const texts = Scale.make(bounds, isLog)
      .ticks(most)
      .map(({ text }) => text)
    assert.strictEqual(texts.join(" "), expected)
  })

  it.each([
    [3_600_000, 4, "01-01 00:00, 01-01 00:15, 01-01 00:30, 01-01 00:45, 01-01 01:00"],
    [3_000, 3, "00:00:00, 00:00:01, 00:00:02, 00:00:03"],
    [40, 2, "00:00:00.000, 00:00:00.020, 00:00:00.040"],
    [30 * day, 4, "2024-01-08, 2024-01-22"],
    [180 * day, 3, "2024-01, 2024-03, 2024-05"],
    [4_000 * day, 3, "2025, 2030"],
    [0, 3, "2024-01-01"]
  ] as const)("have round times: %i ms", (length, most, expected) => {
    const texts = Times.ticks({ from: first, to: first + length }, most).map(({ text }) => text)
    assert.strictEqual(texts.join(", "), expected)
  })

  it("stand below a chart, with its range and its legend around it", () => {
    const times = { from: first, to: first + 10 * day }
    const lines = ["btc", "eth"].map((name, index) =>
      line(
        [
          [times.from, index],
          [times.to, 1 - index]
        ],
        name
      )
    )
    const look: Text.Look = { ...frame({ width: 37, height: 2 }), bold: same, widthOf: (text) => text.length }
    assert.deepStrictEqual(Text.draw({ _tag: "Lines", title: "prices", isLog: false, lines }, look), [
      "prices",
      "  * btc   + eth",
      ` 1 +${"+".repeat(16)} ${"*".repeat(16)}`,
      ` 0 +${"*".repeat(16)}${"+".repeat(17)}`,
      `   ++${"-".repeat(21)}+${"-".repeat(10)}`,
      `    2024-01-01${" ".repeat(12)}2024-01-08`,
      "    2024-01-01 to 2024-01-11 UTC"
    ])
  })
})

/** The names of the elements of a picture, where it is well-formed. */
const elementsOf = (svg: string) => {
  const open: Array<string> = []
  const names: Array<string> = []
  for (const [, end, name = "", attributes = "", closed] of svg.matchAll(
    /<(\/?)(\w+)((?: [\w:-]+="[^"<]*")*)(\/?)>/g
  )) {
    names.push(name)
    assert.notMatch(attributes, /NaN|Infinity|undefined/)
    if (end === "/") assert.strictEqual(open.pop(), name)
    else if (closed !== "/") open.push(name)
  }
  assert.deepStrictEqual(open, [])
  assert.notMatch(svg.replaceAll(/<[^<>]+>/g, ""), /[<>]|&(?!(?:amp|lt|gt|quot|#39);)/)
  return new Set(names)
}

describe("SVG", () => {
  const hostile = `<script>alert("1")</script> & 'x' \u0000\ud800`
  const charts: ReadonlyArray<Chart.Chart> = [
    {
      _tag: "Lines",
      title: hostile,
      isLog: false,
      lines: [
        line(
          [
            [0, 1],
            [1, 2],
            [2, 3],
            [9, 4]
          ],
          hostile
        ),
        line([[4, 4]], "b")
      ]
    },
    {
      _tag: "Lines",
      title: "",
      isLog: true,
      lines: [
        line([
          [0, 1e-300],
          [1, 1e300]
        ])
      ]
    },
    {
      _tag: "Lines",
      title: "",
      isLog: false,
      lines: [
        line([
          [0, -1.7e308],
          [1, 1.7e308]
        ])
      ]
    },
    {
      _tag: "Candles",
      title: hostile,
      isLog: false,
      markets: [
        market(
          [
            [1, 2, 3, 0],
            [2, 1, 2, 1]
          ],
          60_000
        ),
        market([[1, 1, 1, 1]])
      ]
    },
    {
      _tag: "Coverage",
      title: hostile,
      rows: [
        {
          name: hostile,
          ranges: [
            { from: 0, to: 5 },
            { from: 6, to: 7 }
          ]
        },
        { name: "", ranges: [] }
      ]
    }
  ]

  it.each(charts.map((chart) => [chart._tag, chart] as const))(
    "of %s is well-formed, and runs and loads nothing",
    (_, chart) => {
      for (const size of [
        { width: 800, height: 400 },
        { width: 1, height: 1 }
      ]) {
        const svg = Svg.draw(chart, size) ?? ""
        const elements = elementsOf(svg)
        assert.includeMembers(["svg", "title", "g", "text", "path", "rect"], [...elements])
        assert.notMatch(svg, /href|url\(|style=|\son\w+=/)
        assert.isTrue(svg.isWellFormed())
      }
    }
  )

  it("has each line as a path with its gaps, and a point alone as a dot", () => {
    const svg = Svg.draw(charts[0]!, { width: 800, height: 400 }) ?? ""
    const [first = "", second = ""] = [...svg.matchAll(/<path d="([^"]+)" stroke="[^"]+" stroke-width="1.5"/g)].map(
      ([, path]) => path
    )
    assert.deepStrictEqual([first.split("M").length, first.split("L").length], [3, 3])
    assert.match(second, /^M[\d.]+ [\d.]+h0$/)
  })
})
