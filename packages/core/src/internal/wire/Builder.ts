/**
 * Builds plain objects with the same keys, all of one hidden class.
 */
import * as Result from "effect/Result"

/** Builds an object from the values of its keys. */
export type Builder = (values: ReadonlyArray<unknown>) => object

/**
 * Makes a builder for these keys, in this order. No key may be `__proto__`.
 *
 * **Details**
 *
 * Setting the keys one by one takes a third of the time of reading a record; an object literal takes almost none. So the
 * literal is compiled, as the guards of schemas are. Where code generation is forbidden, keys are set one by one.
 */
export const make = (keys: ReadonlyArray<string>): Builder => compile(keys) ?? setting(keys)

const compile = (keys: ReadonlyArray<string>): Builder | undefined => {
  // JSON.stringify makes every key a string literal, so no text of the service becomes code.
  const members = keys.map((key, index) => `${JSON.stringify(key)}:values[${index}]`)
  // Type boundary: the compiled function is this literal.
  const compiled = Result.try(() => new Function("values", `return {${members.join()}}`) as Builder)
  return Result.getOrUndefined(compiled)
}

const setting = (keys: ReadonlyArray<string>): Builder => {
  const empty: Record<string, unknown> = {}
  for (const key of keys) empty[key] = ""
  return (values) => {
    // A copy has its hidden class at once; adding keys one by one takes twice as long.
    const object = { ...empty }
    for (let index = 0; index < keys.length; index++) object[keys[index]!] = values[index]
    return object
  }
}
