/** How something ended, as one of few words. */
import * as Cause from "effect/Cause"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type * as Tracer from "effect/Tracer"

/** The tag of the error with which it failed; `undefined` for a success. */
const errorOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (exit._tag === "Success") return undefined
  const error = Option.getOrUndefined(Cause.findErrorOption(exit.cause))
  if (Predicate.hasProperty(error, "_tag")) return String(error._tag)
  return Cause.hasInterruptsOnly(exit.cause) ? "interrupted" : "defect"
}

/** The word for the metrics. */
export const of = (exit: Exit.Exit<unknown, unknown>): string => errorOf(exit) ?? "success"

/** Notes on a span why it fails. Returns what it ends with: without the result, and of an error with its tag alone. */
export const annotate = (span: Tracer.Span, exit: Exit.Exit<unknown, unknown>): Exit.Exit<void, unknown> => {
  const error = errorOf(exit)
  if (error === undefined || error === "interrupted") return Exit.asVoid(exit)
  span.attribute("error.type", error)
  return error === "defect" ? Exit.asVoid(exit) : Exit.fail(error)
}
