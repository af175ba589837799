/**
 * The format of a download's files as its manifest has it.
 */
import type * as Schema from "effect/Schema"
import type * as Format from "../../Format.ts"
import * as ColumnType from "../format/ColumnType.ts"

/** How the files of a folder are written. */
export interface ManifestFormat {
  /** What the encoder takes. */
  readonly options: Format.Options
  /** What the manifest has, or is to have. */
  readonly stored: Schema.JsonObject
}

/**
 * Gives the format of a job whose folder has this format already, or none.
 *
 * A Parquet download that an earlier version of Sluice began goes on as it was: that version did not store what numbers are, and
 * wrote decimals and whole numbers as text, with review status. Where the job asks for anything else, or that download has
 * `DECIMAL` columns, the two differ and the folder is refused.
 */
export const of = (format: Format.Options, found: Schema.JsonObject | undefined): ManifestFormat => {
  const { decimal, numbers = "text", statusColumns = true, ...others } = format
  const isEarlier = found !== undefined && found["as"] === "parquet" && !("numbers" in found) && !("decimal" in found)
  const goesOn = isEarlier && format.as === "parquet" && decimal === undefined && numbers === "text" && statusColumns
  return goesOn
    ? { options: { ...format, numbers, statusColumns }, stored: plain(others) }
    : { options: format, stored: complete(format) }
}

/** With what holds where nothing is said, so that a version with other defaults does not mistake it. */
const complete = ({ decimal, numbers, statusColumns, ...format }: Format.Options): Schema.JsonObject => {
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
