import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"

/** A span as an exporter sees it, with its children in the order in which they began. */
export interface Seen {
  readonly name: string
  readonly attributes: Readonly<Record<string, unknown>>
  /** Seconds. */
  readonly took: number | undefined
  readonly ended: "success" | "failure" | "interrupted" | "never"
  readonly children: ReadonlyArray<Seen>
}

/** Keeps all spans and metrics of an effect in memory. */
export const make = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  const registry = new Map<string, Metric.Metric.Metadata<never, unknown>>()
  const record = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    self.pipe(Effect.provideService(Metric.MetricRegistry, registry as never), Effect.withTracer(tracer))

  const see = (span: Tracer.NativeSpan): Seen => ({
    name: span.name,
    attributes: Object.fromEntries(span.attributes),
    took: span.status._tag === "Ended" ? Number(span.status.endTime - span.status.startTime) / 1e9 : undefined,
    ended: span.status._tag === "Ended" ? wordOf(span.status.exit) : "never",
    children: spans.filter(({ parent }) => Option.getOrUndefined(parent) === span).map(see)
  })

  /** Counts and values by `name{attribute=value,…}`, without the unit; of a histogram its count and sum. */
  const metrics = Effect.map(
    record(Metric.snapshot),
    (all) => new Map(all.map((metric) => [keyOf(metric.id, metric.attributes), valueOf(metric)]))
  )
  return {
    spans: spans as ReadonlyArray<Tracer.NativeSpan>,
    record,
    /** The spans without a parent. */
    roots: () => spans.filter(({ parent }) => Option.isNone(parent)).map(see),
    all: () => spans.map(see),
    metrics
  }
}

/** The names of a span and of those inside it, indented, with how they ended and the attributes that are asked for. */
export const outline = (span: Seen, depth = 0): ReadonlyArray<string> => {
  const cause = span.attributes["sluice.wait.cause"]
  const words = [span.name, cause, span.attributes["http.response.status_code"], span.ended]
  return [
    `${"  ".repeat(depth)}${words.filter((word) => word !== undefined).join(" ")}`,
    ...span.children.flatMap((child) => outline(child, depth + 1))
  ]
}

const wordOf = (exit: Exit.Exit<unknown, unknown>): Seen["ended"] => {
  if (exit._tag === "Success") return "success"
  return exit.cause.reasons.every(({ _tag }) => _tag === "Interrupt") ? "interrupted" : "failure"
}

const keyOf = (id: string, attributes: Metric.Metric.AttributeSet | undefined) => {
  const shown = Object.entries(attributes ?? {})
    .filter(([key]) => key !== "unit")
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}=${value}`)
  return `${id}{${shown.join(",")}}`
}

const valueOf = (metric: Metric.Metric.Snapshot): unknown => {
  if (metric.type === "Counter") return metric.state.count
  if (metric.type === "Gauge") return metric.state.value
  return metric.type === "Histogram" ? { count: metric.state.count, sum: metric.state.sum } : metric.state
}
