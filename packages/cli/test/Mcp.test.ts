import { assert, describe, it, layer } from "@effect/vitest"
import * as Account from "@sluice/core/Account"
import { Sandbox } from "@sluice/sandbox"
import * as McpClient from "effect/ai/McpClient"
import * as McpProtocol from "effect/ai/McpProtocol"
import * as Effect from "effect/Effect"
import * as ChildProcess from "effect/process/ChildProcess"
import * as Redacted from "effect/Redacted"
import { execPath } from "node:process"
import * as Answer from "../src/commands/doctor/Answer.ts"
import { environment, key, program, services, sluice } from "./Process.ts"

/** What the tools answer, all of them together. */
interface Data {
  readonly items: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly records: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly truncated: boolean
  readonly note?: string
}

interface Result {
  readonly content: ReadonlyArray<{ readonly text: string }>
  readonly structuredContent: Data
  readonly isError?: boolean
  readonly tools: ReadonlyArray<{
    readonly name: string
    readonly annotations?: object
    readonly inputSchema?: { readonly additionalProperties?: boolean }
  }>
  readonly protocolVersion?: string
  readonly serverInfo?: { readonly name: string; readonly version: string }
}

interface Reply {
  readonly id: number
  readonly error?: { readonly code: number; readonly message: string }
  readonly result?: Result
}

const hello = (protocolVersion: string) => [
  {
    jsonrpc: "2.0",
    id: 0,
    method: "initialize",
    params: { protocolVersion, capabilities: {}, clientInfo: { name: "test", version: "1" } }
  },
  { jsonrpc: "2.0", method: "notifications/initialized" }
]

const call = (name: string, args: object = {}, id = 1) => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args }
})

const linesOf = (messages: ReadonlyArray<object>) => messages.map((message) => `${JSON.stringify(message)}\n`).join("")

/** Says all of this to the server, line by line, and gives its replies by their ids. */
const converse = Effect.fnUntraced(function* (stdin: string, env: Record<string, string> = {}) {
  const { code, stderr, stdout } = yield* sluice(["mcp"], env, { stdin })
  assert.strictEqual(code, 0, stderr)
  const replies = stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line): Reply => JSON.parse(line))
  return { of: (id: number) => replies.find((reply) => reply.id === id), stdout, stderr }
})

/** What a tool answers. */
const ask = Effect.fnUntraced(function* (name: string, args: object, env: Record<string, string> = {}) {
  const { of, stdout } = yield* converse(linesOf([...hello("2025-11-25"), call(name, args)]), env)
  assert.notInclude(stdout, key)
  const result = of(1)?.result
  if (result === undefined) return yield* Effect.die(new Error(`no result: ${stdout}`))
  const told: unknown = JSON.parse(result.content[0]?.text ?? "")
  return { isError: result.isError === true, told, data: result.structuredContent, length: stdout.length }
})

const prices = { endpoint: "timeseries/asset-metrics", params: { assets: ["btc"], metrics: "PriceUSD" } }

layer(services, { excludeTestServices: true })("mcp", (it) => {
  it.effect("speaks each revision of the protocol, and ends with its input", () =>
    Effect.gen(function* () {
      for (const revision of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"]) {
        const { of, stderr } = yield* converse(
          linesOf([...hello(revision), { jsonrpc: "2.0", id: 1, method: "tools/list" }])
        )
        assert.strictEqual(stderr, "")
        assert.deepInclude(of(0)?.result, {
          protocolVersion: revision,
          serverInfo: { name: "sluice", version: "0.1.0" }
        })
        const tools = of(1)?.result?.tools ?? []
        assert.deepStrictEqual(
          tools.map(({ name }) => name),
          ["discover", "describe", "get", "quota"]
        )
        if (revision === "2024-11-05") continue
        for (const { annotations } of tools) {
          assert.deepInclude(annotations, { readOnlyHint: true, destructiveHint: false })
        }
      }
    })
  )

  it.effect("answers a request of the revision that has no sessions", () =>
    Effect.gen(function* () {
      const _meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" }
      }
      const { params, ...rest } = call("get", { ...prices, limit: 1 })
      const { of } = yield* converse(linesOf([{ ...rest, params: { ...params, _meta } }]))
      assert.lengthOf(of(1)?.result?.structuredContent.records ?? [], 1)
    })
  )

  it.effect("has a conversation with a client in another process", () =>
    Effect.gen(function* () {
      const command = ChildProcess.make(execPath, [yield* program, "mcp"], { env: yield* environment, extendEnv: true })
      const protocol = McpProtocol.v2025_11_25
      yield* Effect.gen(function* () {
        const client = yield* McpClient.McpClient
        assert.deepInclude(client.serverInfo, { name: "sluice" })
        const tools = yield* client.listTools()
        const say = (name: string, args: Record<string, unknown>) => {
          const tool = tools.find((one) => one.name === name)
          return tool === undefined ? Effect.die(new Error(name)) : client.callTool({ tool, arguments: args })
        }
        const found = yield* say("discover", { words: "asset-metrics timeseries" })
        assert.include(JSON.stringify(found.structuredContent), '"path":"timeseries/asset-metrics"')
        const described = yield* say("describe", { endpoint: "timeseries/asset-metrics", names: ["btc"] })
        assert.include(JSON.stringify(described.structuredContent), '"metric":"PriceUSD"')
        const read = yield* say("get", { ...prices, limit: 2 })
        assert.match(JSON.stringify(read.structuredContent), /"PriceUSD":"\d+\.\d{10,}"/)
        const quota = yield* say("quota", {})
        assert.deepInclude(quota.structuredContent, { plan: "download", limit: 6_000, window_seconds: 20 })
        assert.notInclude(JSON.stringify([found, described, read, quota]), key)
      }).pipe(Effect.provide(McpClient.layerStdio({ name: "test", version: "1", command, protocol })))
    })
  )

  it.effect("finds endpoints, metrics and markets", () =>
    Effect.gen(function* () {
      const endpoints = (yield* ask("discover", { words: "Taxonomy assets" })).data.items
      assert.includeMembers(
        endpoints.map(({ path }) => path),
        ["taxonomy/assets"]
      )
      const metrics = (yield* ask("discover", { what: "metrics", asset: "btc", words: "PriceUSD 1d" })).data.items
      assert.deepInclude(metrics[0], { asset: "btc", unit: "USD" })
      assert.deepStrictEqual((yield* ask("discover", { asset: "btc", words: "PriceUSD 1d" })).data.items, metrics)
      const markets = (yield* ask("discover", { what: "markets", exchange: "coinbase", base: "btc" })).data.items
      assert.deepStrictEqual((yield* ask("discover", { exchange: "coinbase", base: "btc" })).data.items, markets)
      for (const market of markets) assert.deepInclude(market, { exchange: "coinbase", base: "btc" })
      assert.isNotEmpty(markets)
    })
  )

  it.effect("reads as many records as asked for, with times told from now, and says whether there are more", () =>
    Effect.gen(function* () {
      const { data } = yield* ask("get", { ...prices, limit: 3 })
      assert.deepStrictEqual([data.records.length, data.truncated], [3, true])
      const days = { start_time: "2024-01-01", end_time: "2024-01-02" }
      const all = yield* ask("get", { ...prices, params: { ...prices.params, ...days } })
      assert.deepStrictEqual([all.data.records.length, all.data.truncated], [2, false])
      const usual = yield* ask("get", prices)
      assert.deepStrictEqual([usual.data.records.length, usual.data.truncated], [100, true])
      assert.isFalse((yield* ask("get", { ...prices, params: { ...prices.params, start_time: "-1y" } })).isError)
      const limited = yield* ask("get", { endpoint: "catalog/markets", limit: 2 }, { SLUICE_DEPRECATED: "ignore" })
      assert.deepStrictEqual([limited.data.records.length, limited.data.truncated], [2, true])
    })
  )

  it.effect("refuses an argument that a tool does not have, and names those it has", () =>
    Effect.gen(function* () {
      const listed = yield* converse(linesOf([...hello("2025-11-25"), { jsonrpc: "2.0", id: 1, method: "tools/list" }]))
      for (const { inputSchema, name } of listed.of(1)?.result?.tools ?? []) {
        assert.strictEqual(inputSchema?.additionalProperties, false, name)
      }
      for (const [name, args, said] of [
        [
          "get",
          { ...prices, start_time: "2024-01-01" },
          "endpoint, params and limit; parameters of the endpoint go into p"
        ],
        [
          "describe",
          { endpoint: "timeseries/asset-metrics", name: ["btc"] },
          "those of describe are endpoint and names"
        ],
        ["discover", { word: "metrics" }, "what, words, asset, exchange, base, quote and type"]
      ] as const) {
        const { of } = yield* converse(linesOf([...hello("2025-11-25"), call(name, args)]))
        assert.include(JSON.stringify(of(1)), said)
        assert.isTrue(of(1)?.error !== undefined || of(1)?.result?.isError === true)
      }
    })
  )

  it.effect("says what there is where an answer has no records", () =>
    Effect.gen(function* () {
      const late = { ...prices, params: { ...prices.params, start_time: "2040-01-01" } }
      const { data, isError } = yield* ask("get", late)
      assert.isFalse(isError)
      assert.deepStrictEqual([data.records, data.truncated], [[], false])
      assert.match(data.note ?? "", /^btc, PriceUSD, 1d: from 2010-07-18 to 20\d\d-\d\d-\d\d$/)
      const wrong = yield* ask("get", { endpoint: "reference-data/markets", params: { base: "bct" } })
      assert.strictEqual(wrong.data.note, '--base bct: did you mean "btc"?')
      assert.isUndefined((yield* ask("get", { ...prices, limit: 1 })).data.note)
    })
  )

  it.effect("keeps answers small enough to be read, and says that something is left out", () =>
    Effect.gen(function* () {
      for (const [name, args] of [
        ["get", { endpoint: "reference-data/markets", limit: 1_000 }],
        ["get", { ...prices, limit: 1_000 }],
        ["discover", { what: "markets", exchange: "binance" }],
        ["describe", { endpoint: "timeseries/asset-metrics", names: ["btc", "eth", "ltc"] }]
      ] as const) {
        const { data, length } = yield* ask(name, args)
        assert.isTrue(data.truncated, name)
        assert.isBelow(length, 3 * Answer.mostCharacters)
      }
    })
  )

  it.effect("tells errors as the command line does: kind, name, sentence and what to do", () =>
    Effect.gen(function* () {
      const errors: ReadonlyArray<readonly [name: string, args: object, kind: string, tag: string, said: RegExp]> = [
        ["get", { endpoint: "timeseries/asset-metric" }, "usage", "UnknownEndpoint", /did you mean/],
        [
          "get",
          { ...prices, params: { assets: "btc", metrics: "PriceUDS" } },
          "usage",
          "InvalidRequest",
          /mean "PriceUSD"\?$/
        ],
        [
          "get",
          { ...prices, params: { ...prices.params, nosuch: 1 } },
          "usage",
          "InvalidRequest",
          /"nosuch" is not a p/
        ],
        [
          "get",
          { ...prices, params: { ...prices.params, start_time: "noon" } },
          "usage",
          "BadTime",
          /cannot be "noon"/
        ],
        ["get", { endpoint: "timeseries-stream/market-trades" }, "usage", "UnknownEndpoint", /is a live stream/],
        ["get", { endpoint: "blockchain-job/transactions" }, "usage", "UnknownEndpoint", /there is no endpoint/],
        ["describe", { endpoint: "zebra" }, "usage", "UnknownEndpoint", /zebra/],
        ["discover", { what: "metrics" }, "usage", "BadUse", /metrics are those of an asset/],
        ["discover", { what: "markets" }, "usage", "BadUse", /tens of thousands/]
      ]
      for (const [name, args, kind, tag, said] of errors) {
        const { isError, told } = yield* ask(name, args)
        assert.isTrue(isError)
        assert.deepInclude(told, { kind, tag })
        assert.match(String(Reflect.get(Object(told), "message")), said)
        assert.isString(Reflect.get(Object(told), "next"))
      }
    })
  )

  it.effect("starts without a key, describes what needs none, and says where to set one", () =>
    Effect.gen(function* () {
      const none = { SLUICE_BASE_URL: "paid", SLUICE_API_KEY: "" }
      assert.isFalse((yield* ask("describe", { endpoint: "timeseries/asset-metrics" }, none)).isError)
      const { isError, told } = yield* ask("get", prices, none)
      assert.isTrue(isError)
      assert.deepInclude(told, { kind: "key", tag: "Misconfigured" })
      const wrong = yield* ask("quota", {}, { SLUICE_API_KEY: "no-such-key" })
      assert.deepInclude(wrong.told, { kind: "key", tag: "Unauthorized" })
      assert.notInclude(JSON.stringify(wrong), "no-such-key")
    })
  )

  it.effect("has the key nowhere in an error, though a question has it", () =>
    Effect.gen(function* () {
      // `ask` looks for the key in all that is said.
      assert.include(JSON.stringify(yield* ask("get", { endpoint: `x${key}` })), "x<redacted>")
    })
  )

  it.effect("refuses what is no tool, no parameter and no message, and goes on", () =>
    Effect.gen(function* () {
      const stdin = linesOf([
        ...hello("2025-11-25"),
        call("start_job", {}, 1),
        call("get", { ...prices, limit: 1_001 }, 2),
        call("get", { endpoint: 7 }, 3),
        { jsonrpc: "2.0", id: 4, method: "no/such" },
        call("get", { ...prices, limit: 1 }, 5)
      ])
      const { of } = yield* converse(`this is no JSON\n${stdin}`)
      assert.isDefined(of(1)?.error ?? (of(1)?.result?.isError === true ? true : undefined))
      for (const id of [2, 3]) assert.isTrue(of(id)?.error !== undefined || of(id)?.result?.isError === true)
      assert.strictEqual(of(4)?.error?.code, -32_601)
      assert.lengthOf(of(5)?.result?.structuredContent.records ?? [], 1)
    })
  )
})

layer(services, { excludeTestServices: true })("mcp, against hostile input,", (it) => {
  it.effect("answers a message that is too deep or too long as invalid, and goes on", () =>
    Effect.gen(function* () {
      const deep = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${"[".repeat(10_000)}${"]".repeat(10_000)}}`
      const long = JSON.stringify({ jsonrpc: "2.0", id: 8, method: "x".repeat(5_000_000) })
      const list = { jsonrpc: "2.0", id: 1, method: "tools/list" }
      const { of, stdout } = yield* converse(`${linesOf(hello("2025-11-25"))}${deep}\n${long}\n${linesOf([list])}`)
      const refused = stdout.split("\n").filter((line) => line.includes("-32600"))
      assert.deepStrictEqual(
        refused.map((line) => JSON.parse(line)),
        ["nested deeper than 64 levels", "longer than 4,194,304 bytes"].map((what) => ({
          jsonrpc: "2.0",
          id: null,
          error: { code: -32_600, message: `Invalid Request: the message is ${what}` }
        }))
      )
      assert.isNotEmpty(of(1)?.result?.tools)
    })
  )

  it.effect("refuses a request whose id another has that is not answered, and answers all others", () =>
    Effect.gen(function* () {
      const first = call("get", { ...prices, limit: 1 }, 1)
      const stdin = linesOf([...hello("2025-11-25"), first, first, call("discover", { words: "trades" }, 2)])
      const { of, stdout } = yield* converse(stdin)
      assert.lengthOf(of(1)?.result?.structuredContent.records ?? [], 1)
      assert.isDefined(of(2)?.result)
      assert.include(stdout, `Invalid Request: the id \\"1\\" is that of a request that has no answer yet`)
    })
  )

  it.effect("tells of a record that is too deep for an answer as of an unexpected reply", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const { isError, told } = yield* ask("get", prices, { SLUICE_BASE_URL: faultUrl("deep=100000") })
      assert.isTrue(isError)
      assert.deepInclude(told, { kind: "reply", tag: "Decode" })
    })
  )
})

describe("an answer", () => {
  it.effect("has the key nowhere, also not escaped, and everything else as it came", () =>
    Effect.gen(function* () {
      const account = yield* Account.make({ root: "http://127.0.0.1/v4", apiKey: Redacted.make("s3cr3t/key") })
      const value = {
        a: ["s3cr3t/key", "x s3cr3t%2Fkey y", 1, null, true],
        "s3cr3t/key": { deep: "s3cr3t\\/key", kept: "\u202Eé\u001B[0m" },
        marked: "<redacted> s3cr3t/key",
        only: "<redacted>"
      }
      const clean = Answer.withoutKey(account, value)
      assert.notMatch(JSON.stringify(clean), /s3cr3t/)
      assert.deepStrictEqual(clean, {
        a: ["<redacted>", "x <redacted> y", 1, null, true],
        "<redacted>": { deep: "<redacted>", kept: "\u202Eé\u001B[0m" },
        marked: "<redacted> <redacted>",
        only: "<redacted>"
      })
    })
  )

  it.effect("has no key as a number either", () =>
    Effect.gen(function* () {
      const account = yield* Account.make({ root: "http://127.0.0.1/v4", apiKey: Redacted.make("123456789012") })
      assert.deepStrictEqual(Answer.withoutKey(account, { n: [123_456_789_012, -1.5, 123] }), {
        n: ["<redacted>", -1.5, 123]
      })
    })
  )

  it("is cut before the item that does not fit, and a first that does not fit is left out too", () => {
    assert.deepStrictEqual(Answer.cut(["aa", "bb", "cc"], 10), { items: ["aa", "bb"], isCut: true })
    assert.deepStrictEqual(Answer.cut(["aa", "bb", "cc"], 15), { items: ["aa", "bb", "cc"], isCut: false })
    assert.deepStrictEqual(Answer.cut(["a".repeat(20)], 10), { items: [], isCut: true })
  })
})
