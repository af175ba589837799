import * as util from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { Client, ReferenceData, Retry, Root } from "@sluice/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

/** A key with characters a URL writes differently. */
const key = "k3y+/=s3cr3t é"

const forms = [key, key.slice(0, 4), encodeURIComponent(key), new URLSearchParams([["k", key]]).toString().slice(2)]

const apiKey = Redacted.make(key)

/** Runs pages and a json_stream to their ends, keeping everything that is said, traced and failed with. */
const observe = (api: FakeApi.FakeApi, retry: Retry.Policy = Retry.none) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const spans: Array<Tracer.NativeSpan> = []
    const logger = Logger.make((options) => {
      lines.push(util.inspect([options.message, Cause.pretty(options.cause)], { depth: 10 }))
    })
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const exits = yield* Effect.all([
      Effect.exit(Stream.runDrain(ReferenceData.protocols())),
      Effect.exit(Stream.runDrain(ReferenceData.protocols({ format: "json_stream" })))
    ]).pipe(
      Effect.provide(api.layer({ apiKey, retry })),
      Effect.withTracer(tracer),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All"),
      Virtual.run
    )
    const failures = exits.flatMap((exit) => (Exit.isFailure(exit) ? [exit.cause] : []))
    const texts = failures.flatMap((cause) => {
      const error = Cause.squash(cause)
      return [
        String(error),
        JSON.stringify(error),
        util.inspect(error, { depth: 10, showHidden: true }),
        Cause.pretty(cause),
        JSON.stringify(cause)
      ]
    })
    const traced = spans.map((span) =>
      util.inspect([span.name, span.attributes, span.events, span.links, span.status], { depth: 10 })
    )
    return { failures, texts, lines, traced }
  })

const assertClean = (texts: ReadonlyArray<string>) => {
  for (const text of texts) {
    for (const form of forms) assert.notInclude(text, form)
  }
}

const [, , encoded, formEncoded] = forms

const echo = `key ${key} or ${encoded} or ${formEncoded} is not valid`

const faults: ReadonlyArray<readonly [name: string, reply: FakeApi.Script]> = [
  ["the service echoes it in an error message", FakeApi.refusal(401, "wrong_credentials", echo)],
  [
    "the service echoes it in its words on a parameter",
    FakeApi.refusal(400, "bad_parameter", `Bad parameter 'api_key'. Value '${key}' is not supported.`)
  ],
  [
    "the service echoes it in an error with status 200",
    { body: JSON.stringify({ error: { type: "forbidden", message: echo } }) + "\n" }
  ],
  [
    "a plain text body quotes the URL",
    { status: 502, headers: { "content-type": "text/plain" }, body: `no route to /v4/x?api_key=${key}` }
  ],
  [
    "a plain text body ends in the middle of it once it is cut short",
    { status: 502, headers: { "content-type": "text/plain" }, body: `${"x".repeat(196)}${key}` }
  ],
  ["the service echoes it as the type", FakeApi.refusal(401, key, "no")],
  ["a 429 echoes it", FakeApi.refusal(429, "rate_limit_exceeded", echo)],
  [
    "the service echoes it in its headers",
    {
      ...FakeApi.refusal(403, "forbidden", "no"),
      headers: { "cf-ray": `ray-${encodeURIComponent(key)}`, "x-ratelimit-plan": encodeURIComponent(key) }
    }
  ],
  ["the connection breaks", FakeApi.cut],
  ["the system's error quotes the URL", Effect.fail(new FakeApi.Cut({ code: `GET /v4?api_key=${key}` }))],
  ["the body breaks off", { body: ['{"data":[', FakeApi.cut] }],
  ["the body is no record", { body: `{"data":[{"market":7}]}\n` }],
  ["a record that is not as described quotes it", { body: `{"data":[{"market":{"nested":"${key}"}}]}\n` }],
  ["a field that is not as described is called like it", { body: `{"data":[{"market":["${key}"],"${key}":1}]}\n` }],
  ["the body is no JSON", { body: `${key}\n` }],
  ["the service answers too late", Effect.never]
]

type Look = (request: HttpClientRequest.HttpClientRequest) => Effect.Effect<unknown>

/** What a program puts around its HTTP client to see what goes on. */
const wrappers: Readonly<Record<string, (look: Look) => (http: HttpClient.HttpClient) => HttpClient.HttpClient>> = {
  tapRequest: (look) => HttpClient.tapRequest(look),
  "mapRequestEffect, appended": (look) => HttpClient.mapRequestEffect((request) => Effect.as(look(request), request)),
  tap: (look) => HttpClient.tap(({ request }) => look(request)),
  tapError: (look) => HttpClient.tapError(({ reason }) => look(reason.request)),
  transform: (look) => HttpClient.transform((effect, request) => Effect.andThen(look(request), effect)),
  transformResponse: (look) =>
    HttpClient.transformResponse((effect) => Effect.tap(effect, ({ request }) => look(request)))
}

describe("Key", () => {
  it.effect.each(faults)("shows in no error, log line or span when %s", ([, reply]) =>
    Effect.gen(function* () {
      const { failures, lines, texts, traced } = yield* observe(FakeApi.make([reply, reply]))
      assert.strictEqual(failures.length, 2)
      assert.isAtLeast(traced.length, 2)
      assertClean([...texts, ...lines, ...traced])
    })
  )

  it.effect("shows in no log line or span while faults are retried", () =>
    Effect.gen(function* () {
      const reply = FakeApi.refusal(503, "unavailable", echo)
      const api = FakeApi.serve(() => Effect.succeed(reply))
      const { lines, traced } = yield* observe(api, Retry.make({ times: 2 }))
      assert.isAtLeast(lines.length, 2)
      assert.isAtLeast(traced.length, 6)
      assertClean([...lines, ...traced])
    })
  )

  it.effect("names requests in spans by their path alone, and sends no tracing headers to the service", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([]), { body: "" }])
      const { traced } = yield* observe(api)
      assert.isTrue(traced.some((span) => span.includes("GET /reference-data/protocols")))
      for (const { headers } of api.seen) {
        assert.notProperty(headers, "traceparent")
        assert.notProperty(headers, "b3")
      }
    })
  )

  it.effect("shows in no warning of the service, logged or handed over", () =>
    Effect.gen(function* () {
      const warning = { type: "note", message: echo }
      const reply = { body: JSON.stringify({ data: [], warning }) }
      const { lines } = yield* observe(FakeApi.make([reply, { body: "" }]))
      assert.isTrue(lines.some((line) => line.includes("The service warns (note)")))
      const pages = yield* ReferenceData.protocols
        .pages()
        .pipe(Stream.runCollect, Effect.provide(FakeApi.make([reply]).layer({ apiKey })))
      assert.strictEqual(pages[0]?.warnings.length, 1)
      assertClean([...lines, util.inspect(pages, { depth: 10 })])
    })
  )

  it.effect("is sent exactly once with every request, and to the root alone", () =>
    Effect.gen(function* () {
      const foreign = `https://evil.example.test/v4?api_key=${encodeURIComponent(key)}&next_page_token=1`
      const api = FakeApi.make([FakeApi.page([], undefined, { next_page_url: foreign }), FakeApi.page([])])
      yield* Stream.runDrain(ReferenceData.assets({ page_size: 1 })).pipe(Effect.provide(api.layer({ apiKey })))
      assert.strictEqual(api.seen.length, 2)
      for (const { headers, url } of api.seen) {
        assert.strictEqual(url.origin, "https://api.example.test")
        assert.deepStrictEqual(url.searchParams.getAll("api_key"), [key])
        assertClean([JSON.stringify(headers)])
      }
    })
  )

  it.effect.each(Object.entries(wrappers))("is no text where a program wraps its HTTP client with %s", ([, wrap]) =>
    Effect.gen(function* () {
      const breaks = { body: ['{"data":[', FakeApi.cut] }
      const api = FakeApi.make([FakeApi.page([]), FakeApi.cut, FakeApi.refusal(403, "forbidden", "no"), breaks])
      const seen: Array<HttpClientRequest.HttpClientRequest> = []
      const http = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(
          HttpClient.HttpClient,
          wrap((request) => Effect.sync(() => seen.push(request)))
        )
      ).pipe(Layer.provide(api.http))
      const layer = Client.layer({ root: FakeApi.root, apiKey, retry: Retry.none }).pipe(Layer.provide(http))
      const read = Effect.exit(Stream.runDrain(ReferenceData.assets()))
      yield* Effect.provide(Effect.all([read, read, read, read]), layer)
      assert.isAtLeast(seen.length, 1)
      for (const request of seen) {
        assertClean([request.url, JSON.stringify(request), util.inspect(request, { depth: 10, showHidden: true })])
        assert.isTrue(
          request.urlParams.params.some(([name, value]) => name === "api_key" && Redacted.isRedacted(value))
        )
      }
      assert.lengthOf(api.seen, 4)
      for (const { url } of api.seen) assert.deepStrictEqual(url.searchParams.getAll("api_key"), [key])
    })
  )

  it.effect("does not change a token that holds its text, wherever the token stands", () =>
    Effect.gen(function* () {
      const token = `a${key}b`
      const url = `${FakeApi.root}/x?api_key=${encodeURIComponent(key)}&next_page_token=${encodeURIComponent(token)}`
      for (const more of [{ next_page_url: url }, { next_page_token: token }]) {
        const api = FakeApi.make([FakeApi.page([], undefined, more), FakeApi.page([])])
        yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.provide(api.layer({ apiKey })))
        assert.strictEqual(api.seen[1]?.url.searchParams.get("next_page_token"), token)
      }
    })
  )

  it.effect("is sent without the line end it has in a file", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      yield* Stream.runDrain(ReferenceData.assets()).pipe(
        Effect.provide(api.layer({ apiKey: Redacted.make(` ${key}\n`) }))
      )
      assert.deepStrictEqual(api.seen[0]?.url.searchParams.getAll("api_key"), [key])
    })
  )

  it.effect("shows in no span that ends well, though the reply holds it", () =>
    Effect.gen(function* () {
      const url = { next_page_url: `${FakeApi.root}/x?api_key=${encodeURIComponent(key)}&next_page_token=1` }
      const api = FakeApi.make([FakeApi.page([], undefined, url), FakeApi.page([]), { body: "" }])
      const { traced } = yield* observe(api)
      assert.isAtLeast(traced.length, 3)
      assertClean(traced)
    })
  )

  it.effect("is not sent to the community root, even where one is given", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.provide(api.layer({ apiKey, root: Root.community })))
      assert.deepStrictEqual(
        api.seen.map(({ url }) => url.href),
        [`${Root.community.url}/reference-data/assets?page_size=10000`]
      )
    })
  )

  it.effect("is not needed for a root of one's own", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.page([])])
      yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.provide(api.layer()))
      assert.isFalse(api.seen[0]?.url.searchParams.has("api_key"))
    })
  )

  it.effect("is not sent when it is empty, and then hides nothing in a message", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.refusal(400, "bad_parameter", "plain words")])
      const error = yield* Stream.runDrain(ReferenceData.assets()).pipe(
        Effect.flip,
        Effect.provide(api.layer({ apiKey: Redacted.make("") }))
      )
      assert.isFalse(api.seen[0]?.url.searchParams.has("api_key"))
      assert.include(error.message, "plain words")
    })
  )
})
