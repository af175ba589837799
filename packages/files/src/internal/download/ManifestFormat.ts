/**
 * The format of a download's files as its manifest has it.
 */
import type * as Schema from "effect/Schema"
import type * as Format from "../../Format.ts"
import * as ColumnType from "../format/ColumnType.ts"

/** The format of a job, with what holds where it says nothing, so that a version with other defaults does not mistake it. */
export const of = ({ decimal, numbers, statusColumns, ...format }: Format.Options): Schema.JsonObject => {
  if (format.as === "ndjson") return plain(format)
  if (format.as === "csv") return plain({ ...format, ...(statusColumns === false ? { statusColumns } : {}) })
  const all = ColumnType.numbersOf({ decimal, numbers })
  return plain({
    ...format,
    numbers: all,
    ...(all === "decimal" ? { decimal: { ...(decimal ?? ColumnType.usualShape) } } : {}),
    ...(format.columns === undefined ? { statusColumns: statusColumns ?? false } : {})
  })
}

/** As JSON: without what is undefined. */
const plain = ({ as, ...options }: Format.Options): Schema.JsonObject => ({
  as,
  ...Object.fromEntries(
    Object.entries(options).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  )
})
