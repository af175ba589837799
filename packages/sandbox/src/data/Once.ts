/**
 * Values that are made when first asked for: most uses of the stand-in never ask.
 */

/** Makes a value once, and remembers it. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}
