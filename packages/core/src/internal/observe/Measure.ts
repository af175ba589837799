/**
 * Builds the series of a metric. Series with the same attributes are one, however often they are built. One that is updated
 * for every chunk is built once, because finding it by its attributes takes longer than the update.
 */
import type * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Metrics from "../../Metrics.ts"

/** Attributes of few different values. Those that are undefined are left out. */
export type Attributes = Readonly<Record<string, string | undefined>>

/** The attributes of what belongs to an endpoint. */
export const ofEndpoint = (endpoint: string) => ({ "sluice.endpoint": endpoint })

/** Seconds: from a fast reply to a long wait. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]

export const series = (
  { description, name, type, unit }: Metrics.Info,
  given: Attributes
): Metric.Metric<number, unknown> => {
  const attributes: Record<string, string> = { unit }
  for (const key in given) if (given[key] !== undefined) attributes[key] = given[key]
  // Each kind takes what it knows of these.
  const options = { description, attributes, incremental: true, boundaries }
  if (type === "counter") return Metric.counter(name, options)
  return type === "gauge" ? Metric.gauge(name, options) : Metric.histogram(name, options)
}

/** Starts to measure. Gives the seconds since. */
export const stopwatch = (clock: Clock.Clock): (() => number) => {
  const began = clock.monotonicTimeNanosUnsafe()
  return () => Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9
}

/** Adds to a counter, sets a gauge, or notes a value in a histogram. */
export const update = (metric: Metrics.Info, value: number, attributes: Attributes): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    series(metric, attributes).updateUnsafe(value, fiber.context)
    return Effect.void
  })

/** Builds a counter of what comes in small pieces: it adds them up, because an update takes longer than a piece should. */
export const tally = (
  metric: Metrics.Info,
  attributes: Attributes,
  context: Context.Context<never>,
  atOnce: number
) => {
  const counter = series(metric, attributes)
  let pending = 0
  const flush = () => {
    if (pending > 0) counter.updateUnsafe(pending, context)
    pending = 0
  }
  const count = (by: number) => {
    pending += by
    if (pending >= atOnce) flush()
  }
  return { count, flush }
}
