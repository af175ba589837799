import { WebSocketServer } from "@effect/platform-node/NodeWS"
import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveClient, Retry } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { createServer as createTlsServer } from "node:https"
import { createServer } from "node:net"
import { inspect } from "node:util"
import * as Proxy from "../src/internal/http/Proxy.ts"
import { selfSigned } from "./Certificate.ts"
import { caFileOf, listen, proxyTo } from "./ProxyServer.ts"

/** The service behind the proxy: a name that only the proxy can resolve. */
const host = "api.behind.test"

const root = `https://${host}/v4`

const certificate = selfSigned(host)

const caFile = caFileOf(certificate)

const [key, password] = ["demo-key", "swordfish+1"]

const trade = {
  market: "coinbase-btc-usd-spot",
  time: "2026-01-01T00:00:00.000000000Z",
  coin_metrics_id: "1",
  amount: "1",
  price: "2",
  collect_time: "2026-01-01T00:00:00.000000000Z",
  side: "buy",
  cm_sequence_id: "0"
}

/** A live service over TLS, which sends one trade. */
const secure = (own = certificate) =>
  Effect.gen(function* () {
    const urls: Array<string> = []
    const { port } = yield* listen(() => {
      const server = createTlsServer(own)
      new WebSocketServer({ server }).on("connection", (socket, request) => {
        urls.push(request.url ?? "")
        socket.send(JSON.stringify(trade))
      })
      return server
    })
    return { port, urls }
  })

const messages = Live.marketTrades({ markets: trade.market }).pipe(
  Stream.take(2),
  Stream.map((message) => (message._tag === "Data" ? message.record.market : message._tag)),
  Stream.runCollect
)

const given = (options: NodeLive.LayerOptions) => ({
  root,
  apiKey: Redacted.make(key),
  retry: Retry.none,
  ...options
})

const read = (options: NodeLive.LayerOptions) => Effect.provide(messages, NodeLive.layer(given(options)))

const refused = (options: NodeLive.LayerOptions) =>
  Effect.map(Effect.flip(read(options)), (error) => {
    assert.notInclude(inspect(error, { depth: 9 }), password)
    assert.notInclude(inspect(error, { depth: 9 }), key)
    return error
  })

const expected = ["Connected", trade.market]

describe("a live stream through a proxy", () => {
  it.live("asks for a tunnel, in which the proxy sees the host of the service, never the key or a path", () =>
    Effect.gen(function* () {
      const service = yield* secure()
      const proxy = yield* proxyTo(service.port)
      const url = `http://me:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`
      assert.deepStrictEqual(yield* read({ proxy: { https: url }, caFile: yield* caFile }), expected)
      assert.include(service.urls[0], `api_key=${key}`)
      assert.deepStrictEqual(
        proxy.tunnels.map(({ target }) => target),
        [`${host}:443`]
      )
      const basic = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`
      assert.strictEqual(proxy.tunnels[0]?.headers["proxy-authorization"], basic)
      assert.notInclude(JSON.stringify(proxy.tunnels), key)
      assert.deepStrictEqual(proxy.requests, [])
    })
  )

  it.live("asks for one to a ws: root too, and to a proxy over TLS", () =>
    Effect.gen(function* () {
      const sandbox = yield* Sandbox.Sandbox
      const port = Number(new URL(sandbox.url).port)
      const own = selfSigned("localhost")
      const proxy = yield* proxyTo(port, undefined, own)
      const options = {
        root: `http://${host}/v4`,
        live: { root: `ws://${host}/v4`, caFile: yield* caFileOf(own) },
        proxy: { http: `https://localhost:${proxy.port}` }
      }
      assert.deepStrictEqual(yield* read(options), expected)
      assert.deepStrictEqual(
        proxy.tunnels.map(({ target }) => target),
        [`${host}:80`]
      )
      assert.deepStrictEqual(proxy.requests, [])
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("finds proxy and certificates in the environment, with and without the HTTP client", () =>
    Effect.gen(function* () {
      const service = yield* secure()
      const proxy = yield* proxyTo(service.port)
      const env = {
        SLUICE_BASE_URL: root,
        SLUICE_API_KEY: key,
        SLUICE_CA_FILE: yield* caFile,
        HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`
      }
      const layers: ReadonlyArray<Layer.Layer<LiveClient.LiveClient, unknown>> = [
        NodeLive.layerConfig(),
        Layer.provide(NodeLive.layerConfigNoDeps(), NodeLive.layerConfig())
      ]
      for (const layer of layers) {
        const client = Layer.provide(layer, ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        assert.deepStrictEqual(yield* Effect.provide(messages, client), expected)
      }
      assert.lengthOf(proxy.tunnels, 2)
    })
  )

  const refusals = [
    ["407 Proxy Authentication Required", "the proxy asks for a user name and a password (407)", false],
    ["403 Forbidden", "the proxy opened no connection to the host (403)", false],
    ["502 Bad Gateway", "the proxy opened no connection to the host (502)", true],
    ["hang up", "the proxy cannot be used: the connection was reset", true],
    ["200 OK\r\n\r\nGARBAGE", "the proxy cannot be used: what came is not HTTP", true]
  ] as const
  it.live.each(refusals)("says of one that answers %s what it says of HTTP", ([refusal, reason, transient]) =>
    Effect.gen(function* () {
      const proxy = yield* proxyTo(0, refusal)
      const error = yield* refused({ proxy: { https: `http://me:swordfish%2B1@127.0.0.1:${proxy.port}` } })
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient, reason })
      assert.lengthOf(proxy.tunnels, 1)
    })
  )

  it.live("refuses the URL of a proxy that cannot be used, without its password", () =>
    Effect.gen(function* () {
      const error = yield* refused({ live: { proxy: { https: `socks5://me:${password}@here` } } })
      assert.deepInclude(error, { _tag: "Misconfigured", setting: "proxy.https" })
    })
  )

  it.live("leaves no connection to a proxy that never answers, when it is interrupted", () =>
    Effect.gen(function* () {
      const [asked, closed] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { port } = yield* listen(() =>
        createServer((socket) => {
          socket.on("error", () => {})
          socket.once("data", () => Deferred.doneUnsafe(asked, Effect.void))
          socket.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
        })
      )
      const fiber = yield* Effect.forkChild(read({ proxy: { https: `http://127.0.0.1:${port}` } }))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(closed)
    })
  )
})

describe("a proxy of live streams", () => {
  const cases = [
    ["", "wss://api.test/", true],
    ["other.test, .api.test", "wss://api.test/", false],
    ["api.test", "wss://www.api.test/", false],
    ["api.test", "wss://my-api.test/", true],
    ["*.api.test", "wss://api.test/", true],
    ["*.api.test", "wss://www.api.test/", false],
    ["api.test:443", "wss://api.test/", false],
    ["api.test:80", "wss://api.test/", true],
    ["API.test.", "wss://api.test/", false],
    ["*", "wss://api.test/", false],
    ["*:80", "ws://api.test/", false],
    ["*:80", "wss://api.test/", true],
    ["[2001:db8::1]:443", "wss://[2001:db8::1]/", false],
    ["2001:db8::1", "wss://[2001:db8::1]/", false],
    ["", "wss://localhost/", false],
    ["", "ws://127.0.0.1:8080/", false],
    ["", "ws://[::1]:8080/", false]
  ] as const
  it.effect.each(cases)("with NO_PROXY %j is asked for %s: %s", ([except, url, isAsked]) =>
    Effect.gen(function* () {
      const find = yield* Proxy.finder({ http: "http://proxy:3128", except })
      assert.strictEqual(find(new URL(url))?.href, isAsked ? "http://proxy:3128/" : undefined)
    })
  )
})

describe("certificates of a live service", () => {
  it.live("signed by themselves are refused at once by name, unless their file is given", () =>
    Effect.gen(function* () {
      const local = selfSigned("localhost")
      const { port } = yield* secure(local)
      const options = { root: `https://localhost:${port}/v4` }
      const error = yield* refused(options)
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient: false })
      assert.include(error.message, "certificate is not accepted (DEPTH_ZERO_SELF_SIGNED_CERT)")
      assert.deepStrictEqual(yield* read({ ...options, caFile: yield* caFileOf(local) }), expected)
    })
  )

  it.live("are checked for the name of the host, behind a proxy too", () =>
    Effect.gen(function* () {
      const service = yield* secure()
      const proxy = yield* proxyTo(service.port)
      const proxied = { proxy: { https: `http://127.0.0.1:${proxy.port}` }, caFile: yield* caFile }
      const error = yield* refused({ root: "https://other.test/v4", ...proxied })
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient: false })
      assert.include(error.message, "ERR_TLS_CERT_ALTNAME_INVALID")
    })
  )
})
