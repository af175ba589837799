/** Where a chart goes: text on standard output, SVG in a file, or what would be drawn as JSON. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Chart from "../../chart/Chart.ts"
import * as Svg from "../../chart/Svg.ts"
import * as Text from "../../chart/Text.ts"
import * as Times from "../../chart/Times.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Amount from "../../terminal/Amount.ts"
import * as OutputFile from "../../terminal/OutputFile.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"
import type { PlotInput } from "../flags/Flags.ts"
import type { Collected } from "./Collect.ts"
import { NotDrawable } from "./Layout.ts"
import * as Config from "effect/Config"
import * as Option from "effect/Option"

type Input = Pick<PlotInput, "output" | "width" | "height" | "ascii">

/** Fails where the file has the name of another format than SVG. */
export const check = Effect.fnUntraced(function* ({ output }: Input) {
  const file = OutputFile.of(output)
  if (file === undefined || /\.svg$/i.test(file) || (yield* OutputFile.isSpecial(file))) return
  const reason = `--output ${JSON.stringify(file)}: a chart is an SVG, and its name ends in .svg`
  return yield* new NotDrawable({ reason, drawable: [] })
})

/** Shows a chart, and says what of the records is not in it. */
export const show = Effect.fnUntraced(function* (input: Input, { chart, left, others, records }: Collected) {
  const { err, print, say, write } = yield* Screen
  const isJson = yield* GlobalFlags.Json
  if (chart !== undefined && input.output !== undefined) {
    const { height = 400, width = 800 } = input
    const picture = Stream.make(Svg.draw(chart, { width, height }) ?? "")
    const file = OutputFile.of(input.output)
    yield* file === undefined ? write(picture) : OutputFile.write(file, picture)
    if (file !== undefined && err.isTerminal && !isJson)
      yield* say(`${err.style.dim(`A chart of ${Amount.some(records, "record")}, in ${file}.`)}\n`)
  } else if (isJson) {
    yield* print(jsonOf(dataOf(chart)))
  } else if (chart !== undefined) {
    yield* print(Text.draw(chart, yield* lookOf(input)).join("\n"))
  }
  if (isJson) return
  const notes = [
    ...(chart === undefined ? [records === 0 ? "No records." : "No values to draw."] : []),
    ...(others === 0 ? [] : [`${Amount.some(others, "further series", "further series")} not drawn.`]),
    ...(left === 0 ? [] : [`${Amount.some(left, "value")} not above 0 left out, which --log has no place for.`])
  ]
  yield* say(notes.map((note) => `${err.style.dim(note)}\n`).join(""))
})

const variables = Config.all(["LC_ALL", "LC_CTYPE", "LANG", "TERM"].map((name) => Config.option(Config.String(name))))

/** Terminals whose fonts have no dots of Braille. */
const poor = ["dumb", "linux", "vt100", "vt220"]

/** Whether the output can show more letters than those of ASCII. Tells it by the first variable that names a locale, as programs of a shell do. Where none does, terminals of today have UTF-8. */
const hasUnicode: Effect.Effect<boolean> = Effect.map(Effect.orDie(variables), (found) => {
  const [all = "", ctype = "", lang = "", term = ""] = found.map((option) => Option.getOrElse(option, () => ""))
  const locale = [all, ctype, lang].find((text) => text !== "")
  return (locale === undefined || /utf-?8/i.test(locale)) && !poor.includes(term)
})

const lookOf = Effect.fnUntraced(function* ({ ascii, height = 16, width }: Input) {
  const { out } = yield* Screen
  const { style } = out
  const { blue, cyan, green, magenta, red, yellow } = style
  const look: Text.Look = {
    width: width ?? out.columns,
    height: Math.min(height, 1_000),
    isAscii: ascii || !(yield* hasUnicode),
    paints: style === Style.plain ? [] : [cyan, yellow, magenta, green, blue, red],
    up: green,
    down: red,
    bold: style.bold,
    dim: style.dim,
    widthOf: Style.widthOf
  }
  return look
})

const { iso } = Times

const rangeOf = ({ from, to }: Chart.Range) => ({ from: iso(from), to: iso(to) })

/** What would be drawn, for programs. */
const dataOf = (chart: Chart.Chart | undefined) => {
  const times = chart && Chart.timesOf(chart)
  if (chart === undefined || times === undefined) return { kind: "nothing", series: [] }
  const { title } = chart
  const range = rangeOf(times)
  if (chart._tag === "Lines") {
    const series = chart.lines.map(({ name, pieces }) => ({
      name,
      pieces: pieces.map((piece) => piece.map(({ at, value }) => ({ time: iso(at), value })))
    }))
    return { kind: "lines", title, ...range, series }
  }
  if (chart._tag === "Candles") {
    const series = chart.markets.map(({ candles, name }) => ({
      name,
      candles: candles.map(({ at, close, high, low, open }) => ({ time: iso(at), open, high, low, close }))
    }))
    return { kind: "candles", title, ...range, series }
  }
  return {
    kind: "coverage",
    title,
    ...range,
    series: chart.rows.map(({ name, ranges }) => ({ name, ranges: ranges.map(rangeOf) }))
  }
}
