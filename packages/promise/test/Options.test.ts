// What a program in JavaScript may give: no compiler has looked at it.
import { assert, describe, it } from "@effect/vitest"
import { Misconfigured } from "@sluice/core/ApiError"
import { NodeClient, NodeLive } from "@sluice/node"
import * as Sluice from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { days, folder, open, rejected } from "./Harness.ts"

// Type boundary: what the compiler refuses is what is tested.
const unchecked = (value: unknown) => value as never

const told = (error: unknown) => {
  assert.instanceOf(error, Misconfigured)
  return `${error.setting}: ${error.reason}`.replace(/; the options are root, .*, onDisorder.*/, "; the options are …")
}

const failureOf = <A, E>(layer: Layer.Layer<A, E>) => Effect.flip(Effect.scoped(Layer.build(layer)))

const secret = "zebra-key-0123456789"

const ofClients: ReadonlyArray<readonly [object, string]> = [
  [{ apikey: secret }, 'apikey: is not an option; did you mean "apiKey"?'],
  [{ api_key: secret }, 'api_key: is not an option; did you mean "apiKey"?'],
  [{ retries: -1 }, "retries: is not an option; the options are …"],
  [{ proxy: "http://user:zebra@proxy:3128" }, "proxy: must be an object"],
  [{ proxy: { htpps: "http://proxy:3128" } }, 'proxy.htpps: is not an option; did you mean "https"?'],
  [{ idle: "soon" }, 'idle: must be a length of time such as "30 seconds", or a number of milliseconds'],
  [{ limits: { maxPageBytes: "8 MB" } }, 'limits.maxPageBytes: must be a number, got "8 MB"'],
  [{ gzip: "no" }, 'gzip: must be true or false, got "no"'],
  [{ onDisorder: "stop" }, 'onDisorder: must be "warn", "fail" or "ignore", got "stop"'],
  [{ root: 4 }, "root: must be a URL, or Root.paid or Root.community, got 4"]
]

const ofOpen: ReadonlyArray<readonly [unknown, string]> = [
  ...ofClients,
  [{ retry: { times: -1 } }, "retry.times: must be a number from 0 up, got -1"],
  [{ retry: { time: 2 } }, 'retry.time: is not an option; did you mean "times"?'],
  [{ apiKey: 5 }, "apiKey: must be text, or a Redacted of it, got 5"],
  [{ log: "console" }, "log: must be a function"],
  [{ live: { whenfull: "fail" } }, 'live.whenfull: is not an option; did you mean "whenFull"?'],
  [{ ...Sandbox.memory(), live: { silense: "1 second" } }, 'live.silense: is not an option; did you mean "silence"?'],
  [secret, "options: must be an object"]
]

describe("options that no compiler has checked", () => {
  it("are refused by Sluice.open, and the key of the environment is not used in their place", async () => {
    for (const [options, expected] of ofOpen) {
      assert.strictEqual(told(await rejected(open(unchecked(options)))), expected)
    }
  })

  it.effect("are refused by the layers of Node.js", () =>
    Effect.gen(function* () {
      const layers: ReadonlyArray<(options: never) => Effect.Effect<unknown, unknown>> = [
        (options) => failureOf(NodeClient.layer(options)),
        (options) => failureOf(NodeClient.layerConfig(options)),
        (options) => failureOf(NodeClient.layerHttp(options)),
        (options) => failureOf(NodeLive.layer(options))
      ]
      for (const layer of layers) {
        for (const [options, expected] of ofClients)
          assert.strictEqual(told(yield* layer(unchecked(options))), expected)
      }
      const live = unchecked({ root: "http://localhost/v4", live: { whenfull: "fail" } })
      const expected = 'whenfull: is not an option; did you mean "whenFull"?'
      assert.strictEqual(told(yield* failureOf(NodeLive.layer(live))), expected)
    })
  )

  it("are refused by calls, splits and downloads, and nothing is sent or written", async () => {
    await using sluice = await open(Sandbox.memory())
    const to = `${await folder()}/new`
    const prices = sluice.timeseries.assetMetrics(days)
    const { toArray } = sluice.timeseries.assetMetrics(days, unchecked({ checkend: true }))
    const cases: ReadonlyArray<readonly [() => Promise<unknown>, string]> = [
      [() => toArray(), 'checkend: is not an option; did you mean "checkEnd"?'],
      [
        () => sluice.timeseries.assetMetrics(days, unchecked({ signal: 5 })).toArray(),
        "signal: must be an AbortSignal"
      ],
      [
        () => prices.split(unchecked({ by: "assets", concurency: 2 })).toArray(),
        'concurency: is not an option; did you mean "concurrency"?'
      ],
      [
        () => prices.split(unchecked({ by: "assets", order: "time" })).toArray(),
        'order: must be "arrival" or "parts", got "time"'
      ],
      [
        () => prices.download(unchecked({ to, format: { as: "csv" }, concurency: 1 })),
        'concurency: is not an option; did you mean "concurrency"?'
      ],
      [
        () => prices.download(unchecked({ to: "", format: { as: "csv" } })),
        'to: must be the path of a folder, and "." is this one'
      ],
      [
        () => prices.download(unchecked({ to, format: { as: "csv" }, onEvent: 1 })),
        "onEvent: must be a function, got 1"
      ],
      [() => prices.download(unchecked(undefined)), "to: is required"]
    ]
    for (const [call, expected] of cases) assert.strictEqual(told(await rejected(call())), expected)
    for (const format of [{ as: "xlsx" }, "csv", undefined, { as: "csv", compression: "brotli" }]) {
      assert.instanceOf(await rejected(prices.download(unchecked({ to, format }))), Sluice.BadFormat)
    }
    assert.strictEqual((await sluice.quota()).sent, 0)
  })

  it("are refused where something else than a stream or an effect is given", async () => {
    await using sluice = await Sluice.Sluice.open(Sandbox.memory())
    const given = [
      5,
      undefined,
      Promise.resolve(5),
      sluice.timeseries.marketTrades({ markets: "coinbase-btc-usd-spot" })
    ]
    for (const one of given) {
      assert.match(told(await rejected(sluice.run(unchecked(one)))), /^run: must be an effect, not a promise/)
      assert.match(told(await rejected(sluice.read(unchecked(one)).toArray())), /^read: must be a stream, such as/)
    }
    const { discover } = sluice
    assert.match(String(await rejected(discover.markets(unchecked({ exchanges: "x" })))), /did you mean "exchange"/)
    assert.match(String(await rejected(discover.metrics(unchecked(undefined)))), /assets/)
  })
})
