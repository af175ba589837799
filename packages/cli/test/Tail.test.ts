import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, layer } from "@effect/vitest"
import { Unavailable } from "@sluice/core/ApiError"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { until } from "../../node/test/Harness.ts"
import { proxyTo } from "../../node/test/ProxyServer.ts"
import { codes } from "../src/program/ExitCode.ts"
import * as LiveNotices from "../src/terminal/LiveNotices.ts"
import * as Style from "../src/terminal/Style.ts"
import { environment, folder, inProcess, key, shell, sluice } from "./Process.ts"

// Ten minutes a second: some trades of a market each.
const services = Layer.mergeAll(Sandbox.layer({ live: { speed: 600 } }), NodeServices.layer)

const trades = ["tail", "timeseries-stream/market-trades", "--markets", "coinbase-btc-usd-spot"]

const parsed = (text: string): ReadonlyArray<Record<string, unknown>> =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line))

const under = (fault: string) =>
  Effect.map(Sandbox.Sandbox, (sandbox) => ({ SLUICE_BASE_URL: sandbox.faultUrl(fault) }))

const warning = (type: string) => ({ _tag: "Warning" as const, type, message: "words" })

const data = (origin: "live" | "history" | "filled") => ({
  _tag: "Data" as const,
  record: {},
  origin,
  received: "2026-01-01T00:00:00.000000000Z"
})

const fetched = (url: string) =>
  Effect.promise(async () => {
    const reply = await fetch(url)
    return { status: reply.status, text: await reply.text() }
  })

const idOf = ({ coin_metrics_id }: Record<string, unknown>) => coin_metrics_id

/** What says that a connection is there. */
const connected = (connection: number) => ({ _tag: "Connected", connection }) as const

layer(services, { excludeTestServices: true })("tail", (it) => {
  it.effect("writes live records a line each, and ends after as many as it was asked for", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice([...trades, "--limit", "5"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      const records = parsed(stdout)
      assert.deepStrictEqual(
        records.map(({ market }) => market),
        Array.from({ length: 5 }, () => "coinbase-btc-usd-spot")
      )
      assert.strictEqual(new Set(records.map(idOf)).size, 5)
      assert.notInclude(stdout, key)
    })
  )

  it.effect("goes through the proxy that the environment names, as requests over HTTP do", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const proxy = yield* proxyTo(Number(new URL(url).port))
      const env = { SLUICE_BASE_URL: "http://api.behind.test/v4", HTTP_PROXY: `http://127.0.0.1:${proxy.port}` }
      const { code, stdout } = yield* sluice([...trades, "--limit", "1"], env)
      assert.strictEqual(code, 0)
      assert.lengthOf(parsed(stdout), 1)
      assert.deepStrictEqual([...new Set(proxy.tunnels.map(({ target }) => target))], ["api.behind.test:80"])
      assert.deepStrictEqual(proxy.requests, [])
    })
  )

  it.effect("begins with history, and goes on live without a hole and without a repeat", () =>
    Effect.gen(function* () {
      const { live } = yield* Sandbox.Sandbox
      const from = Date.parse(yield* live.now)
      const since = new Date(from - 1_800_000).toISOString()
      const { code, stdout } = yield* sluice([...trades, "--since", since, "--limit", "150"])
      assert.strictEqual(code, 0)
      const seen = parsed(stdout)
      const until = Date.parse(String(seen.at(-1)?.["time"])) + 1
      const sent = yield* live.series("/timeseries-stream/market-trades?markets=coinbase-btc-usd-spot", {
        after: Date.parse(since) - 1,
        until
      })
      const expected = sent.map((line) => idOf(JSON.parse(line)))
      assert.deepStrictEqual(seen.map(idOf), expected.slice(0, 150))
    })
  )

  it.effect("ends after a time with what came until then", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* sluice([...trades, "--for", "2s", "--format", "csv"])
      assert.deepStrictEqual([code, stderr], [0, ""])
      assert.match(stdout, /^market,time,.*\r\n(?:coinbase-btc-usd-spot,.*\r\n)+$/)
    })
  )

  it.effect("says on standard error that a connection was lost, and fills the hole", () =>
    Effect.gen(function* () {
      const env = yield* under("live-drop=3;times=2")
      const plain = yield* sluice([...trades, "--limit", "12"], env)
      assert.strictEqual(plain.code, 0)
      assert.match(
        plain.stderr,
        /^warning: the connection is lost: \/timeseries-stream\/market-trades: unavailable \(stream\): /m
      )
      assert.match(plain.stderr, /^Connected again\.$/m)
      assert.strictEqual(new Set(parsed(plain.stdout).map(idOf)).size, 12)
      const other = yield* under("live-drop=3;times=2;id=second")
      const asData = yield* sluice([...trades, "--limit", "12", "--json"], other)
      const kinds = parsed(asData.stderr).flatMap((line) => Object.keys(line))
      assert.includeMembers(kinds, ["connected", "disconnected", "summary"])
      assert.notInclude(asData.stderr + plain.stderr, key)
    })
  )

  it.effect("warns of a hole that cannot be filled, and says from when to when", () =>
    Effect.gen(function* () {
      const quotes = ["tail", "Live.pairQuotes", "--pairs", "btc-usd", "--limit", "20", "--json"]
      const { code, stderr } = yield* sluice(quotes, yield* under("live-drop=3;times=1"))
      assert.strictEqual(code, 0)
      const [gap] = parsed(stderr).flatMap((line) => (line["gap"] === undefined ? [] : [line["gap"]]))
      assert.hasAllKeys(gap, ["entity", "from", "reason", "to", "unit"])
    })
  )

  it.effect("writes messages with the origin of each record and what happens between them", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice([...trades, "--format", "messages", "--limit", "2"])
      const [connected, ...rest] = parsed(stdout)
      assert.deepStrictEqual(connected, { _tag: "Connected", connection: 1 })
      assert.deepStrictEqual(
        rest.map(({ _tag, origin }) => [_tag, origin]),
        [
          ["Data", "live"],
          ["Data", "live"]
        ]
      )
    })
  )

  it.effect("writes a table on a terminal, each record as it comes", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* sluice(
        [...trades, "--limit", "3", "--columns", "time,price,amount"],
        { NO_COLOR: "1" },
        { isTerminal: true }
      )
      const lines = stdout.trimEnd().split("\n")
      assert.deepStrictEqual([code, lines.length], [0, 4])
      assert.match(lines[0] ?? "", /^time +price +amount$/)
    })
  )

  it.effect("writes CSV", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice([...trades, "--limit", "2", "--format", "csv", "--columns", "market,price"])
      assert.match(stdout, /^market,price\r\ncoinbase-btc-usd-spot,[\d.]+\r\ncoinbase-btc-usd-spot,[\d.]+\r\n$/)
    })
  )

  it.effect("closes its connection when it is interrupted", () =>
    Effect.gen(function* () {
      const { stats } = yield* Sandbox.Sandbox
      // The service hears a moment later that those of other tests are closed.
      yield* until(stats, ({ connections }) => connections === 0)
      const { outputs, run } = inProcess(trades, yield* environment)
      const fiber = yield* Effect.forkChild(run)
      yield* until(Effect.sync(outputs.stdout), (text) => text.includes("\n"))
      assert.strictEqual((yield* stats).connections, 1)
      yield* Fiber.interrupt(fiber)
      yield* until(stats, ({ connections }) => connections === 0)
    })
  )

  it.effect("says at its end what happened to the connection, on a terminal and elsewhere", () =>
    Effect.gen(function* () {
      for (const isErrTerminal of [true, false]) {
        const env = { ...(yield* environment), ...(yield* under(`live-drop=3;times=1;id=end-${isErrTerminal}`)) }
        const { outputs, run } = inProcess(trades, env, { isErrTerminal })
        const fiber = yield* Effect.forkChild(run)
        yield* until(Effect.sync(outputs.stderr), (text) => text.includes("Connected again."))
        yield* until(Effect.sync(outputs.stdout), (text) => text.split("\n").length > 6)
        yield* Fiber.interrupt(fiber)
        assert.match(outputs.stderr(), /2 connections[^\n]*\.[^\n]*\n$/, String(isErrTerminal))
      }
    })
  )

  it.effect("ends with success when the reader closes the pipe", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* shell(`sluice ${trades.join(" ")} | head -2`, yield* folder)
      assert.deepStrictEqual([code, stderr, stdout.split("\n").length], [0, "", 3])
    })
  )

  it.effect("refuses what cannot be followed, before it connects", () =>
    Effect.gen(function* () {
      const wrong = yield* sluice(["get", "timeseries-stream/market-trades", "--markets", "a"])
      assert.strictEqual(wrong.code, codes.usage)
      assert.include(wrong.stderr, "`sluice tail timeseries-stream/market-trades` follows it.")
      const listed = yield* sluice(["tail", "timeseries/market-trades", "--markets", "a"])
      assert.strictEqual(listed.code, codes.usage)
      assert.include(listed.stderr, 'did you mean "timeseries-stream/market-trades"')
      const since = yield* sluice([...trades, "--since", "some day"])
      assert.strictEqual(since.code, codes.usage)
      assert.include(since.stderr, "--since cannot be")
      for (const late of ["tomorrow", "2140-01-01", "2140-01-01T10:00:00Z"]) {
        const ran = yield* sluice([...trades, "--since", late])
        assert.strictEqual(ran.code, codes.usage, late)
        assert.match(ran.stderr, /^sluice: --since cannot be "[^"]+": expected a time before now, which is 20\S+Z\.\n$/)
      }
      const none = yield* sluice(["tail", "Live.pairQuotes", "--pairs", "btc-usd", "--since", "2026-10-01"])
      assert.strictEqual(none.code, codes.usage)
      assert.include(none.stderr, "no HTTP operation has this series")
      const nobody = yield* sluice([...trades, "--api-key", "nobody"])
      assert.strictEqual(nobody.code, codes.key)
      assert.notInclude(nobody.stderr, "nobody")
    })
  )

  it.effect("is listed, described and completed with the live operations", () =>
    Effect.gen(function* () {
      const { stdout } = yield* sluice(["endpoints", "--json"])
      const live = (JSON.parse(stdout) as ReadonlyArray<Record<string, unknown>>).filter((row) => row["live"] === true)
      assert.strictEqual(live.length, 11)
      const described = yield* sluice(["describe", "timeseries-stream/market-trades"])
      assert.include(described.stdout, "WebSocket /timeseries-stream/market-trades")
      assert.include(described.stdout, "/timeseries/market-trades, with `--since`")
      assert.include(described.stdout, "sluice tail timeseries-stream/market-trades --markets coinbase-btc-usd-spot")
      const help = yield* sluice(["tail", "Live.marketCandles", "--help"])
      assert.include(help.stdout, "--frequency")
    })
  )
})

layer(services, { excludeTestServices: true })("a sync that goes on", (it) => {
  it.effect("is current first, and is stopped with what is whole", () =>
    Effect.gen(function* () {
      const { live } = yield* Sandbox.Sandbox
      const to = `${yield* folder}/trades`
      const start = new Date(Date.parse(yield* live.now) - 600_000).toISOString()
      const series = ["timeseries/market-trades", "--markets", "coinbase-btc-usd-spot", "--start_time", start]
      const words = ["sync", ...series, "--output", to, "--watch", "--interval", "1s", "--listen", "0"]
      const watching = inProcess(words, yield* environment)
      const fiber = yield* Effect.forkScoped(watching.run)
      yield* until(Effect.sync(watching.outputs.stderr), (text) => text.endsWith("; Ctrl-C ends it.\n"))
      const [, root = "", port = ""] = /on (http:\/\/127\.0\.0\.1:(\d+))\n/.exec(watching.outputs.stderr()) ?? []
      const health = yield* until(fetched(`${root}/health`), ({ text }) => text.includes('"connected":true'))
      assert.strictEqual(health.status, 200)
      const { changed, current, ...rest } = JSON.parse(health.text)
      assert.deepStrictEqual(rest, { status: "ok", dataset: to, connected: true, failure: null })
      for (const time of [changed, current]) assert.closeTo(Date.parse(time), Date.now(), 60_000)
      const metrics = (yield* fetched(`${root}/metrics`)).text
      assert.match(metrics, /^sluice_records_total\{[^}]*\} \d+$/m)
      for (const [name, value] of [
        ["current_seconds", /\d{10}/],
        ["changed_seconds", /\d{10}/],
        ["records_total", /[1-9]/],
        ["connected", /1$/]
      ] as const) {
        const line = metrics.split("\n").find((line) => line.startsWith(`sluice_dataset_${name}{dataset="${to}"}`))
        assert.match(line ?? "", value, name)
      }
      const taken = yield* sluice(["sync", "--output", to, "--watch", "--listen", port])
      assert.strictEqual(taken.code, codes.usage)
      assert.match(taken.stderr, /--listen: .*EADDRINUSE/)
      yield* Fiber.interrupt(fiber)
      assert.match(watching.outputs.stderr(), /Stopped: what is whole is kept in [^\n]*\n$/)
      assert.strictEqual((yield* sluice(["verify", to])).code, 0)
      for (const [flag, reason] of [
        [["--watch", "--check"], /exclude each other/],
        [["--interval", "5m"], /needs --watch/],
        [["--listen", "9464"], /needs --watch/],
        [["--watch", "--listen", "70000"], /expected a port such as 9464/i]
      ] as const) {
        const { code, stderr } = yield* sluice(["sync", "--output", to, ...flag])
        assert.strictEqual(code, codes.usage)
        assert.match(stderr, reason)
      }
    })
  )
})

layer(services, { excludeTestServices: true })("notices of tail", (it) => {
  it.effect("count history and what was filled, and name gaps and dropped records", () =>
    Effect.sync(() => {
      const { see, summary } = LiveNotices.make()
      const error = new Unavailable({ endpoint: "/e", phase: "body", attempts: 1, reason: "gone", transient: true })
      const said = [
        ...see([data("history"), data("history"), { _tag: "Connected", connection: 1 }, data("live")]),
        ...see([
          { _tag: "Disconnected", error },
          { _tag: "Connected", connection: 2 }
        ]),
        ...see([data("filled"), data("live"), { _tag: "Dropped", count: 3 }]),
        ...see([
          {
            _tag: "Gap",
            entity: "btc",
            metrics: ["a"],
            unit: "time",
            from: "1",
            to: "2",
            reason: "lagging",
            error: undefined
          }
        ]),
        ...summary()
      ].map((notice) => LiveNotices.lineOf(notice, Style.plain))
      assert.deepStrictEqual(said, [
        "2 records of history; live from here.\n",
        "Connected; Ctrl-C ends it.\n",
        `warning: the connection is lost: ${error.message}\n`,
        "Connected again.\n",
        "warning: 3 records dropped: the output is slower than the service\n",
        "warning: btc (a): records may be missing after time 1 and before 2: the HTTP side did not catch up in time\n",
        "2 connections, 1 record filled over HTTP, 1 gap, 3 records dropped.\n"
      ])
    })
  )

  it.effect("tell warnings of the service from those of the library", () =>
    Effect.sync(() => {
      const said = LiveNotices.make().see([warning("falling_behind"), warning("sequence_jump")])
      assert.deepStrictEqual(
        said.map(({ text }) => text),
        ["the service says: falling_behind: words", "sequence_jump: words"]
      )
    })
  )

  it.effect("say that there is no history where it was asked for, once and not else", () =>
    Effect.sync(() => {
      const said = (notices: LiveNotices.Notices) =>
        [...notices.see([connected(1), data("live"), connected(2)]), ...notices.see([data("live")])].map(
          (notice) => notice.data
        )
      const connections = [{ connected: { connection: 1 } }, { connected: { connection: 2 } }]
      assert.deepStrictEqual(said(LiveNotices.make(true)), [{ history: { records: 0 } }, ...connections])
      assert.deepStrictEqual(said(LiveNotices.make()), connections)
      const some = LiveNotices.make(true).see([data("history"), connected(1)])
      assert.deepStrictEqual(
        some.map(({ text }) => text),
        ["1 record of history; live from here.", "Connected; Ctrl-C ends it."]
      )
    })
  )
})
