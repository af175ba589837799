/**
 * Where in a body a fault strikes: after so many bytes, after a whole record, or within one.
 */

/** A place in a body. */
export interface Position {
  readonly unit: "byte" | "record" | "within"
  readonly count: number
}

/** How a place is written: `1000`, `record:3` or `within:3`. */
export const form = /^(?:(?:(record|within):)?)(\d{1,12})$/

/** Reads a place whose form has been checked. */
export const parse = (text: string): Position => {
  const [, unit, count] = form.exec(text) ?? []
  return { unit: unit === "record" || unit === "within" ? unit : "byte", count: Number(count ?? Number.NaN) }
}
