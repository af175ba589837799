/**
 * Live connections: their spans, and what they add to the metrics. A connection may last for days, so its span holds no events,
 * is not the parent of anything, and gets its attributes in the end.
 */
import * as Effect from "effect/Effect"
import * as Scope from "effect/Scope"
import type { LiveMessage } from "../../LiveMessage.ts"
import * as Metrics from "../../Metrics.ts"
import * as Measure from "./Measure.ts"
import * as Spans from "./Spans.ts"

/** Runs a handshake in a span. */
export const handshake = <A, E, R>(endpoint: string, root: string, self: Effect.Effect<A, E, R>) => {
  const { hostname, port } = new URL(root)
  return Spans.within(self, `sluice.connect ${endpoint}`, {
    ...Measure.ofEndpoint(endpoint),
    "server.address": hostname,
    ...(port !== "" && { "server.port": Number(port) })
  })
}

/** Runs the filling of a hole in a span, which is the parent of its calls. */
export const fill = <A, E, R>(endpoint: string, self: Effect.Effect<A, E, R>) =>
  Spans.within(self, `sluice.fill ${endpoint}`, Measure.ofEndpoint(endpoint))

/**
 * Starts the span of an open connection, which ends with the scope. Returns what counts its frames and their bytes, for the
 * span and the metrics: that takes half as long as reading a frame, so it is called after the frames are delivered.
 */
export const connection = Effect.fnUntraced(function* (endpoint: string) {
  const context = yield* Effect.context<never>()
  const attributes = Measure.ofEndpoint(endpoint)
  const open = Measure.series(Metrics.liveConnections, attributes)
  const framesCounted = Measure.series(Metrics.liveFrames, attributes)
  const bytesCounted = Measure.series(Metrics.received, attributes)
  const span = yield* Effect.makeSpan(`sluice.connection ${endpoint}`, { attributes })
  let frames = 0
  let bytes = 0
  open.modifyUnsafe(1, context)
  yield* Scope.addFinalizerExit(yield* Effect.scope, (exit) => {
    open.modifyUnsafe(-1, context)
    span.attribute("sluice.frames", frames)
    span.attribute("sluice.bytes", bytes)
    return Spans.end(span, exit)
  })
  return {
    count: (added: number, size: number) => {
      frames += added
      bytes += size
      framesCounted.updateUnsafe(added, context)
      bytesCounted.updateUnsafe(size, context)
    }
  }
})

/** Builds what counts the records and gaps of messages that are delivered. */
export const delivery = Effect.fnUntraced(function* (endpoint: string) {
  const context = yield* Effect.context<never>()
  const counted = Measure.series(Metrics.records, Measure.ofEndpoint(endpoint))
  return (messages: ReadonlyArray<LiveMessage<unknown>>) => {
    let records = 0
    for (const message of messages) {
      if (message._tag === "Data") records += 1
      else if (message._tag === "Gap") {
        const attributes = { ...Measure.ofEndpoint(endpoint), "sluice.gap.reason": message.reason }
        Measure.series(Metrics.liveGaps, attributes).updateUnsafe(1, context)
      }
    }
    if (records > 0) counted.updateUnsafe(records, context)
  }
})
