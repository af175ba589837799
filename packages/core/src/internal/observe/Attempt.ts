/** One request from the moment it is sent to the last byte of its reply: its span, and what it adds to the metrics. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import * as Metrics from "../../Metrics.ts"
import * as Measure from "./Measure.ts"
import * as Outcome from "./Outcome.ts"
import * as Spans from "./Spans.ts"

const statusCode = "http.response.status_code"

/** What the requests of one call sum up to. */
export interface Total {
  requests: number
  bytes: number
}

/** The sum of the current call, if it has one. */
export const CurrentTotal = Context.Reference<Total | undefined>("@sluice/core/observe/Total", {
  defaultValue: () => undefined
})

/** What is known of a request before it is sent. */
export interface Options {
  readonly endpoint: string
  readonly method: string
  /** Whether the endpoint is the template of its path; the files of a job are elsewhere. */
  readonly isTemplate: boolean
  readonly address: URL
}

/** What is known of a reply once its head is there. */
export interface Head {
  readonly status: number
  readonly plan?: string | undefined
  readonly trace?: string | undefined
}

/** A request as it is observed: its span, and what becomes of it. */
export interface Attempt {
  readonly span: Tracer.Span
  /** Notes that the head of the reply is there. */
  readonly head: (head: Head) => Effect.Effect<void>
  /** Counts bytes of the body. */
  readonly receive: (bytes: number) => void
  /** Keeps the attempt open when its scope closes without failure, because the body is still to be read: then `end` ends it. */
  readonly hold: () => void
  readonly end: (exit: Exit.Exit<unknown, unknown>) => Effect.Effect<void>
}

/** Starts an attempt, which ends with the current scope. In few steps, because every page takes them. */
export const start = ({
  address,
  endpoint,
  isTemplate,
  method
}: Options): Effect.Effect<Attempt, never, Scope.Scope> => {
  const ofEndpoint = Measure.ofEndpoint(endpoint)
  const made = Effect.makeSpan(isTemplate ? `${method} ${endpoint}` : method, {
    kind: "client",
    attributes: {
      "http.request.method": method,
      "server.address": address.hostname,
      ...ofEndpoint,
      ...(isTemplate && { "url.template": endpoint }),
      ...(address.port !== "" && { "server.port": Number(address.port) })
    }
  })
  const startIn = (span: Tracer.Span, context: Context.Context<Scope.Scope>) => {
    const total = Context.get(context, CurrentTotal)
    if (total !== undefined) total.requests += 1
    const received = Measure.tally(Metrics.received, ofEndpoint, context, 1_048_576)
    const seconds = Measure.stopwatch(Context.get(context, Clock.Clock))
    let status: string | undefined
    let bytes = 0
    let isHeld = false
    let isOver = false

    const attempt: Attempt = {
      span,
      head: (head) => {
        status = String(head.status)
        span.attribute(statusCode, head.status)
        if (head.plan !== undefined) span.attribute("sluice.plan", head.plan)
        if (head.trace !== undefined) span.attribute("sluice.trace", head.trace)
        return Measure.update(Metrics.requestLatency, seconds(), ofEndpoint)
      },
      receive: (length) => {
        bytes += length
        received.count(length)
      },
      hold: () => {
        isHeld = true
      },
      end: (exit) =>
        Effect.withFiber((fiber) => {
          if (isOver) return Effect.void
          isOver = true
          received.flush()
          if (total !== undefined) total.bytes += bytes
          span.attribute("sluice.bytes", bytes)
          const attributes = { ...ofEndpoint, "sluice.outcome": Outcome.of(exit), [statusCode]: status }
          Spans.endUnsafe(span, exit, fiber)
          Measure.series(Metrics.requests, attributes).updateUnsafe(1, fiber.context)
          Measure.series(Metrics.requestDuration, ofEndpoint).updateUnsafe(seconds(), fiber.context)
          return Effect.void
        })
    }
    const finish = (exit: Exit.Exit<unknown, unknown>) =>
      isHeld && Exit.isSuccess(exit) ? Effect.void : attempt.end(exit)
    return Effect.as(Scope.addFinalizerExit(Context.get(context, Scope.Scope), finish), attempt)
  }
  return Effect.flatMap(made, (span) =>
    Effect.contextWith((context: Context.Context<Scope.Scope>) => startIn(span, context))
  )
}
