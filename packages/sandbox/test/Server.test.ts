import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import * as Zlib from "node:zlib"
import { address, faulty, get, lines, pages } from "./Harness.ts"

const path = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&paging_from=start&page_size=2000"
const stream = `${path}&format=json_stream`

const live = (options?: Sandbox.Options) => Layer.mergeAll(Sandbox.layer(options), NodeHttpClient.layerUndici)

const bytes = Effect.fnUntraced(function* (url: string) {
  const response = yield* HttpClient.execute(HttpClientRequest.get(url, { headers: { "accept-encoding": "br, gzip" } }))
  assert.strictEqual(response.headers["content-encoding"], "gzip")
  return new Uint8Array(yield* response.arrayBuffer)
})

// What a cut compressed body still gives up.
const unzipped = (zipped: Uint8Array) =>
  Zlib.gunzipSync(zipped, { finishFlush: Zlib.constants.Z_SYNC_FLUSH }).toString("utf8")

const settled = Effect.flatMap(Sandbox.Sandbox, ({ stats }) =>
  Effect.repeat(stats, { until: (stats) => stats.running === 0, schedule: Schedule.forever })
)

describe("Server", () => {
  it.live("serves pages and streams over a socket, under its own address", () =>
    Effect.gen(function* () {
      const { communityUrl, url } = yield* Sandbox.Sandbox
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/v4$/)
      assert.match(communityUrl, /\/v4$/)
      const paged = (yield* pages(path)).flat()
      const streamed = yield* get(stream)
      assert.strictEqual(streamed.headers["transfer-encoding"], "chunked")
      assert.deepStrictEqual(lines(streamed), paged)
      const small = yield* get("/reference-data/assets?assets=btc")
      assert.strictEqual(small.headers["content-length"], String(small.text.length))
    }).pipe(Effect.provide(live()))
  )

  it.live("compresses pages and streams when asked", () =>
    Effect.gen(function* () {
      for (const query of [path, stream, "/reference-data/assets?assets=btc", `${path}&pretty=true`]) {
        const plain = (yield* get(query)).text
        const zipped = yield* bytes(yield* address(query))
        assert.isBelow(zipped.length, Math.max(plain.length, 100))
        assert.strictEqual(Zlib.gunzipSync(zipped).toString("utf8"), plain)
      }
    }).pipe(Effect.provide(live()))
  )

  it.live("reset: the request fails, and the next one finds the service", () =>
    Effect.gen(function* () {
      const { reason } = yield* Effect.flip(faulty("reset;times=1", path))
      assert.strictEqual(reason._tag, "TransportError")
      assert.strictEqual((yield* faulty("reset;times=1", path)).status, 200)
    }).pipe(Effect.provide(live()))
  )

  it.live("reset-after: exactly so many bytes arrive before the body fails", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const whole = yield* get(stream)
      for (const amount of [0, 1, 1000, 100_000]) {
        const url = yield* address(stream, "demo-key", faultUrl(`reset-after=${amount}`))
        const response = yield* HttpClient.get(url)
        let text = ""
        const { reason } = yield* response.stream.pipe(
          Stream.decodeText(),
          Stream.runForEach((part) => Effect.sync(() => void (text += part))),
          Effect.flip
        )
        assert.strictEqual(reason._tag, "DecodeError")
        assert.strictEqual(text, whole.text.slice(0, amount))
      }
      assert.strictEqual((yield* settled).running, 0)
    }).pipe(Effect.provide(live()))
  )

  it.live("reset-after: a compressed body fails too, after what was written", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      const whole = (yield* get(stream)).text
      const url = yield* address(stream, "demo-key", faultUrl("reset-after=90000"))
      const response = yield* HttpClient.execute(HttpClientRequest.get(url, { headers: { "accept-encoding": "gzip" } }))
      const parts: Array<Uint8Array> = []
      const { reason } = yield* response.stream.pipe(
        Stream.runForEach((part) => Effect.sync(() => void parts.push(part))),
        Effect.flip
      )
      assert.strictEqual(reason._tag, "DecodeError")
      assert.strictEqual(unzipped(Buffer.concat(parts)), whole.slice(0, 90_000))
    }).pipe(Effect.provide(live()))
  )

  it.live("truncate-after: the reply ends cleanly in the middle of the text, compressed or not", () =>
    Effect.gen(function* () {
      const { faultUrl } = yield* Sandbox.Sandbox
      for (const query of [path, stream]) {
        const whole = (yield* get(query)).text
        assert.strictEqual((yield* faulty("truncate-after=70001", query)).text, whole.slice(0, 70_001))
        const zipped = yield* bytes(yield* address(query, "demo-key", faultUrl("truncate-after=70001")))
        assert.strictEqual(unzipped(zipped), whole.slice(0, 70_001))
      }
    }).pipe(Effect.provide(live()))
  )

  it.live("truncate-line and cut-line: the reply ends cleanly", () =>
    Effect.gen(function* () {
      const whole = (yield* get(stream)).text
      const truncated = (yield* faulty("truncate-line=600", stream)).text
      assert.strictEqual(truncated, `${whole.split("\n").slice(0, 600).join("\n")}\n`)
      const cut = (yield* faulty("cut-line=600", stream)).text
      assert.isTrue(whole.startsWith(cut) && !cut.endsWith("\n"))
    }).pipe(Effect.provide(live()))
  )

  it.live("stall and stall-after: nothing more comes, and closing the connection frees its place", () =>
    Effect.gen(function* () {
      const { faultUrl, stats } = yield* Sandbox.Sandbox
      const stalled = yield* Effect.forkChild(faulty("stall", path))
      yield* Effect.repeat(stats, { until: (stats) => stats.running === 1, schedule: Schedule.forever })
      yield* Fiber.interrupt(stalled)
      yield* settled
      const url = yield* address(stream, "demo-key", faultUrl("stall-after=100"))
      const response = yield* HttpClient.get(url)
      const first = yield* response.stream.pipe(Stream.decodeText(), Stream.runHead)
      assert.strictEqual(Option.getOrElse(first, () => "").length, 100)
      yield* settled
    }).pipe(Effect.provide(live()))
  )

  it.live("closing the connection within a body frees its place", () =>
    Effect.gen(function* () {
      const url = yield* address(
        "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&frequency=1m&format=json_stream"
      )
      const response = yield* HttpClient.get(url)
      yield* Stream.runDrain(Stream.take(response.stream, 3))
      assert.isBelow((yield* settled).records, 1_000_000)
    }).pipe(Effect.provide(live()))
  )

  it.live("closes at once, whatever is stalled", () =>
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const fiber = yield* Effect.scoped(
        Effect.gen(function* () {
          const context = yield* Layer.build(Sandbox.layer())
          const { faultUrl, stats } = yield* Effect.provide(Sandbox.Sandbox, context)
          const url = `${faultUrl("stall")}/reference-data/assets?api_key=demo-key`
          const fiber = yield* Effect.forkDetach(Effect.exit(client.get(url)))
          yield* Effect.repeat(stats, { until: (stats) => stats.running === 1, schedule: Schedule.forever })
          return fiber
        })
      )
      yield* Fiber.join(fiber)
    }).pipe(Effect.provide(NodeHttpClient.layerUndici))
  )

  it.live("serves a prepared reply twice alike, a page in one piece", () =>
    Effect.gen(function* () {
      for (const query of [path, stream]) {
        const first = yield* get(query)
        assert.deepStrictEqual((yield* get(query)).text, first.text)
        assert.strictEqual(first.headers["content-length"] === undefined, query === stream)
        const zipped = yield* bytes(yield* address(query))
        assert.strictEqual(Zlib.gunzipSync(zipped).toString("utf8"), first.text)
        assert.deepStrictEqual(yield* bytes(yield* address(query)), zipped)
      }
      const sent = yield* pages(path)
      assert.deepStrictEqual(yield* pages(path), sent)
      assert.strictEqual((yield* get(`${path}&page_size=0`)).status, 400)
    }).pipe(Effect.provide(live({ prepared: true })))
  )

  it.live("says why it cannot listen", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const port = Number(new URL(url).port)
      const taken = yield* Effect.flip(Effect.scoped(Layer.build(Sandbox.layer({ port }))))
      assert.instanceOf(taken, Sandbox.SandboxUnavailable)
      assert.strictEqual(taken.message, `The sandbox cannot listen on 127.0.0.1:${port}: the port is already in use.`)
      const elsewhere = yield* Effect.flip(Effect.scoped(Layer.build(Sandbox.layer({ host: "192.0.2.1" }))))
      assert.strictEqual(elsewhere.reason, "the address does not belong to this machine")
      const high = yield* Effect.flip(Effect.scoped(Layer.build(Sandbox.layer({ port: 70_000 }))))
      assert.strictEqual(high.reason, "the port is out of range")
    }).pipe(Effect.provide(live()))
  )
})
