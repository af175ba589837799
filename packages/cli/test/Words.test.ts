import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestMode from "../../core/test/TestMode.ts"
import { codes } from "../src/program/ExitCode.ts"
import { inProcess } from "./Process.ts"

const words = `
  endpoints | describe | get | download | tail | Live.marketTrades | --since | 1h | --when-full=fail | quota | completions | help | bash | metrics | frobnicate |
  timeseries/asset-metrics | Taxonomy.assets | /catalog/markets | catalog | __proto__ | constructor |
  | --help | -h | --version | --json | --json=true | --json=maybe | -- | - | -x | --= | --no-json |
  --assets | --assets=btc | btc,eth | --metrics=PriceUSD | --metrics | * | , | --start-time |
  2024-01-01 | --limit | 5 | --limit=none | --limit=-1 | --format=csv | --format | xml |
  --columns=a,b | --query=a=b | --output=/proc/nowhere | --format=parquet | --as=csv | --to=x | --decimal=38,18 | --decimal=1 |
  --split | assets | --every=30d | --every=1month | --resume | --verify | --keep-going | --concurrency=0 | --size=all |
  --size=x | --no-end_inclusive | --pretty=1 | --root | nowhere | --root=x y | --api-key=zebra |
  sync | verify | --check | --on-removed=remove | --period=week | --look-back=7d | --no-by-entity | --rows=0 |
  --log | --ascii | --field=a | --width=0 | --height=3 | nothing.csv |
  --api_key | --config=/nowhere | --config | --retries=x
`
  .split("|")
  .map((word) => word.trim())

const prices = "timeseries/asset-metrics --assets=btc --metrics=PriceUSD"

/** Most words only make sense behind others. */
const beginnings = [
  "",
  "endpoints",
  "describe",
  `get ${prices}`,
  `plot ${prices}`,
  "plot",
  "get",
  `download ${prices} --output=/proc/nowhere`,
  "tail Live.marketTrades --markets=a",
  `sync ${prices} --output=/proc/nowhere`,
  "quota"
]

/** Nobody listens there, and nobody is asked twice. */
const env = { SLUICE_BASE_URL: "http://127.0.0.1:1/v4", SLUICE_API_KEY: "zebra", NO_COLOR: "1" }

describe("any words", () => {
  it.effect.prop(
    "are understood or answered with a sentence: no fault of the program, no key",
    { first: Schema.Literals(beginnings), args: Schema.Array(Schema.Literals(words)).check(Schema.isMaxLength(7)) },
    ({ args, first }) =>
      Effect.gen(function* () {
        // Before words such as `--`, behind which it would be none: the clock of the test stands still.
        const { code, stderr, stdout } = yield* inProcess([...first.split(" "), "--retries=0", ...args], env).run
        const said = stdout + stderr
        assert.include(Object.values({ done: 0, ...codes }), code)
        assert.notStrictEqual(code, codes.bug, said)
        assert.notInclude(said.replaceAll("--api-key=zebra", ""), "zebra")
      }),
    { arbitrary: { runs: TestMode.times(150, 1_500) } }
  )
})
