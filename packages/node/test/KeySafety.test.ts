import { assert, describe, it } from "@effect/vitest"
import { ApiError, Client, ReferenceData } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Tracer from "effect/Tracer"
import { inspect } from "node:util"
import { fast } from "./Harness.ts"

/** A key with characters that a URL writes differently. */
const secret = "zebra/gnu7+91c=d"
const apiKey = Redacted.make(secret)

/** Every way the key, or a telling part of it, may be written. */
const forms = ["zebra", "gnu7", encodeURIComponent(secret), Buffer.from(secret).toString("base64").slice(0, 12)]

const assertClean = (texts: ReadonlyArray<string>) => {
  for (const text of texts) {
    for (const form of forms) {
      const at = text.indexOf(form)
      assert.strictEqual(at, -1, `the key in: ${text.slice(Math.max(0, at - 200), at + 50)}`)
    }
  }
}

const deep = (value: unknown) => inspect(value, { depth: 12, showHidden: true, getters: true, maxArrayLength: null })

/** All that a program may print, store or send of a failure. */
const faces = (cause: Cause.Cause<ApiError.ApiError>): ReadonlyArray<string> =>
  cause.reasons.flatMap((reason) => {
    const own = [Cause.pretty(cause), String(cause), deep(cause), JSON.stringify(cause)]
    if (reason._tag !== "Fail") return own
    const { error } = reason
    const encoded = Schema.encodeSync(ApiError.ApiError)(error)
    const more = [String(error), error.message, error.stack ?? "", deep(error), JSON.stringify(error)]
    return [...own, ...more, JSON.stringify(encoded), deep(error.cause)]
  })

interface Watched {
  /** Everything that was logged, traced, measured and printed. */
  readonly texts: ReadonlyArray<string>
  readonly spans: ReadonlyArray<Tracer.NativeSpan>
  readonly lines: number
  readonly error: ApiError.ApiError | undefined
}

/** All that a tracer may keep of a span, the value it ended with included. */
const exported = ({ attributes, events, links, name, status }: Tracer.NativeSpan) =>
  deep([name, attributes, events, links, status])

/** Runs a call with a tracer and a logger that keep everything, down to the lowest level. */
const watch = (
  call: Stream.Stream<unknown, ApiError.ApiError, Client.Client>,
  root: string,
  options: NodeClient.Options = {}
) =>
  Effect.gen(function* () {
    const spans: Array<Tracer.NativeSpan> = []
    const lines: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const logger = Logger.make<unknown, void>((options) => {
      lines.push(
        Logger.formatJson.log(options),
        Logger.formatLogFmt.log(options),
        deep(Logger.formatStructured.log(options)),
        deep(options.message),
        deep(options.cause)
      )
    })
    const watched = Effect.gen(function* () {
      const exit = yield* Effect.exit(Effect.withSpan(Stream.runDrain(call), "test"))
      if (exit._tag === "Failure") yield* Effect.logError("failed", exit.cause)
      const client = yield* Client.Client
      const quota = yield* Client.quota
      return { exit, printed: [deep(client), JSON.stringify(client), deep(quota), String(client.account.root)] }
    }).pipe(
      Effect.provide(NodeClient.layer({ root, apiKey, retry: fast, ...options })),
      Effect.provideService(Tracer.Tracer, tracer),
      Effect.provide(Logger.layer([logger, Logger.tracerLogger])),
      Effect.provideService(References.MinimumLogLevel, "Trace")
    )
    const { exit, printed } = yield* watched
    const error =
      exit._tag === "Failure" ? exit.cause.reasons.find((reason) => reason._tag === "Fail")?.error : undefined
    const result: Watched = {
      spans,
      error,
      lines: lines.length,
      texts: [
        ...printed,
        ...lines,
        ...spans.map(exported),
        yield* Metric.dump,
        ...(exit._tag === "Failure" ? faces(exit.cause) : [])
      ]
    }
    return result
  })

const pages = ReferenceData.assets({ page_size: 20 })
const lines = ReferenceData.assets({ format: "json_stream" })
const live = Sandbox.layer({ keys: { [secret]: { plan: "download" } } })

describe("the key cannot be seen", () => {
  it.live("when nothing fails, although every next_page_url contains it", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const first = yield* Effect.promise(() =>
        fetch(`${url}/reference-data/assets?page_size=20&api_key=${encodeURIComponent(secret)}`).then((r) => r.text())
      )
      // The danger is real: the reply itself holds the key.
      assert.include(first, encodeURIComponent(secret))
      for (const call of [pages, lines]) {
        const { error, spans, texts } = yield* watch(call, url)
        assert.strictEqual(error, undefined)
        assert.isAbove(spans.filter(({ name }) => name === "GET /reference-data/assets").length, 0)
        assertClean(texts)
      }
    }).pipe(Effect.provide(live))
  )

  for (const fault of [
    "status=400",
    "status=401",
    "status=403;body=html",
    "status=404",
    "status=410",
    "status=503;body=html",
    "reset",
    "reset-after=500",
    "stall",
    "stall-after=500",
    "truncate-after=500",
    "cut-line=5",
    "error-line=5",
    "error-body",
    "repeat-token",
    "wrong-type=asset",
    "missing=asset"
  ]) {
    it.live(`when ${fault} meets every request`, () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const root = sandbox.faultUrl(fault)
        const short = { firstByte: "60 millis", idle: "60 millis" } as const
        const results = yield* Effect.all([watch(pages, root, short), watch(lines, root, short)])
        assert.isTrue(results.some(({ error, lines }) => error !== undefined && lines > 0))
        for (const { texts } of results) assertClean(texts)
      }).pipe(Effect.provide(live))
    )
  }

  for (const [what, root] of Object.entries({
    "the port is closed": "http://127.0.0.1:1/v4",
    "the host is unknown": "http://no-such-host.invalid/v4",
    "the port speaks no TLS": "https://127.0.0.1:1/v4"
  })) {
    it.live(`when ${what}`, () =>
      Effect.gen(function* () {
        const { error, lines, texts } = yield* watch(pages, root)
        assert.strictEqual(error?._tag, "Unavailable")
        assert.isAbove(lines, 0)
        assertClean(texts)
      })
    )
  }
})
