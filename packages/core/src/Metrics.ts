/**
 * The metrics that every client keeps, as data: name, unit and attributes of each. Any exporter of Effect metrics reads them,
 * such as those of `effect/observability`; see docs/observability.md.
 */

/** What a metric is. Each combination of its attributes is a series of its own. */
export interface Info {
  /** Its name in Effect and OpenTelemetry. {@link prometheusName} gives the one of Prometheus. */
  readonly name: `sluice.${string}`
  /** What kind of metric it is. */
  readonly type: "counter" | "gauge" | "histogram"
  /** In the notation of OpenTelemetry, which is UCUM: `s` seconds, `By` bytes, `{record}` a number of records. */
  readonly unit: string
  /** What it counts or measures. */
  readonly description: string
}

const make =
  (type: Info["type"]) =>
  (name: string, unit: string, description: string): Info => ({ name: `sluice.${name}`, type, unit, description })

const counter = /* @__PURE__ */ make("counter")
const gauge = /* @__PURE__ */ make("gauge")
const histogram = /* @__PURE__ */ make("histogram")

/** Calls that ended. */
export const calls: Info = /* @__PURE__ */ counter("calls", "{call}", "Calls that ended")

/** Records that calls and live streams delivered. */
export const records: Info = /* @__PURE__ */ counter("records", "{record}", "Records delivered")

/** Replies and frames that could not be decoded, also those that were then asked for again. */
export const decodeFailures: Info = /* @__PURE__ */ counter(
  "decode.failures",
  "{failure}",
  "Replies and frames not decoded"
)

/** Requests that ended, each attempt by itself. */
export const requests: Info = /* @__PURE__ */ counter("requests", "{request}", "Requests that ended")

/** Time from sending a request to the head of its reply. */
export const requestLatency: Info = /* @__PURE__ */ histogram("request.latency", "s", "Time to the head of a reply")

/** Time from sending a request to the last byte of its reply. A slow reader of a json_stream makes it longer. */
export const requestDuration: Info = /* @__PURE__ */ histogram(
  "request.duration",
  "s",
  "Time to the last byte of a reply"
)

/** Bytes of bodies and frames received, after decompression. */
export const received: Info = /* @__PURE__ */ counter("received", "By", "Decompressed bytes")

/** Requests and connections that are tried again after a failure. */
export const retries: Info = /* @__PURE__ */ counter("retries", "{retry}", "Repeated attempts")

/** Time that was spent waiting, by cause. */
export const waitDuration: Info = /* @__PURE__ */ histogram("wait.duration", "s", "Time waited")

/** Requests left in the window, as the newest reply says. It does not change while no request is sent. */
export const quotaRemaining: Info = /* @__PURE__ */ gauge("quota.remaining", "{request}", "Requests left")

/** Requests allowed in the window, as the newest reply says. */
export const quotaLimit: Info = /* @__PURE__ */ gauge("quota.limit", "{request}", "Requests allowed")

/** Live connections that are open. */
export const liveConnections: Info = /* @__PURE__ */ gauge(
  "live.connections",
  "{connection}",
  "Live connections that are open"
)

/** Frames that live connections brought. */
export const liveFrames: Info = /* @__PURE__ */ counter("live.frames", "{frame}", "Frames received")

/** Gaps that live streams could not fill. */
export const liveGaps: Info = /* @__PURE__ */ counter("live.gaps", "{gap}", "Gaps that were not filled")

/** A metric, and the attributes of its series. */
export interface Described extends Info {
  /** Absent from a series where one does not apply, such as the status of a request without a reply. */
  readonly attributes: ReadonlyArray<string>
}

// A function, so that a bundler can leave it out of programs that do not list the metrics.
const describe = (): ReadonlyArray<Described> => {
  const endpoint = "sluice.endpoint"
  const outcome = "sluice.outcome"
  const quota = ["server.address"]
  return [
    { ...calls, attributes: [endpoint, outcome] },
    { ...records, attributes: [endpoint] },
    { ...decodeFailures, attributes: [endpoint] },
    { ...requests, attributes: [endpoint, outcome, "http.response.status_code"] },
    { ...requestLatency, attributes: [endpoint] },
    { ...requestDuration, attributes: [endpoint] },
    { ...received, attributes: [endpoint] },
    { ...retries, attributes: [endpoint, "error.type"] },
    { ...waitDuration, attributes: ["sluice.wait.cause"] },
    { ...quotaRemaining, attributes: quota },
    { ...quotaLimit, attributes: quota },
    { ...liveConnections, attributes: [endpoint] },
    { ...liveFrames, attributes: [endpoint] },
    { ...liveGaps, attributes: [endpoint, "sluice.gap.reason"] }
  ]
}

/** All metrics. */
export const all: ReadonlyArray<Described> = /* @__PURE__ */ describe()

/**
 * Maps the name of a metric to the one that OpenTelemetry collectors give it for Prometheus, such as
 * `sluice_wait_duration_seconds`: for `metricNameMapper` of Effect's `PrometheusMetrics`. Other names stay as they are.
 */
export const prometheusName = (name: string): string => {
  const metric = all.find((metric) => metric.name === name)
  if (metric === undefined) return name
  const unit = { s: "_seconds", By: "_bytes" }[metric.unit] ?? ""
  return `${name.replaceAll(".", "_")}${unit}${metric.type === "counter" ? "_total" : ""}`
}
