/**
 * Starts and ends the spans of this library.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as References from "effect/References"
import type * as Tracer from "effect/Tracer"
import { withoutRetainingResult } from "../memory/Retention.ts"
import * as Outcome from "./Outcome.ts"

/** Ends a span, with the error that it failed with as an attribute. The span does not retain a result. */
export const end = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): Effect.Effect<void> =>
  Effect.withFiber((fiber) => {
    Outcome.annotate(span, exit)
    const isTimed = fiber.getRef(References.TracerTimingEnabled)
    span.end(isTimed ? fiber.getRef(Clock.Clock).currentTimeNanosUnsafe() : 0n, Exit.asVoid(exit))
    return Effect.void
  })

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
      Effect.onExit(Effect.withParentSpan(run, span, { captureStackTrace: false }), (exit) => {
        note?.(span)
        Outcome.annotate(span, exit)
        return Effect.void
      })
    )
  )
