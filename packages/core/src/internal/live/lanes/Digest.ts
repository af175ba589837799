/**
 * The values of a record as one number: enough to tell whether the connection brings the same record again. A copy of each record
 * would outlive the frames that come after it, and collecting it would take as long as reading a frame.
 */

/** The number of what these fields hold; absent where one of them holds more than a plain value. Two records in 2^32 share one. */
export const of = (record: object, fields: ReadonlyArray<string>): number | undefined => {
  // Type boundary: any property of an object can be read. `Reflect.get` takes ten times as long.
  const values = record as Readonly<Record<string, unknown>>
  let digest = 0x811c9dc5 | 0
  for (let index = 0; index < fields.length; index++) {
    const value = values[fields[index]!]
    // Between two values.
    digest = Math.imul(digest ^ 10, 0x01000193)
    if (value === undefined) continue
    if (typeof value === "object" && value !== null) return undefined
    const text = typeof value === "string" ? value : String(value)
    const { length } = text
    for (let at = 0; at < length; at++) digest = Math.imul(digest ^ text.charCodeAt(at), 0x01000193)
  }
  return digest
}
