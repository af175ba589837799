import { NodeHttpClient, NodeHttpServer, NodeRuntime } from "@effect/platform-node"
import { Metrics, Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Effect, Layer, Schedule, Stream } from "effect"
import { HttpRouter } from "effect/http"
import { Otlp, PrometheusMetrics } from "effect/observability"
import { createServer } from "node:http"

/** Sends spans, metrics and logs to an OpenTelemetry collector. */
export const collector = (baseUrl: string) =>
  Otlp.layerJson({ baseUrl, resource: { serviceName: "prices" } }).pipe(Layer.provide(NodeHttpClient.layerUndici))

/** Serves the metrics to Prometheus on `/metrics`, under the names that a collector gives them. */
export const prometheus = (port: number) =>
  HttpRouter.serve(PrometheusMetrics.layerHttp({ metricNameMapper: Metrics.prometheusName })).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, { port, host: "127.0.0.1" }))
  )

/** Reads the newest prices. The span around it holds those of the call. */
export const round = Timeseries.assetMetrics({
  assets: ["btc", "eth"],
  metrics: ["PriceUSD"],
  limit_per_asset: 1
}).pipe(
  Stream.runForEach(({ asset, PriceUSD }) => Effect.log(`${asset} ${PriceUSD ?? "no value yet"}`)),
  Effect.withSpan("round")
)

if (import.meta.main) {
  round.pipe(
    Effect.repeat(Schedule.spaced("1 minute")),
    Effect.provide([NodeClient.layerConfig(), collector("http://localhost:4318"), prometheus(9464)]),
    NodeRuntime.runMain
  )
}
