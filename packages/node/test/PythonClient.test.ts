/**
 * The members of the Python client that `pnpm reference` lists: each call has the path that the method of the Python client
 * asks for, and gives the same rows. The requests of that client are written here from its sources, over plain fetch and a
 * plain socket, without a look at core.
 */
import * as fs from "node:fs"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Core from "@sluice/core"
import { BlockchainV2, type Endpoint, Endpoints, Retry } from "@sluice/core"
import * as Node from "@sluice/node"
import { NodeLive } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as PythonClient from "./python/Methods.ts"
import { assertSame } from "../../core/test/Same.ts"
import * as TestMode from "../../core/test/TestMode.ts"
import * as PythonMembers from "../../../scripts/reference/Python.ts"
import * as ExampleParams from "./ExampleParams.ts"
import { settings, withClient } from "./Harness.ts"

type Value = string | number | boolean | ReadonlyArray<string>
type Given = Readonly<Record<string, Value>>

/** Text of a value as the Python client writes it: lists with commas, booleans in small letters. */
const textOf = (value: Value) => (Array.isArray(value) ? value.join(",") : String(value))

/** The address that it asks for. A parameter that stands in the path is in the query, too. */
const addressOf = (root: string, { path, sends }: PythonClient.Method, given: Given) => {
  const query = new URLSearchParams(sends.map(([name, value]) => [name, value]))
  for (const [name, value] of Object.entries(given)) query.set(name, textOf(value))
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => textOf(given[name] ?? ""))
  return `${root}${filled}?api_key=demo-key&${query}`
}

const Reply = Schema.Struct({
  data: Schema.optionalKey(Schema.Array(Schema.Unknown)),
  next_page_token: Schema.optionalKey(Schema.String)
})

const get = (address: string) =>
  Effect.promise(async () => {
    const response = await fetch(address)
    const text = await response.text()
    assert.strictEqual(response.status, 200, `${address}: ${text.slice(0, 300)}`)
    return text
  })

/** The pages that its collections go through: the lines of one reply, pages by their tokens, or the one object of a reply. */
const pythonPages = Effect.fnUntraced(function* (root: string, method: PythonClient.Method, given: Given) {
  const lines = method.sends.some(([name, value]) => name === "format" && value === "json_stream")
  const address = addressOf(root, method, given)
  if (lines) {
    const text = yield* get(address)
    return [text.split("\n").flatMap((line): ReadonlyArray<unknown> => (line === "" ? [] : [JSON.parse(line)]))]
  }
  const pages: Array<ReadonlyArray<unknown>> = []
  let token: string | undefined
  do {
    const body: unknown = JSON.parse(yield* get(token === undefined ? address : `${address}&next_page_token=${token}`))
    const { data, next_page_token } = yield* Schema.decodeUnknownEffect(Reply)(body)
    pages.push(data ?? [body])
    token = next_page_token === undefined ? undefined : encodeURIComponent(next_page_token)
  } while (token !== undefined)
  return pages
})

/** What a path is read with. `include` is a parameter that the Python client does not have. */
const givenTo = (endpoint: Endpoint.Info): Given => {
  const { include: _, ...given }: Record<string, Value> = ExampleParams.of(endpoint)
  return { ...given, ...ExampleParams.fewOf(endpoint), ...fewer[endpoint.path] }
}

/** Where the example would compute much: candles of a day are made of all its minutes. */
const fewer: Readonly<Record<string, Given>> = {
  "/timeseries/market-candles": { frequency: "1h", start_time: "2024-03-01", end_time: "2024-03-06" },
  "/timeseries/pair-candles": { end_time: "2024-03-01T12:00:00" },
  "/blockchain-v2/{asset}/balance-updates": { end_time: "2024-03-01T09:40:00" }
}

const lists = new Map(Endpoints.entries.map(({ endpoint, name, section }) => [`${section}.${name}`, endpoint]))
const singles = new Map(Endpoints.singleEntries.map(({ endpoint, name, section }) => [`${section}.${name}`, endpoint]))

const lives = new Map(Endpoints.liveEntries.map(({ endpoint, name, section }) => [`${section}.${name}`, endpoint]))

/** The path of each of our calls, by its name in the tables. */
const paths: ReadonlyMap<string, string> = new Map(
  [...Endpoints.entries, ...Endpoints.singleEntries, ...Endpoints.liveEntries, ...Endpoints.jobEntries].map(
    ({ endpoint, name, section }) => [`${section}.${name}`, endpoint.path]
  )
)

/** A series that the Python client reads as the service pages it by itself: the last page first, each page ascending. */
const isFromTheEnd = (method: PythonClient.Method) =>
  lists.get(method.ours)?.order === "series" && !method.sends.some(([name]) => name === "paging_from")

layer(Sandbox.layer())("a method of the Python client", (it) => {
  // A quarter of them; in a long run all.
  for (const method of TestMode.eachNth(PythonClient.methods, 4)) {
    const list = lists.get(method.ours)
    if (list === undefined) continue
    it.effect(`${method.name} gives the rows of ${method.ours}`, () =>
      Effect.gen(function* () {
        const { url } = yield* Sandbox.Sandbox
        const given = givenTo(list)
        const pages = yield* pythonPages(url, method, given)
        const rows = (isFromTheEnd(method) ? pages.toReversed() : pages).flat()
        assert.isNotEmpty(rows)
        // Type boundary: the example has what the endpoint requires.
        const records = yield* withClient(Stream.runCollect(list(given as never)))
        assertSame(records, rows)
      })
    )
  }

  for (const method of PythonClient.methods) {
    const single = singles.get(method.ours)
    if (single === undefined) continue
    it.effect(`${method.name} gives the record of ${method.ours}`, () =>
      Effect.gen(function* () {
        const { url } = yield* Sandbox.Sandbox
        const some = BlockchainV2.transactions({ asset: "eth", start_time: "2024-03-01T09:30:00", page_size: 1 })
        const [{ block_hash = "", txid = "" } = {}] = yield* withClient(Stream.runCollect(Stream.take(some, 1)))
        const all: Given = { asset: "eth", block_hash: block_hash ?? "", txid }
        const given = Object.fromEntries(Object.entries(all).filter(([name]) => single.parameters.has(name)))
        // Type boundary: the parameters of the path are all that it requires.
        assertSame([[yield* withClient(single(given as never))]], yield* pythonPages(url, method, given))
      })
    )
  }
})

/** What a live stream is asked for: two entities of each. */
const followed: Readonly<Record<string, Given>> = {
  "/timeseries-stream/asset-metrics": { assets: ["btc", "eth"], metrics: ["ReferenceRateUSD"], frequency: "1s" },
  "/timeseries-stream/asset-quotes": { assets: ["btc", "eth"] },
  "/timeseries-stream/pair-quotes": { pairs: ["btc-usd", "eth-usd"] },
  "/timeseries-stream/index-levels": { indexes: ["CMBI10", "CMBIBTC"] },
  "/timeseries-stream/market-liquidations": { markets: ["kraken-BTCUSDT-future", "okex-BTCUSDT-future"] },
  "/timeseries-stream/market-openinterest": { markets: ["kraken-BTCUSDT-future", "okex-BTCUSDT-future"] }
}

/** The first two messages, which its `CmStream` hands to `on_message`. */
const pythonMessages = (address: string) =>
  Effect.callback<ReadonlyArray<unknown>>((resume) => {
    const socket = new WebSocket(address)
    const messages: Array<unknown> = []
    socket.addEventListener("message", ({ data }) => {
      messages.push(JSON.parse(String(data)))
      if (messages.length < 2) return
      socket.close()
      resume(Effect.succeed(messages))
    })
    socket.addEventListener("error", () => resume(Effect.die(`no messages from ${address}`)))
    return Effect.sync(() => socket.close())
  })

const inOrder = (messages: ReadonlyArray<unknown>) => messages.map((message) => JSON.stringify(message)).toSorted()

layer(Sandbox.layer())("a live method of the Python client", (it) => {
  for (const method of PythonClient.methods) {
    const live = lives.get(method.ours)
    if (live === undefined) continue
    it.effect(`${method.name} gives the messages of ${method.ours}`, () =>
      Effect.gen(function* () {
        const { streamUrl, url } = yield* Sandbox.Sandbox
        const given = followed[method.path] ?? { markets: ["coinbase-btc-usd-spot", "kraken-btc-usd-spot"] }
        const messages = yield* pythonMessages(addressOf(streamUrl, method, given))
        // Type boundary: these parameters are the entities that it requires.
        const records = yield* live(given as never).pipe(
          Stream.filterMap((message) => (message._tag === "Data" ? Result.succeed(message.record) : Result.failVoid)),
          Stream.take(2),
          Stream.runCollect,
          Effect.provide(NodeLive.layer({ root: url, apiKey: settings.apiKey, retry: Retry.none }))
        )
        assert.deepStrictEqual(inOrder(records), inOrder(messages))
      })
    )
  }
})

const page = fs.readFileSync(new URL("../../../docs/python-client.md", import.meta.url), "utf8")

describe("the pages about the Python client", () => {
  it("names for each method a call of ours, which has the path that the method asks for", () => {
    assert.deepStrictEqual(
      PythonClient.methods.map(({ name, ours }) => [name, paths.get(ours)]),
      PythonClient.methods.map(({ name, path }) => [name, path])
    )
  })

  it("has no method that is not read above", () => {
    const read = new Set([...lists.keys(), ...singles.keys(), ...lives.keys()])
    assert.deepStrictEqual(
      PythonClient.methods.filter(({ ours }) => !read.has(ours)),
      []
    )
  })

  it("names each method once, with parameters that its path takes", () => {
    const names = PythonClient.methods.map(({ name }) => name)
    assert.deepStrictEqual(names.toSorted(), [...new Set(names)].toSorted())
    assert.lengthOf(names, 186)
    for (const { name, ours, sends } of PythonClient.methods) {
      for (const [parameter] of sends) {
        assert.isTrue((lists.get(ours) ?? lives.get(ours))?.parameters.has(parameter), `${name} ${parameter}`)
      }
    }
  })

  it("speaks of no member of the packages that is not there", () => {
    const modules: Readonly<Record<string, object>> = { ...Core, ...Node }
    const members = [...`${page}${PythonMembers.print()}`.matchAll(/\b([A-Z]\w+)\.([a-z]\w+)/g)].filter(
      ([, module = ""]) => module in modules
    )
    assert.isAbove(members.length, 200)
    for (const [text, module = "", member = ""] of members) assert.property(modules[module], member, text)
  })
})
