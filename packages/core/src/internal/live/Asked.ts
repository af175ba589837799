/**
 * Tells which entities a subscription has asked for.
 */

/** Builds the test of names. In what was asked for, `*` stands for any characters; capitals do not matter. */
export const make = (asked: ReadonlyArray<string>): ((entity: string) => boolean) => {
  const lowered = asked.map((name) => name.toLowerCase())
  const names = new Set(lowered)
  const patterns = lowered.filter((name) => name.includes("*")).map((name) => name.split("*"))
  return (entity) => {
    const name = entity.toLowerCase()
    return names.has(name) || patterns.some((parts) => fits(parts, name))
  }
}

/** Whether a name has these parts in their order, the first at its start and the last at its end. */
const fits = (parts: ReadonlyArray<string>, name: string): boolean => {
  const [first = "", last = ""] = [parts[0], parts.at(-1)]
  if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false
  let at = first.length
  const end = name.length - last.length
  for (const part of parts.slice(1, -1)) {
    const found = name.indexOf(part, at)
    if (found === -1 || found + part.length > end) return false
    at = found + part.length
  }
  return true
}
