/**
 * Finds the new address of a file, after its old one has expired.
 *
 * A renewed address differs from the old one in its query, which holds the signature. The order of a list of addresses is not
 * promised, so the position says nothing: reading by it could lose one file and repeat another.
 */
import * as Predicate from "effect/Predicate"

/** The address in `renewed` of the file that `old` lists as `url`; nothing where it cannot be told for certain. */
export const find = (old: ReadonlyArray<unknown>, renewed: ReadonlyArray<unknown>, url: string): unknown => {
  if (renewed.length !== old.length) return undefined
  const file = fileOf(url)
  const isSame = (other: unknown) => fileOf(other) === file
  const found = renewed.filter(isSame)
  return found.length === 1 && old.filter(isSame).length === 1 ? found[0] : undefined
}

/** What identifies a file: origin and path. */
const fileOf = (url: unknown) => {
  const parsed = Predicate.isString(url) ? URL.parse(url) : null
  return parsed === null ? undefined : `${parsed.origin}${parsed.pathname}`
}
