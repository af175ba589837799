/**
 * JSON without exceptions.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** Parses JSON; `undefined` stands for text that is none, since JSON itself has no undefined. */
export const parse = (text: string): unknown => Result.getOrUndefined(Result.try((): unknown => JSON.parse(text)))

/** What stands under `error` in a JSON object; absent, and null, mean that there is none. */
export const errorIn = (json: unknown): unknown => {
  const error = Predicate.isObject(json) ? Reflect.get(json, "error") : undefined
  return Predicate.isNullish(error) ? undefined : error
}
