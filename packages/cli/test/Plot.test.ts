import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import { stripVTControlCharacters } from "node:util"
import { codes } from "../src/program/ExitCode.ts"
import { folder, services, sluice } from "./Process.ts"

const prices =
  "timeseries/asset-metrics --assets btc,eth --metrics PriceUSD,TxCnt --start_time 2026-07-01 --end_time 2026-07-31"

const words = (text: string) => text.split(" ")

/** What a plot prints, which has to succeed and to say nothing else. */
const plot = Effect.fnUntraced(function* (
  args: string,
  env: Record<string, string> = {},
  place: Parameters<typeof sluice>[2] = {}
) {
  const { code, stderr, stdout } = yield* sluice(["plot", ...words(args)], env, place)
  assert.deepStrictEqual([code, stderr], [0, ""])
  return stdout.trimEnd().split("\n")
})

/** A point of a series, in January. */
const point = (day: number, value: number) => ({ time: `2026-01-0${day}T00:00:00.000Z`, value })

/** The lines without the first, which is the title. */
const body = (lines: ReadonlyArray<string>) => lines.slice(1).join("\n")

layer(services, { excludeTestServices: true })("plot", (it) => {
  it.effect("draws the same of the service, of each format that it wrote, and of a pipe", () =>
    Effect.gen(function* () {
      const place = { folder: yield* folder }
      const drawn = yield* plot(`${prices} --field PriceUSD --width 60 --height 6`)
      assert.strictEqual(drawn[0], "timeseries/asset-metrics  PriceUSD")
      assert.strictEqual(drawn[1], "  * btc   + eth")
      assert.match(drawn.at(-3) ?? "", /^ +└[─┬]{10,}$/)
      assert.match(drawn.at(-1) ?? "", /^ +2026-07-01 to 2026-07-31 UTC$/)
      assert.isAtMost(Math.max(...drawn.map(({ length }) => length)), 60)
      for (const file of ["p.csv", "p.parquet", "p.ndjson.gz"]) {
        assert.strictEqual((yield* sluice(["get", ...words(prices), "-o", file], {}, place)).code, 0)
        const read = yield* plot(`${file} --fields PriceUSD --width 60 --height 6`, {}, place)
        assert.deepStrictEqual([read[0], body(read)], [`${file}  PriceUSD`, body(drawn)])
      }
      const fs = yield* FileSystem.FileSystem
      const stdin = yield* fs.readFileString(`${place.folder}/p.csv`)
      for (const text of [stdin, stdin.replaceAll("\r\n", "\n")]) {
        const piped = yield* plot("- --columns PriceUSD --width 60 --height 6", {}, { stdin: text })
        assert.deepStrictEqual([piped[0], body(piped)], ["standard input  PriceUSD", body(drawn)])
      }
    })
  )

  it.effect(
    "draws a line of Braille for one series, with ASCII where there is no UTF-8, in colours on a terminal alone",
    () =>
      Effect.gen(function* () {
        const one = prices.replace("btc,eth", "btc").replace(",TxCnt", "")
        const plain = yield* plot(one)
        assert.strictEqual(plain[0], "timeseries/asset-metrics  btc  PriceUSD")
        assert.lengthOf(plain, 20)
        assert.match(body(plain), /[⠁-⣿]{3}/)
        for (const env of [{ LANG: "C" }, { LC_ALL: "en_US.ISO-8859-1", LANG: "de_DE.UTF-8" }, { TERM: "linux" }]) {
          assert.match((yield* plot(one, env)).join("\n"), /^[\n -~]+$/)
        }
        assert.match((yield* plot(`${one} --ascii`)).join("\n"), /^[\n -~]+$/)
        assert.deepStrictEqual(yield* plot(one, { LANG: "C.UTF-8" }), plain)
        const two = prices.replace(",TxCnt", "")
        const coloured = yield* plot(two, {}, { isTerminal: true })
        assert.include(coloured.join("\n"), "\u001b[36m")
        assert.include(coloured.map(stripVTControlCharacters)[1], "━━ btc   ━━ eth")
        assert.notInclude((yield* plot(two, { NO_COLOR: "1" }, { isTerminal: true })).join("\n"), "\u001b")
      })
  )

  it.effect("draws candles where there are prices of them, a field where one is named, and the price of trades", () =>
    Effect.gen(function* () {
      const candles =
        "timeseries/market-candles --markets coinbase-btc-usd-spot --frequency 1d --start_time 2026-08-01 --end_time 2026-08-31"
      const drawn = yield* plot(candles)
      assert.strictEqual(drawn[0], "timeseries/market-candles  coinbase-btc-usd-spot")
      assert.match(body(drawn), /█/)
      assert.match(body(drawn), /░/)
      assert.match(drawn.at(-1) ?? "", /2026-08-01 to 2026-09-01 UTC; a candle is 1 day$/)
      const field = yield* plot(`${candles} --field price_close`)
      assert.match(field[0] ?? "", /spot {2}price_close$/)
      const trades = yield* plot("timeseries/market-trades --markets coinbase-btc-usd-spot --limit 50")
      assert.match(trades[0] ?? "", /spot {2}price$/)
    })
  )

  it.effect("draws what a dataset covers, with holes, and its records without a request", () =>
    Effect.gen(function* () {
      const place = { folder: yield* folder }
      const begin =
        "sync timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --start_time 2026-06-01 --period month --format ndjson --output closes"
      assert.strictEqual((yield* sluice(words(begin), {}, place)).code, 0)
      const nobody = { SLUICE_BASE_URL: "http://127.0.0.1:1/v4" }
      const whole = yield* plot("closes --width 45", nobody, place)
      assert.strictEqual(whole[0], "closes  timeseries/asset-metrics")
      assert.deepStrictEqual(whole.slice(1, 3), [`btc │${"█".repeat(40)}`, `eth │${"█".repeat(40)}`])
      assert.match(whole.at(-1) ?? "", /2026-06-01 to 2026-11-01 UTC; no holes$/)
      const lines = yield* plot("closes --field PriceUSD --log --height 5", nobody, place)
      assert.deepStrictEqual([lines[0], lines[1]], ["closes  PriceUSD", "  * btc   + eth"])
      const same = yield* plot(
        "timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --start_time 2026-06-01 --from closes --offline --log --height 5",
        {},
        place
      )
      assert.strictEqual(body(same), body(lines))
      const table = "--into closes.duckdb --table closes"
      const into = begin.replace("--period month --format ndjson --output closes", table)
      assert.strictEqual((yield* sluice(words(into), {}, place)).code, 0)
      assert.strictEqual(body(yield* plot("closes.duckdb --table closes --width 45", nobody, place)), body(whole))
      const held = "closes.duckdb --table closes --field PriceUSD --log --height 5"
      assert.strictEqual(body(yield* plot(held, nobody, place)), body(lines))
      const fs = yield* FileSystem.FileSystem
      const [file = ""] = (yield* fs.readDirectory(`${place.folder}/closes`, { recursive: true })).filter((name) =>
        /asset=btc.*2026-08.*ndjson$/.test(name)
      )
      yield* fs.remove(`${place.folder}/closes/${file}`)
      const broken = yield* plot("closes --width 45", nobody, place)
      assert.match(broken[1] ?? "", /^btc │█{15}▒ {7}▒█{16}$/)
      assert.match(broken.at(-1) ?? "", /; 1 hole$/)
    })
  )

  it.effect("draws the times that a catalog lists, and takes no ids for names of series", () =>
    Effect.gen(function* () {
      const drawn = yield* plot("catalog-v2/asset-metrics --assets btc --metrics PriceUSD,TxCnt")
      assert.strictEqual(drawn[0], "catalog-v2/asset-metrics  btc")
      assert.match(drawn.join("\n"), /^PriceUSD 1d +│ +█+$/m)
      assert.match(drawn.join("\n"), /^TxCnt 1d +│█+$/m)
      const [blocks] = yield* plot("blockchain-v2/{asset}/blocks --asset btc --limit 10 --height 4")
      assert.strictEqual(blocks, "blockchain-v2/{asset}/blocks  height")
    })
  )

  it.effect("writes an SVG, whose texts are escaped, and tells what it draws as JSON", () =>
    Effect.gen(function* () {
      const place = { folder: yield* folder }
      const rows = ["<b>&\u0007", "x"].flatMap((asset) =>
        [1, null, 3, 4].map((value, day) => ({
          asset,
          time: `2026-01-0${day + 1}T00:00:00.000000000Z`,
          PriceUSD: value === null ? null : String(value)
        }))
      )
      const stdin = rows.map((row) => `${JSON.stringify(row)}\n`).join("")
      assert.deepStrictEqual(yield* plot("- -o chart.svg", {}, { ...place, stdin }), [""])
      const fs = yield* FileSystem.FileSystem
      const svg = yield* fs.readFileString(`${place.folder}/chart.svg`)
      assert.match(svg, /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="800" height="400"[^]*<\/svg>\n$/)
      assert.include(svg, "&lt;b&gt;&amp;")
      assert.notInclude(svg, "<b>")
      const text = yield* plot("-", {}, { stdin })
      assert.notInclude(text.join("\n"), "\u0007")
      const printed = yield* plot("- -o - --width 300 --height 200", {}, { stdin })
      assert.match(printed[0] ?? "", /width="300" height="200"/)
      const [json = ""] = yield* plot("- --json", {}, { stdin })
      const { from, kind, series, title } = JSON.parse(json)
      assert.deepStrictEqual([kind, title, from], ["lines", "standard input  PriceUSD", "2026-01-01T00:00:00.000Z"])
      assert.deepStrictEqual(series[1], { name: "x", pieces: [[point(1, 1)], [point(3, 3), point(4, 4)]] })
    })
  )

  it.effect("refuses what is no records, and has the width that COLUMNS says where there is no terminal", () =>
    Effect.gen(function* () {
      const prose = yield* sluice(words("plot -"), {}, { stdin: "hello\nworld\n" })
      assert.deepStrictEqual([prose.code, prose.stdout], [codes.usage, ""])
      assert.match(prose.stderr, /^sluice: standard input cannot be read: it is neither NDJSON nor CSV nor Parquet\.\n/)
      const { stdout } = yield* sluice(["plot", "--help"], { COLUMNS: "40" })
      const lines = stdout.split("\n")
      assert.isTrue(
        lines.every((line) => line.length <= 40 || /^ *(?:sluice|--|-o)/.test(line)),
        stdout
      )
    })
  )

  it.effect("says that there is nothing to draw, and leaves out what has no place, and succeeds", () =>
    Effect.gen(function* () {
      const none = yield* sluice(
        words("plot timeseries/asset-metrics --assets btc --metrics PriceUSD --start_time 2030-01-01")
      )
      assert.deepStrictEqual([none.code, none.stdout, none.stderr], [0, "", "No records.\n"])
      const nulls =
        '{"asset":"btc","time":"2026-01-01T00:00:00Z","PriceUSD":"1"}\n{"asset":"btc","time":"2026-01-02T00:00:00Z","PriceUSD":"-1"}\n'
      const log = yield* sluice(words("plot - --log"), {}, { stdin: nulls })
      assert.strictEqual(log.code, 0)
      assert.strictEqual(log.stderr, "1 value not above 0 left out, which --log has no place for.\n")
      const many = Array.from(
        { length: 20 },
        (_, index) => `{"asset":"a${index}","time":"2026-01-01","x":${index}}\n`
      ).join("")
      const greatest = yield* plot("- --log", {}, { stdin: '{"time":"2021-01-01T00:00:00.000000000Z","v":1.5e308}\n' })
      assert.match(body(greatest), /1\.5e308 ┤/)
      const { stderr } = yield* sluice(["plot", "-"], {}, { stdin: many })
      assert.strictEqual(stderr, "8 further series not drawn.\n")
      const empty = yield* sluice(words("plot - --json"), {}, { stdin: "" })
      assert.deepStrictEqual([empty.stdout, empty.stderr], ['{"kind":"nothing","series":[]}\n', ""])
    })
  )

  it.effect("names what can be drawn where a field cannot, and what is wrong with a place", () =>
    Effect.gen(function* () {
      const place = { folder: yield* folder }
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(
        `${place.folder}/p.csv`,
        "asset,time,PriceUSD,TxCnt\r\nbtc,2026-01-01T00:00:00Z,1,2\r\n"
      )
      yield* fs.writeFileString(`${place.folder}/p.arrow`, "ARROW1\0\0")
      yield* fs.writeFileString(`${place.folder}/p.ndjson`, "{\n")
      const metrics = "timeseries/asset-metrics --assets btc --metrics PriceUSD"
      const refused: ReadonlyArray<readonly [args: string, message: RegExp]> = [
        [
          "p.csv --field asset",
          /^sluice: the field "asset" has no numbers; those that can be drawn are PriceUSD, TxCnt\.\nWrite `--field PriceUSD`/
        ],
        ["p.csv --field nope", /the field "nope" does not exist; those that can be drawn are PriceUSD, TxCnt\./],
        [`${metrics} --field nope`, /there is no field "nope"; those that can be drawn are PriceUSD\./],
        ["reference-data/assets --limit 3", /the records have no time/],
        ["p.arrow", /p\.arrow cannot be read: it is Arrow; NDJSON, CSV and Parquet can be drawn/],
        ["p.ndjson", /p\.ndjson cannot be read: a line is not JSON/],
        ["nothing.csv", /neither an endpoint nor a file nor a folder "nothing\.csv"/],
        ["timeseries/asset-metric", /did you mean "timeseries\/asset-metrics"/],
        [".", /the folder "\." holds no dataset; name one of its files/],
        ["market.duckdb", /--table is missing/],
        ["p.csv --table x", /--table is of a database, and the source is none/],
        ["p.csv --from x", /--from needs an endpoint/],
        [`${metrics} --offline`, /--offline needs --from[^]*`sluice plot --help`/],
        [`${metrics} -o chart.png`, /--output "chart\.png": a chart is an SVG/]
      ]
      for (const [args, message] of refused) {
        const { code, stderr, stdout } = yield* sluice(["plot", ...words(args)], {}, place)
        assert.deepStrictEqual([code, stdout], [codes.usage, ""], `${args}\n${stderr}`)
        assert.match(stderr, message)
      }
    })
  )
})
