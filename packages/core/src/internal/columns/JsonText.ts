/**
 * JSON text of values of any depth.
 *
 * `JSON.stringify` calls itself for each level and exhausts the stack at some thousands of them. `JSON.parse` does not,
 * so such a record can arrive.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"

/** An array or object whose members are being written. */
interface Level {
  readonly keys: ReadonlyArray<string> | undefined
  readonly values: ReadonlyArray<unknown>
  /** Index of the next member. */
  index: number
  isFirst: boolean
}

/** Writes a value of any depth. */
export const write = (value: unknown): string => Result.getOrElse(attempt(value), () => writeDeep(value))

const attempt = (value: unknown) => Result.try(() => JSON.stringify(value))

/** Whether `JSON.stringify` has to write it: a scalar, or an object that decides on its own JSON. */
const isLeaf = (value: unknown): boolean =>
  !Predicate.isObjectOrArray(value) || Predicate.isFunction(Reflect.get(value, "toJSON")) || isRaw(value)

// Type boundary: the function is newer than TypeScript's declarations.
const isRaw = (Reflect.get(JSON, "isRawJSON") ?? (() => false)) as (value: unknown) => boolean

/** Writes a value level by level: slower, without recursion. */
export const writeDeep = (value: unknown): string => {
  const open: Array<Level> = []
  let text = ""
  const begin = (value: unknown) => {
    if (isLeaf(value)) {
      text += JSON.stringify(value) ?? "null"
      return
    }
    const isArray = Array.isArray(value)
    // Type boundary, twice: what is no leaf is an array or an object.
    const keys = isArray ? undefined : Object.keys(value as object)
    text += isArray ? "[" : "{"
    open.push({ keys, values: isArray ? value : Object.values(value as object), index: 0, isFirst: true })
  }
  begin(value)
  for (let level = open.at(-1); level !== undefined; level = open.at(-1)) {
    const { keys, values } = level
    if (level.index === values.length) {
      text += keys === undefined ? "]" : "}"
      open.pop()
      continue
    }
    const next = values[level.index]
    const key = keys?.[level.index]
    level.index += 1
    if (key !== undefined && (next === undefined || Predicate.isFunction(next))) continue
    text += level.isFirst ? "" : ","
    level.isFirst = false
    if (key !== undefined) text += `${JSON.stringify(key)}:`
    begin(next)
  }
  return text
}
