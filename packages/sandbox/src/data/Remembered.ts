/**
 * Results that are kept, of functions whose result is always the same: pages and streams ask for what is next to each other, and a
 * catalog asks for all entities on every page.
 */

/** Gives a function that remembers its last results, so many of them, under the names that its arguments have. */
export const make = <Args extends ReadonlyArray<unknown>, A>(
  size: number,
  nameOf: (...args: Args) => string,
  compute: (...args: Args) => A
): ((...args: Args) => A) => {
  const results = new Map<string, { readonly value: A }>()
  return (...args) => {
    const name = nameOf(...args)
    const known = results.get(name)
    if (known !== undefined) return known.value
    const value = compute(...args)
    for (const oldest of results.keys()) {
      if (results.size < size) break
      results.delete(oldest)
    }
    results.set(name, { value })
    return value
  }
}

/** Makes a value when it is first asked for, and remembers it: most uses of the stand-in never ask. */
export const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

/** Gives a function that remembers its result for each object. */
export const each = <K extends object, A>(compute: (key: K) => A): ((key: K) => A) => {
  const results = new WeakMap<K, { readonly value: A }>()
  return (key) => {
    const known = results.get(key)
    if (known !== undefined) return known.value
    const value = compute(key)
    results.set(key, { value })
    return value
  }
}

/** Finds items by their names, of which those of a function are asked for when the first is; of several with one name the last. */
export const finder = <A>(
  all: ReadonlyArray<A> | (() => ReadonlyArray<A>),
  nameOf: (item: A) => string
): ((name: string) => A | undefined) => {
  const byName = once(() => new Map((typeof all === "function" ? all() : all).map((item) => [nameOf(item), item])))
  return (name) => byName().get(name)
}
