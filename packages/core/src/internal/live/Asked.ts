/**
 * Tells which entities a subscription has asked for.
 */
import * as Wildcard from "../call/Wildcard.ts"

/** Builds the test of names. In what was asked for, `*` stands for any characters; capitals do not matter. */
export const make = (asked: ReadonlyArray<string>): ((entity: string) => boolean) => {
  const lowered = asked.map((name) => name.toLowerCase())
  const names = new Set(lowered)
  const patterns = lowered.filter(Wildcard.is).map(Wildcard.matcher)
  return (entity) => {
    const name = entity.toLowerCase()
    return names.has(name) || patterns.some((matches) => matches(name))
  }
}
