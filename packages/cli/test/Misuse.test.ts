import { assert, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { codes } from "../src/program/ExitCode.ts"
import { services, sluice } from "./Process.ts"

const prices = ["get", "timeseries/asset-metrics", "--assets", "btc", "--metrics", "PriceUSD", "--limit", "2"]

/** A backfill of all of them, which lacks its place. */
const backfill = prices.with(0, "backfill").slice(0, -2)

const trades = ["tail", "timeseries-stream/market-trades", "--markets", "coinbase-btc-usd-spot"]

/** Invocations that are wrong, and what is said of each. */
const wrong: ReadonlyArray<readonly [args: ReadonlyArray<string>, sentence: RegExp, next: RegExp]> = [
  [["frobnicate"], /there is no command "frobnicate"/, /`sluice --help`/],
  [["dowload"], /did you mean "download"\?/, /`sluice --help`/],
  [
    ["catalog"],
    /there is no command "catalog"\.$/,
    /^`sluice metrics <asset>` and `sluice markets` list [^.]*`sluice endp/
  ],
  [["discover", "btc"], /there is no command "discover"\.$/, /^`sluice metrics <asset>` and `sluice markets` list/],
  [
    ["status"],
    /name a folder, a database and its --table, or a file with --all/,
    /^`sluice status --help` has examples\. `sluice backfill status`/
  ],
  [
    [...trades, "--columns", "nope", "--format", "csv"],
    /there is no column "nope"/,
    /^With --help the command lists its formats and their options\.$/
  ],
  [[...trades, "--start_time", "2026-01-01"], /there is no flag --start_time\.$/, /^`--since` takes such a time/],
  [[...trades, "--duration", "10s"], /there is no flag --duration\.$/, /^`--for 10s` stops/],
  [[...backfill, "--resume"], /there is no flag --resume\.$/, /^Leave it out: [^.]*\. `sluice backfill resume` /],
  [["get", "--assets", "btc"], /there is no flag --assets/, /Parameters such as --assets follow an endpoint/],
  [["get"], /the argument <endpoint> is missing/, /`sluice get --help`/],
  [["get", "timeseries/asset-metric"], /did you mean "timeseries\/asset-metrics"\?/, /`sluice endpoints`/],
  [
    ["get", "blockchain-v2/btc/blocks", "--limit", "1"],
    /: "blockchain-v2\/btc\/blocks" has names in it that are flags\.$/,
    /^Write `blockchain-v2\/\{asset\}\/blocks --asset btc` in its place\.$/
  ],
  [
    ["get", "/blockchain-v2/eth/transactions/0xAb"],
    /has names in it that are flags\.$/,
    /^Write `blockchain-v2\/\{asset\}\/transactions\/\{txid\} --asset eth --txid 0xAb` in its place\.$/
  ],
  [
    prices.with(6, "--frequency").with(7, "7d"),
    /invalid parameter "frequency": Value '7d' is not supported \(trace [^)]*\); known are 1b, 1s, [^.]*1d[^.]*\.$/,
    /^`sluice describe timeseries\/asset-metrics`/
  ],
  [
    ["get", "timeseries/market-candles", "--markets", "coinbase-btc-usd-spot", "--frequency", "7d"],
    /'7d' is not supported [^;]*; known are 1m, 5m, [^.]*1d\.$/,
    /^`sluice describe /
  ],
  [
    ["get", "/v4/timeseries/asset-metricz?assets=btc"],
    /no endpoint "\/v4\/timeseries\/asset-metricz"; did you mean "timeseries\/asset-metrics"\?$/,
    /`sluice endpoints`/
  ],
  [
    ["--limit", "1", ...prices],
    /there is no flag --limit\.$/,
    /^Flags of a command follow it: `sluice <command> --limit`/
  ],
  [["hlep", "get"], /there is no command "hlep"; did you mean "help"\?/, /`sluice --help`/],
  [["dowload", "--help"], /did you mean "download"\?/, /`sluice --help`/],
  [
    ["get", "https://api.example.com/v4/timeseries/asset-metricz?assets=btc"],
    /; did you mean "timeseries\/asset-metrics"\?$/,
    /`sluice endpoints`/
  ],
  [["describe", "asset_metrics"], /did you mean .*"timeseries\/asset-metrics"/, /`sluice endpoints`/],
  [["describe", "zebra"], /there is no endpoint "zebra"\./, /`sluice endpoints`/],
  [
    [...prices, "--asets", "eth"],
    /there is no flag --asets; did you mean "--assets"\?/,
    /`sluice get timeseries\/asset-metrics --help`/
  ],
  [
    [...prices, "--start", "2024-01-01"],
    /there is no flag --start; did you mean "--start_time"\?$/,
    /`sluice get timeseries\/asset-metrics --help`/
  ],
  [[...prices, "--end=2024-01-01"], /there is no flag --end; did you mean "--end_time"\?$/, /asset-metrics --help`/],
  [[...prices, "--freq", "1d"], /there is no flag --freq; did you mean "--frequency"\?$/, /asset-metrics --help`/],
  [
    [...prices, "--limit-per-market", "3"],
    /there is no flag --limit-per-market; did you mean "--limit_per_asset"\?$/,
    /asset-metrics --help`/
  ],
  [["verify", "--output", "d"], /there is no flag --output\.$/, /^Name the folder or the database without a flag: /],
  [
    [...prices.slice(0, 2), "-assets", "btc"],
    /there is no flag -a; a name of several letters follows two dashes, as in --assets\.$/,
    /`sluice get timeseries\/asset-metrics --help`/
  ],
  [[...prices, "--as", "csv"], /there is no flag --as; it is now --format\.$/, /asset-metrics --help`/],
  [
    [...prices.with(0, "download").slice(0, -2), "--to", "x", "--format", "csv"],
    /there is no flag --to; it is now --output\.$/,
    /`sluice download timeseries\/asset-metrics --help` lists its parameters/
  ],
  [
    ["get", "timeseries/protocol-metrics", "--frequency", "1d", "--format", "csv"],
    /protocol-metrics: columns need "metrics", because they are fixed before the first record\.$/,
    /^Add --metrics; `sluice get catalog-v2\/protocol-metrics` lists what there is\.$/
  ],
  [
    ["get", "timeseries/protocol-metrics", "--frequency", "1d", "--format", "table"],
    /columns need "metrics", because they are fixed/,
    /^Add --metrics; /
  ],
  [
    ["download", "timeseries/protocol-metrics", "--frequency", "1d", "--format", "parquet", "--output", "x"],
    /columns need "metrics", because they are fixed/,
    /^Add --metrics; /
  ],
  [
    prices.with(5, "Nosuch"),
    /invalid parameter "metrics": Value 'Nosuch' is not supported \(trace [^)]*\)\.$/,
    /^`sluice metrics <asset>` lists what there is\.$/
  ],
  [
    ["get", "timeseries/market-trades", "--markets", "nosuch-btc-usd-spot"],
    /invalid parameter "markets": Market 'nosuch-btc-usd-spot' is not supported/,
    /^`sluice markets --exchange <exchange>` lists what there is\.$/
  ],
  [
    ["get", "timeseries/exchange-metrics", "--exchanges", "coinbase", "--metrics", "Nosuch"],
    /invalid parameter "metrics"/,
    /^`sluice get catalog-v2\/exchange-metrics` lists what there is\.$/
  ],
  [
    [...prices, "--start_time", "2026-10-01T10:00"],
    /T00:00:00Z; add the seconds: 2026-10-01T10:00:00\.$/,
    /`sluice describe/
  ],
  [
    [...prices, "--start_time", "noon"],
    /: --start_time cannot be "noon": expected a time such as 2024-01-31, -30d, -6h, yesterday, today, tomorrow or now\.$/,
    /^Units are s, m, h, d, w, mo \(months\) and y; /
  ],
  [
    [...prices, "--start-time", "-1 week"],
    /: --start_time cannot be "-1 week": expected a time such as 2024-01-31, -30d/,
    /^Units are s, m, h, d, w, mo \(months\) and y; /
  ],
  [
    [...prices, "--start_time=-1d", "--timezone", "Asia/Tokyo"],
    /"-1d": expected a date or time, since the others are in UTC and --timezone is Asia\/Tokyo\.$/,
    /^Units/
  ],
  [[...prices, "--end-time", "-9999y"], /--end_time cannot be "-9999y": expected a time since the year 1\.$/, /^Units/],
  [
    ["tail", "timeseries-stream/market-trades", "--markets", "a", "--since", "noon"],
    /--since cannot be "noon": expected a time such as/,
    /^Units/
  ],
  [prices.with(3, "btc,,"), /: expected a value, got an empty item\.$/, /`sluice describe/],
  [
    [
      "download",
      "timeseries/defi-balance-sheets",
      "--defi_protocols",
      "*",
      "--split",
      "defi_protocols",
      "--output",
      "x"
    ],
    /has "\*", and no catalog lists/,
    /Name some, or split by time alone with `--every`\.$/
  ],
  [
    [...prices.with(0, "download").with(3, "nosuch*").slice(0, -2), "--split", "assets", "--output", "x"],
    /has "nosuch\*", which stands for nothing/,
    /^`sluice get reference-data\/assets` lists what there is\. Name some, or split by time alone with `--every`\.$/
  ],
  [
    [...prices, "--page_size", "many"],
    /--page_size cannot be "many": expected/,
    /`sluice get timeseries\/asset-metrics --help` lists its/
  ],
  [[...prices, "--page_size", "0"], /"page_size": Expected a value between 1 and 10000, got 0/, /`sluice describe/],
  [[...prices, "--paging_from", "middle"], /--paging_from cannot be "middle": expected "start" or "end"/, /--help/],
  [
    [...prices, "--start_time", "2024-13-01"],
    /"start_time": .*2024-13-01/,
    /`sluice describe timeseries\/asset-metrics`/
  ],
  [
    [...prices, "--format", "xml"],
    /--format cannot be "xml": expected "table" or "ndjson" or "csv" or "parquet" or "arrow"/,
    /`sluice get --help`/
  ],
  [
    [...prices.slice(0, -1), "0"],
    /--limit cannot be "0": expected a whole number from 1 up, or none\.$/,
    /`sluice get --help`/
  ],
  [
    [...prices, "--start_time", "2024-01-01", "--start_height", "3"],
    /: parameter "start_height" cannot be combined with "start_time"\.$/,
    /`sluice describe/
  ],
  [
    ["jobs", "start", "transactions", "--assets", "btc", "--txids", "a", "--accounts", "b"],
    /: there is no flag --accounts/,
    /^`sluice jobs start transactions --help` lists its parameters\.$/
  ],
  [["metrics", "bitcoin"], /Value 'bitcoin' is not/, /^`sluice get reference-data\/assets` lists what there is\.$/],
  [
    ["markets", "--exchange", "coinbasee"],
    /'coinbasee' is not/,
    /^`sluice get reference-data\/exchanges` lists what there is\.$/
  ],
  [["markets", "--type", "swap"], /'swap' is not/, /^The types are spot, future, option and bond\.$/],
  [[...prices, "--limit", "3"], /--limit is given more than once/, /`sluice get --help`/],
  [[...prices, "--columns", "nope", "--format", "csv"], /there is no column "nope"/, /formats/],
  [["get", "timeseries/asset-metrics", "--assets", "btc"], /: parameter "metrics" is required\.$/, /Add --metrics;/],
  [
    [...prices, "--root", "nowhere"],
    /^sluice: --root: "nowhere" is not an absolute URL\.$/,
    /--root: paid, community, or a URL/
  ],
  [
    [...prices, "--root", "localhost:8080/v4"],
    /--root: a root begins with http: or https:, not localhost:; did you mean "http:\/\/localhost:8080\/v4"\?$/,
    /--root: paid, community, or a URL/
  ],
  [[...backfill, "--into", "d", "--period", "week"], /--period/, /`sluice backfill timeseries\/asset-metrics --help`/],
  [[...backfill, "--start_time", "2024-01-01", "--into", "d"], /"end_time" is missing/, /^Add --end_time\.$/],
  ...["market.duckdb", "postgres://me@127.0.0.1:1/market"].map(
    (into) =>
      [
        [...prices.with(0, "sync").slice(0, -2), "--into", into, "--table", "market.prices"],
        /"table" has a point and would be one name/,
        /^Name another with --table, without a schema: /
      ] as const
  ),
  [
    [...backfill, "--into", "postgres://me@127.0.0.1:1/market", "--table", "market.prices"],
    /"table" has a point and would be one name/,
    /^Name another with --table, without a schema: /
  ],
  [
    [...prices.with(0, "download").slice(0, -2), "--output", "nowhere/prices.csv.gz"],
    /--output is the folder of a download, and "nowhere\/prices\.csv\.gz" is the name of a file\.$/,
    /^Write `--format csv --output nowhere\/prices` [^.]* folder, or `sluice get … --output nowhere\/prices\.csv\.gz` for one/
  ],
  [["download", "reference-data/assets"], /--output is required/, /`sluice download --help`/],
  [
    [...prices.with(0, "download").slice(0, -2), "--output", "x", "--every", "often"],
    /--every cannot be "often"/,
    /--help/
  ],
  [
    [...prices.with(0, "download").slice(0, -2), "--output", "x", "--split", "metrics"],
    /cannot be split: "metrics"/,
    /describe/
  ],
  [[...prices, "--root", "toString"], /"toString" is not an absolute URL/, /--root: paid, community, or a URL/],
  [[...prices, "--root", "__proto__"], /"__proto__" is not an absolute URL/, /--root: paid, community, or a URL/],
  // A key in the wrong place is not shown, and that of this invocation nowhere.
  [["get", "zebraKey1", "--api-key", "zebraKey1"], /there is no endpoint "<redacted>"/, /`sluice endpoints`/],
  [[...prices, "--every-zebraKey1", "--api-key=zebraKey1"], /there is no flag --every-<redacted>/, /--help/],
  [["get", "q7/Zx+8sdKLJ2349xcvB=="], /there is no endpoint "<redacted>"\.$/, /`sluice endpoints`/],
  [
    ["get", "ds/asset=btc/year=2026/btc-2026-01.parquet"],
    /no endpoint "ds\/asset=btc\/year=2026\/btc-2026-01.parquet"\.$/,
    /endpoints/
  ],
  [["get", "ds/asset=20a6/2026x3"], /there is no endpoint "<redacted>"\.$/, /`sluice endpoints`/],
  [["q7/Zx+8sdKLJ2349xcvB=="], /there is no command "<redacted>"\.$/, /--help/],
  [
    [...prices, "--root", "q7/Zx+8sdKLJ2349xcvB=="],
    /"<redacted>" is not an absolute URL/,
    /--root: paid, community, or a URL/
  ],
  [["get", "constructor"], /there is no endpoint "constructor"/, /`sluice endpoints`/],
  [[...prices, "--format", "csv", "--columns", "toString"], /there is no column "toString"/, /formats/],
  [["completions", "tcsh"], /<shell> cannot be "tcsh": expected "bash" or/, /`sluice completions --help`/]
]

/** Runs of four words that stand in both texts. */
const saidTwice = (first: string, second: string) => {
  const words = first.split(" ")
  const runs = words.map((_, at) => words.slice(at, at + 4)).filter(({ length }) => length === 4)
  return runs.map((run) => run.join(" ")).filter((run) => second.includes(run))
}

layer(services, { excludeTestServices: true })("a wrong invocation", (it) => {
  for (const [args, sentence, next] of wrong) {
    it.effect(`answers \`${args.join(" ")}\` with one sentence, a fix, and nothing on standard output`, () =>
      Effect.gen(function* () {
        const { code, stderr, stdout } = yield* sluice(args)
        const [first = "", second = "", ...more] = stderr.trimEnd().split("\n")
        assert.match(first, /^sluice: [^\n]*[.?]$/)
        assert.match(first, sentence)
        assert.match(second, next)
        assert.deepStrictEqual(saidTwice(first, second), [])
        assert.deepStrictEqual([code, stdout, more], [codes.usage, "", []])
      })
    )
  }
})
