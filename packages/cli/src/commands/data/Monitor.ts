/**
 * `--listen`: a server beside a command that runs until it is stopped. `/health` has its state as JSON, with status 503 where a watch
 * has not been up to date for hours; of a worker it says only that the process runs. `/metrics` has the client's metrics for Prometheus, and those of datasets.
 */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import * as Metrics from "@sluice/core/Metrics"
import type * as Dataset from "@sluice/datasets/Dataset"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServer from "effect/http/HttpServer"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as PrometheusMetrics from "effect/observability/PrometheusMetrics"
import * as Predicate from "effect/Predicate"
import { createServer } from "node:http"
import type { Address } from "../../settings/FlagKinds.ts"
import type { Explained } from "../../settings/Explain.ts"
import { Screen } from "../../terminal/Screen.ts"
import { BadPlace } from "./PlaceFlags.ts"

export interface Health {
  /** Otherwise the status is 503. */
  readonly isWell: boolean
  readonly state: object
}

const stateOf = ({ isWell, state }: Health) => ({ status: isWell ? "ok" : "late", ...state })

/** That of several, by their names: not well where one is not. */
export const ofAll = (
  datasets: ReadonlyArray<{ readonly name: string; readonly monitor: { readonly health: Effect.Effect<Health> } }>
): Effect.Effect<Health> =>
  Effect.map(
    Effect.forEach(datasets, ({ monitor }) => monitor.health),
    (found) => ({
      isWell: found.every(({ isWell }) => isWell),
      state: { datasets: found.map((health, index) => ({ name: datasets[index]?.name, ...stateOf(health) })) }
    })
  )

/** Serves until the scope closes, and says where. */
export const serve = Effect.fnUntraced(function* (address: Address | undefined, health: Effect.Effect<Health>) {
  if (address === undefined) return
  const { say } = yield* Screen
  const reply = Effect.flatMap(health, (found) =>
    HttpServerResponse.json(stateOf(found), { status: found.isWell ? 200 : 503 })
  )
  const routes = Layer.merge(
    HttpRouter.add("GET", "/health", reply),
    PrometheusMetrics.layerHttp({ metricNameMapper: Metrics.prometheusName })
  )
  const server = HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
    Layer.provideMerge(NodeHttpServer.layer(createServer, address))
  )
  const context = yield* Effect.catchTag(Layer.build(server), "ServeError", ({ cause }) => {
    const reason = Predicate.isError(cause) ? cause.message : "no server can be opened there"
    return new BadPlace({ message: `--listen: ${reason}` })
  })
  const listening = Context.get(context, HttpServer.HttpServer)
  yield* say(`Serves /health and /metrics on ${HttpServer.formatAddress(listening.address)}\n`)
})

const asTime = (millis: number | undefined) =>
  millis === undefined ? null : DateTime.formatIso(DateTime.makeUnsafe(millis))

/** What `/metrics` has of datasets that are watched, beside the metrics of the client, each with the attribute `dataset`. */
const ofDatasets = {
  current: Metric.gauge("sluice_dataset_current_seconds", {
    description: "Unix time at which this process last had it up to date; 0 before"
  }),
  changed: Metric.gauge("sluice_dataset_changed_seconds", { description: "Unix time of its last change" }),
  connected: Metric.gauge("sluice_dataset_connected", { description: "1 while its live stream is open" }),
  records: Metric.counter("sluice_dataset_records_total", { description: "Records kept, those read again among them" }),
  failures: Metric.counter("sluice_dataset_failures_total", {
    description: "Requests, connections and starts that failed"
  })
}

/** Changes a metric of a dataset. */
type Measure = (metric: Metric.Metric<number, unknown>, value: number) => Effect.Effect<void>

const measure = (of: Measure, event: Dataset.Event, now: number): Effect.Effect<void> => {
  switch (event._tag) {
    case "Finished":
      return of(ofDatasets.current, now / 1_000)
    case "Changed":
      return Effect.andThen(of(ofDatasets.changed, now / 1_000), of(ofDatasets.records, event.records))
    case "Connected":
      return of(ofDatasets.connected, 1)
    case "Disconnected":
      return Effect.andThen(of(ofDatasets.connected, 0), of(ofDatasets.failures, 1))
    case "Failed":
      return of(ofDatasets.failures, 1)
    default:
      return Effect.void
  }
}

/** How long a watch may go on without being up to date, in milliseconds: it syncs once an hour. */
const longest = 2 * 3_600_000

export const ofDataset = Effect.fnUntraced(function* (dataset: string, interval: number) {
  const started = yield* Clock.currentTimeMillis
  const of: Measure = (metric, value) => Metric.update(Metric.withAttributes(metric, { dataset }), value)
  // An alert sees no dataset without these, such as one that fails at its start.
  yield* of(ofDatasets.current, 0)
  yield* of(ofDatasets.records, 0)
  yield* of(ofDatasets.failures, 0)
  let current: number | undefined
  let changed: number | undefined
  let isConnected: boolean | undefined
  let isOver = false
  // Nothing is late yet, but nothing was read either.
  let hasNotBegun = false
  let failure: { readonly error: string; readonly reason: string; readonly at: string | null } | undefined
  const note = (event: Dataset.Event) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      if (event._tag === "Finished") {
        current = now
        failure = undefined
        hasNotBegun = false
      } else if (event._tag === "Changed") changed = now
      else if (event._tag === "Connected" || event._tag === "Disconnected") isConnected = event._tag === "Connected"
      else if (event._tag === "Failed") {
        failure = { error: event.error, reason: event.reason, at: asTime(now) }
        // A database that failed ends the live stream too.
        if (event.entities.length === 0) isConnected = false
      }
      return measure(of, event, now)
    })
  /** The watch failed, and begins again. */
  const fail = ({ message, tag }: Pick<Explained, "message" | "tag">) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => {
      isConnected = false
      hasNotBegun = current === undefined
      failure = { error: tag, reason: message, at: asTime(now) }
      // Another process keeps it, as of several workers with one file.
      return tag === "FolderInUse" || tag === "StoreInUse" ? Effect.void : of(ofDatasets.failures, 1)
    })
  /** The watch failed, and does not go on. */
  const end = (failure: Pick<Explained, "message" | "tag">) =>
    Effect.map(fail(failure), () => {
      isOver = true
    })
  const health: Effect.Effect<Health> = Effect.map(Clock.currentTimeMillis, (now) => ({
    // A first load may take days.
    isWell: !isOver && !hasNotBegun && now - (current ?? changed ?? started) <= Math.max(longest, 3 * interval),
    state: {
      dataset,
      current: asTime(current),
      changed: asTime(changed),
      connected: isConnected ?? null,
      failure: failure ?? null
    }
  }))
  return { note, fail, end, health }
})
