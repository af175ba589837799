import { assert, describe, it } from "@effect/vitest"
import { Account, type ApiError, ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as fs from "node:fs"
import { createServer, type RequestListener } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { inspect } from "node:util"
import { selfSigned } from "./Certificate.ts"
import { settings } from "./Harness.ts"
import { caFileOf, listen, proxyTo } from "./ProxyServer.ts"
import { pagesOf, serve } from "./Server.ts"

/** The service behind the proxy: a name that only the proxy can resolve. */
const host = "api.behind.test"

const root = `https://${host}/v4`

const certificate = selfSigned(host)

const password = "swordfish+1"

/** The service over TLS. */
const secure = (listener: RequestListener) => listen(() => createTlsServer(certificate, listener))

/** A file with the certificate of the service. */
const caFile = caFileOf(certificate)

const count = Stream.runCount(ReferenceData.assets())

const read = (options: NodeClient.Options) => Effect.provide(count, NodeClient.layer({ root, ...settings, ...options }))

const refused = (options: NodeClient.Options) =>
  Effect.map(Effect.flip(read(options)), (error: ApiError.ApiError | ApiError.Misconfigured) => {
    assert.notInclude(inspect(error, { depth: 9 }), password)
    return error
  })

describe("a proxy", () => {
  it.live("is asked for a tunnel, and sees the host of the service, never the key or a path", () =>
    Effect.gen(function* () {
      const urls: Array<string> = []
      const service = yield* secure((request, response) => {
        urls.push(request.url ?? "")
        pagesOf(3)(request, response)
      })
      const proxy = yield* proxyTo(service.port)
      const url = `http://me:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`
      assert.strictEqual(yield* read({ proxy: { https: url }, caFile: yield* caFile }), 3)
      assert.isTrue(urls.every((url) => url.includes("api_key=demo-key")))
      // One connection carries all pages.
      assert.deepStrictEqual(
        proxy.tunnels.map(({ target }) => target),
        [`${host}:443`]
      )
      const basic = `Basic ${Buffer.from(`me:${password}`).toString("base64")}`
      assert.strictEqual(proxy.tunnels[0]?.headers["proxy-authorization"], basic)
      assert.notInclude(JSON.stringify(proxy.tunnels), "demo-key")
      assert.deepStrictEqual(proxy.requests, [])
    })
  )

  it.live("opens a tunnel to an http: root too, so that no URL is in its log", () =>
    Effect.gen(function* () {
      const service = yield* serve(pagesOf(2))
      const proxy = yield* proxyTo(service.port)
      const options = { root: `http://${host}/v4`, proxy: { http: `127.0.0.1:${proxy.port}` } }
      assert.strictEqual(yield* Effect.provideService(read(options), Logger.CurrentLoggers, new Set()), 2)
      assert.deepStrictEqual(
        proxy.tunnels.map(({ target }) => target),
        [`${host}:80`]
      )
      assert.deepStrictEqual(proxy.requests, [])
    })
  )

  it.live("is found in the environment, in capitals or not, and its password is in no log or error", () =>
    Effect.gen(function* () {
      const service = yield* secure(pagesOf(2))
      const file = yield* caFile
      const said: Array<string> = []
      const logger = Logger.layer([Logger.make((line) => said.push(inspect(line, { depth: 9 })))])
      for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY"]) {
        const proxy = yield* proxyTo(service.port)
        const url = `http://me:${encodeURIComponent(password)}@127.0.0.1:${proxy.port}`
        const env = { SLUICE_BASE_URL: root, SLUICE_API_KEY: "demo-key", SLUICE_CA_FILE: file, [name]: url }
        const client = NodeClient.layerConfig(settings).pipe(
          Layer.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env }))),
          Layer.provideMerge(logger)
        )
        assert.strictEqual(yield* Effect.provide(count, client), 2, name)
        assert.strictEqual(proxy.tunnels.length, 1, name)
      }
      assert.notInclude(said.join(), password)
    }).pipe(Effect.provideService(References.MinimumLogLevel, "All"))
  )

  it.live("is not used for hosts that are excepted, for this machine, or with an empty setting", () =>
    Effect.gen(function* () {
      const service = yield* serve(pagesOf(1))
      const proxy = yield* proxyTo(service.port)
      const url = `http://127.0.0.1:${proxy.port}`
      const env = { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: "other.test, .behind.test" }
      const given = ConfigProvider.layer(ConfigProvider.fromEnv({ env }))
      assert.strictEqual(yield* read({ root: service.url, proxy: { http: url } }), 1)
      const direct = (options: NodeClient.Options) =>
        Effect.flip(
          Effect.provide(count, Layer.provide(NodeClient.layerConfig({ root, ...settings, ...options }), given))
        )
      // Nobody but the proxy knows the host.
      assert.deepInclude(yield* direct({}), { _tag: "Unavailable", phase: "connect" })
      assert.deepInclude(yield* direct({ root: "https://other.test", proxy: {} }), { _tag: "Unavailable" })
      assert.deepStrictEqual(proxy.tunnels, [])
    })
  )

  const refusals = [
    ["407 Proxy Authentication Required", "the proxy asks for a user name and a password (407)", false],
    ["403 Forbidden", "the proxy opened no connection to the host (403)", false],
    ["502 Bad Gateway", "the proxy opened no connection to the host (502)", true],
    ["hang up", "the proxy cannot be used: the connection was closed", true]
  ] as const
  it.live.each(refusals)("that answers %s is told apart from the service", ([refusal, reason, transient]) =>
    Effect.gen(function* () {
      const proxy = yield* proxyTo(0, refusal)
      const error = yield* refused({ proxy: { https: `http://me:swordfish%2B1@127.0.0.1:${proxy.port}` } })
      const attempts = transient ? 3 : 1
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient, attempts, reason })
      assert.strictEqual(proxy.tunnels.length, attempts)
    })
  )

  it.live.each(["GARBAGE", 'HTTP/1.1 200 OK\r\ncontent-length: 12\r\n\r\n{"data":[]}'])(
    "that sends bytes behind its 200, before anything was asked, is asked once in each attempt: %j",
    (bytes) =>
      Effect.gen(function* () {
        for (const scheme of ["http", "https"] as const) {
          const tunnels: Array<string> = []
          const { port } = yield* listen(() =>
            createServer().on("connect", (request, socket) => {
              tunnels.push(request.url ?? "")
              socket.on("error", () => {}).write(`HTTP/1.1 200 OK\r\n\r\n${bytes}`)
              // Without a bound there would be thousands.
              if (tunnels.length > 20) socket.destroy()
            })
          )
          const error = yield* refused({ root: `${scheme}://${host}/v4`, proxy: { http: `127.0.0.1:${port}` } })
          const reason = "the proxy cannot be used: what came is not HTTP"
          assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient: true, attempts: 3, reason })
          assert.strictEqual(tunnels.length, 3)
        }
      })
  )

  it.live("that nobody listens for is named, not the service", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(Effect.map(serve(pagesOf(1)), ({ port }) => port))
      const error = yield* refused({ proxy: { https: `http://127.0.0.1:${port}` } })
      const reason = "the proxy cannot be used: the host refused the connection"
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient: true, attempts: 3, reason })
    })
  )

  it.live.each([
    `socks5://me:${password}@here`,
    `http://me:${password}@`,
    `http://me:%zz${password}@here`,
    `http://me:${password}@here:3128/path`,
    `http://here:3128/?${password}`
  ])("whose URL cannot be used is refused without its password: %s", (url) =>
    Effect.gen(function* () {
      const error = yield* refused({ proxy: { https: url } })
      assert.deepInclude(error, { _tag: "Misconfigured", setting: "proxy.https" })
    })
  )
})

describe("certificates", () => {
  it.live("signed by themselves are refused at once by name, unless their file is given", () =>
    Effect.gen(function* () {
      const service = yield* secure(pagesOf(1))
      const proxy = yield* proxyTo(service.port)
      const through = { proxy: { https: `http://127.0.0.1:${proxy.port}` } }
      const error = yield* refused(through)
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient: false, attempts: 1 })
      assert.match(error.message, /certificate is not accepted \(DEPTH_ZERO_SELF_SIGNED_CERT\)/)
      assert.strictEqual(yield* read({ ...through, caFile: yield* caFile }), 1)
    })
  )

  it.live("are checked for the name of the host", () =>
    Effect.gen(function* () {
      const service = yield* secure(pagesOf(1))
      const proxy = yield* proxyTo(service.port)
      const options = { root: "https://other.test/v4", proxy: { https: `http://127.0.0.1:${proxy.port}` } }
      const error = yield* refused({ ...options, caFile: yield* caFile })
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", transient: false })
      assert.include(error.message, "ERR_TLS_CERT_ALTNAME_INVALID")
    })
  )

  it.live("of a file are accepted without a proxy too", () =>
    Effect.gen(function* () {
      const local = selfSigned("localhost")
      const file = yield* caFile
      fs.writeFileSync(file, local.cert)
      const { port } = yield* listen(() => createTlsServer(local, pagesOf(1)))
      const options = { root: `https://localhost:${port}/v4` }
      assert.deepInclude(yield* refused(options), { _tag: "Unavailable", transient: false })
      assert.strictEqual(yield* read({ ...options, caFile: file }), 1)
    })
  )

  it.live("of a file that is missing, empty or damaged are refused before anything is sent", () =>
    Effect.gen(function* () {
      const file = yield* caFile
      assert.deepInclude(yield* refused({ caFile: `${file}.none` }), { _tag: "Misconfigured", setting: "caFile" })
      fs.writeFileSync(file, certificate.key)
      assert.match((yield* refused({ caFile: file })).message, /holds no certificate/)
      fs.writeFileSync(file, certificate.cert.replace(/M/g, "A"))
      assert.match((yield* refused({ caFile: file })).message, /holds a damaged certificate/)
    })
  )

  it("are named by a variable", () =>
    Effect.gen(function* () {
      const env = { SLUICE_CA_FILE: "/nowhere/ca.pem", SLUICE_API_KEY: "k" }
      const error = yield* Effect.flip(
        Effect.provide(
          Account.Account,
          Layer.provide(NodeClient.layerConfig(), ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
        )
      )
      assert.deepInclude(error, { _tag: "Misconfigured", setting: "caFile" })
    }).pipe(Effect.runPromise))
})
