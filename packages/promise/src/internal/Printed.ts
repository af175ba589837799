/**
 * Errors as Node.js prints those of any program: name, message and stack, then the fields.
 *
 * Effect's errors print themselves as their fields alone, which suits a log of Effect. Whoever catches one here would see
 * neither what happened nor where.
 */
import * as Data from "effect/Data"
import { NodeInspectSymbol } from "effect/Inspectable"
import * as Predicate from "effect/Predicate"

const ofEffect: unknown = Reflect.get(Data.Error.prototype, NodeInspectSymbol)

/** Takes Effect's way of printing from an error, and from errors in its fields. One with a way of its own keeps it. */
export const printed = <A>(error: A): A => {
  if (!Predicate.isError(error) || Reflect.get(error, NodeInspectSymbol) !== ofEffect) return error
  // Where this is no function, Node.js prints an error as an error.
  const isDone = Reflect.defineProperty(error, NodeInspectSymbol, { value: undefined, configurable: true })
  if (isDone) Object.values(error).forEach(within)
  return error
}

/** A field may be an error, or a list of errors or of what holds one, such as the parts of a download that failed. */
const within = (field: unknown): void => {
  printed(field)
  for (const item of Array.isArray(field) ? field : []) {
    printed(item)
    if (Predicate.hasProperty(item, "error")) printed(item.error)
  }
}
