import { NodeHttpClient, NodeHttpServer, NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Metrics } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { Context, Effect, FileSystem, Layer, Logger, Metric, Redacted, Schema } from "effect"
import {
  HttpClient,
  HttpClientRequest,
  HttpRouter,
  HttpServer,
  HttpServerRequest,
  HttpServerResponse
} from "effect/http"
import { createServer } from "node:http"
import { collector, prometheus, round } from "../src/observed.ts"

const key = "demo-key"

const Attribute = Schema.Struct({
  key: Schema.String,
  value: Schema.Struct({
    stringValue: Schema.optional(Schema.NullOr(Schema.String)),
    intValue: Schema.optional(Schema.NullOr(Schema.Unknown)),
    doubleValue: Schema.optional(Schema.NullOr(Schema.Number))
  })
})
const Traces = Schema.fromJsonString(
  Schema.Struct({
    resourceSpans: Schema.Array(
      Schema.Struct({
        scopeSpans: Schema.Array(
          Schema.Struct({
            spans: Schema.Array(
              Schema.Struct({
                name: Schema.String,
                spanId: Schema.String,
                parentSpanId: Schema.optional(Schema.String),
                status: Schema.Struct({ code: Schema.Number }),
                attributes: Schema.Array(Attribute)
              })
            )
          })
        )
      })
    )
  })
)
const Measures = Schema.fromJsonString(
  Schema.Struct({
    resourceMetrics: Schema.Array(
      Schema.Struct({
        scopeMetrics: Schema.Array(
          Schema.Struct({ metrics: Schema.Array(Schema.Struct({ name: Schema.String, unit: Schema.String })) })
        )
      })
    )
  })
)

/** A collector that keeps what it is sent, by the last part of the path. */
const receive = Effect.gen(function* () {
  const received: Array<{ readonly what: string; readonly text: string }> = []
  const routes = HttpRouter.use((router) =>
    router.add(
      "POST",
      "/v1/:what",
      Effect.gen(function* () {
        const request = yield* HttpServerRequest.HttpServerRequest
        received.push({ what: request.url.split("/").at(-1) ?? "", text: yield* request.text })
        return HttpServerResponse.jsonUnsafe({})
      })
    )
  )
  const server = HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" }))
  )
  const context = yield* Layer.build(server)
  const url = HttpServer.formatAddress(Context.get(context, HttpServer.HttpServer).address)
  return { received, url }
})

/** Runs an effect without lines on the terminal. */
const quiet = Effect.provide(Logger.layer([]))

const client = (root: string) => NodeClient.layer({ root, apiKey: Redacted.make(key) })

describe("the observed program", () => {
  it.live("stands in the guide word for word", () =>
    Effect.gen(function* () {
      const fs = yield* FileSystem.FileSystem
      const root = new URL("../../..", import.meta.url).pathname
      const guide = yield* fs.readFileString(`${root}docs/observability.md`)
      const code = yield* fs.readFileString(`${root}packages/examples/src/observed.ts`)
      assert.include(guide, `\`\`\`ts\n// packages/examples/src/observed.ts\n\n${code}\`\`\``)
      assert.strictEqual([...guide.matchAll(/```ts/g)].length, 1)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live(
    "sends a retried call to a collector: a failed attempt, a wait and an attempt that succeeds, and no key",
    () =>
      Effect.gen(function* () {
        const sandbox = yield* Sandbox.Sandbox
        const { received, url } = yield* receive
        yield* round.pipe(
          Effect.provide(client(sandbox.faultUrl("status=503;times=1"))),
          Effect.provide(collector(url)),
          Effect.provideService(Metric.MetricRegistry, new Map()),
          quiet
        )
        const textsOf = (what: string) => received.flatMap((sent) => (sent.what === what ? [sent.text] : []))
        const traces = yield* Effect.forEach(textsOf("traces"), (text) => Schema.decodeEffect(Traces)(text))
        const spans = traces.flatMap(({ resourceSpans }) =>
          resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
        )
        const outline = (parent: string | undefined, depth: number): ReadonlyArray<string> =>
          spans
            .filter(({ parentSpanId }) => parentSpanId === parent)
            .flatMap(({ name, spanId, status }) => [
              `${"  ".repeat(depth)}${name} ${["unset", "ok", "error"][status.code]}`,
              ...outline(spanId, depth + 1)
            ])
        assert.deepStrictEqual(outline(undefined, 0), [
          "round ok",
          "  sluice.call /timeseries/asset-metrics ok",
          "    sluice.page /timeseries/asset-metrics ok",
          "      GET /timeseries/asset-metrics error",
          "      sluice.wait ok",
          "      GET /timeseries/asset-metrics ok"
        ])
        const failed = spans.find(({ status }) => status.code === 2)
        const attributes = new Map(failed?.attributes.map(({ key, value }) => [key, value]))
        assert.strictEqual(attributes.get("error.type")?.stringValue, "Unavailable")

        const measures = yield* Effect.forEach(textsOf("metrics"), (text) => Schema.decodeEffect(Measures)(text))
        const units = new Map(
          measures.flatMap(({ resourceMetrics }) =>
            resourceMetrics.flatMap(({ scopeMetrics }) =>
              scopeMetrics.flatMap(({ metrics }) => metrics.map(({ name, unit }) => [name, unit] as const))
            )
          )
        )
        for (const { name, unit } of [Metrics.requests, Metrics.retries, Metrics.waitDuration, Metrics.received]) {
          assert.strictEqual(units.get(name), unit)
        }
        for (const { text } of received) assert.notInclude(text, key)
      }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("serves Prometheus the metrics by the names of the dashboard, and no key", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const text = yield* Effect.gen(function* () {
        yield* round
        const { address } = yield* HttpServer.HttpServer
        const http = yield* HttpClient.HttpClient
        const response = yield* http.execute(HttpClientRequest.get(`${HttpServer.formatAddress(address)}/metrics`))
        return yield* response.text
      }).pipe(
        Effect.provide([client(url), prometheus(0), NodeHttpClient.layerUndici]),
        Effect.provideService(Metric.MetricRegistry, new Map()),
        quiet
      )
      const endpoint = `sluice_endpoint="/timeseries/asset-metrics"`
      assert.include(text, `\nsluice_calls_total{${endpoint},sluice_outcome="success"} 1\n`)
      assert.include(text, `\nsluice_records_total{${endpoint}} 2\n`)
      assert.include(text, `\nsluice_request_latency_seconds_count{${endpoint}} 1\n`)
      assert.match(text, /\nsluice_received_bytes_total\{[^}]*\} [1-9]\d*\n/)
      assert.include(text, "\n# TYPE sluice_quota_remaining gauge\n")
      assert.notInclude(text, key)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})

const Dashboard = Schema.fromJsonString(
  Schema.Struct({
    panels: Schema.Array(
      Schema.Struct({
        title: Schema.String,
        targets: Schema.optional(Schema.Array(Schema.Struct({ expr: Schema.String })))
      })
    )
  })
)

describe("the dashboard", () => {
  const queries = Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const file = new URL("../../../docs/grafana/sluice.json", import.meta.url).pathname
    const { panels } = yield* Schema.decodeEffect(Dashboard)(yield* fs.readFileString(file))
    return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  }).pipe(Effect.provide(NodeServices.layer))

  const known = new Map(Metrics.all.map((metric) => [Metrics.prometheusName(metric.name), metric]))

  it.live("asks for metrics that there are, with the suffixes and attributes that they have", () =>
    Effect.gen(function* () {
      const exprs = yield* queries
      assert.isAbove(exprs.length, 10)
      for (const expr of exprs) {
        for (const [name] of expr.replaceAll(/by \([^)]*\)/g, "").matchAll(/sluice_\w+(?=[[{)])/g)) {
          const base = name.replace(/_(bucket|sum|count)$/, "")
          const metric = known.get(base)
          assert.exists(metric, `${name} in ${expr}`)
          assert.strictEqual(metric.type === "histogram", base !== name, name)
          const labels = [...expr.matchAll(/\{(\w+)=~?"/g), ...expr.matchAll(/by \(([^)]*)\)/g)]
            .flatMap(([, list = ""]) => list.split(", "))
            .filter((label) => label !== "le")
          const has = metric.attributes.map((attribute) => attribute.replaceAll(".", "_"))
          for (const label of labels) assert.include(has, label, expr)
        }
      }
    })
  )

  it.live("shows every metric", () =>
    Effect.gen(function* () {
      const all = (yield* queries).join("\n")
      for (const name of known.keys()) assert.include(all, name)
    })
  )
})
