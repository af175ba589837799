/**
 * Where a program made a call. An error of the service comes long after, from code that the program does not know: so the stack of
 * what is thrown begins with the lines of the program.
 */
import * as Predicate from "effect/Predicate"

/** The folder of this package; nothing in CommonJS of a bundler, which leaves `import.meta.url` empty. */
const own = URL.parse("../", import.meta.url)?.href

const isFrame = (line: string) => line.startsWith("    at ")

/** The place of a call. Its lines are written only where it fails. */
export const here = (): Error => new Error()

/** Marks an error whose stack has the lines of a call. */
const marked = Symbol("@sluice/promise/Caller")

const linesOf = ({ stack = "" }: Error) =>
  stack.split("\n").filter((line) => isFrame(line) && (own === undefined || !line.includes(own)))

/** Puts the lines of a call before those of an error's stack. An error that several calls get has those of the first. */
export const named = <A>(error: A, call: Error): A => {
  if (!Predicate.isError(error) || Predicate.hasProperty(error, marked)) return error
  const caller = linesOf(call)
  const lines = (error.stack ?? String(error)).split("\n")
  const at = lines.findIndex(isFrame)
  const frames = at === -1 ? [] : lines.slice(at)
  const head = at === -1 ? lines : lines.slice(0, at)
  const value = [...head, ...caller, ...frames].join("\n")
  Reflect.defineProperty(error, "stack", { value, configurable: true, writable: true })
  Reflect.defineProperty(error, marked, { value: true })
  return error
}
