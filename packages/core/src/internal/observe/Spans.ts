/** Starts and ends the spans of this library. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as References from "effect/References"
import type * as Tracer from "effect/Tracer"
import { withoutRetainingResult } from "../memory/Retention.ts"
import * as Outcome from "./Outcome.ts"

/**
 * Ends a span. It does not retain a result, and of an error it is given the tag alone: what an error says of a request holds
 * values of parameters, and those of some programs are secret.
 */
export const end = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    endUnsafe(span, exit, fiber)
    return Effect.void
  })

/** Does the same at once. */
export const endUnsafe = (
  span: Tracer.Span,
  exit: Exit.Exit<unknown, unknown>,
  fiber: Pick<Fiber.Fiber<unknown, unknown>, "getRef">
): void => {
  const isTimed = fiber.getRef(References.TracerTimingEnabled)
  span.end(isTimed ? fiber.getRef(Clock.Clock).currentTimeNanosUnsafe() : 0n, Outcome.annotate(span, exit))
}

/**
 * Runs an effect in a span, which is the parent of the spans inside. `note` adds what is known in the end. The span retains
 * neither the result nor the place in the code.
 */
export const within = <A, E, R>(
  self: Effect.Effect<A, E, R>,
  name: string,
  attributes: Readonly<Record<string, unknown>>,
  note?: (span: Tracer.Span) => void
): Effect.Effect<A, E, R> =>
  withoutRetainingResult(self, (run) =>
    Effect.useSpan(name, { attributes }, (span) =>
      // Ends it before `useSpan` does, which then leaves it as it is.
      Effect.onExit(Effect.withParentSpan(run, span, { captureStackTrace: false }), (exit) => {
        note?.(span)
        return end(span, exit)
      })
    )
  )
