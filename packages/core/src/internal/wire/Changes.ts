/** Finds where a value changes from one record to the next, without building lazy records between. */

/** The method by which an array of lazy records answers {@link changes}. */
export const method = Symbol("changes")

/**
 * The first record, and those whose value of a key differs from that of the record before. All records where they are not
 * lazy.
 */
export const changes = (records: ReadonlyArray<unknown>, key: string): ReadonlyArray<unknown> =>
  // Type boundary: only lazy records have this method.
  (records as { readonly [method]?: (key: string) => ReadonlyArray<unknown> })[method]?.(key) ?? records
