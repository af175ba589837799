/** Errors of formats. */
import { harmless } from "../../PlainText.ts"
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import * as JsonText from "./JsonText.ts"

/** An option does not fit the format, or the columns are not known before the data. Fails before any record is read. */
export class BadFormat extends Schema.TaggedError<BadFormat>()("BadFormat", {
  /** The invalid option, such as `decimal`. */
  option: Schema.String,
  /** The endpoint whose columns are not known, where that is the reason. */
  endpoint: Schema.optional(Schema.String),
  /** The parameter of the endpoint that would name the columns, where it is absent. */
  parameter: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    if (this.endpoint !== undefined) return `${this.endpoint}: ${this.reason}`
    return `invalid format option "${this.option}": ${this.reason}`
  }
}

/** A record has a value that the format cannot hold without loss. Records before it may be written already. */
export class Unwritable extends Schema.TaggedError<Unwritable>()("Unwritable", {
  /** The format, such as `parquet`, or `columns`. */
  as: Schema.String,
  column: Schema.String,
  /** Number of the record in the file or the stream, from 1. */
  record: Schema.Finite,
  /** The value as text; only its beginning where it is long. */
  value: Schema.String,
  reason: Schema.String
}) {
  override get message() {
    return `record ${this.record}, column "${this.column}": ${this.value} cannot be written to ${this.as}: ${this.reason}`
  }
}

/** A file is not as this library writes it. */
export class Unreadable extends Data.TaggedError("Unreadable")<{ readonly reason: string }> {}

/** Schema of {@link FormatError}, for sending errors between processes. */
export const FormatError = Schema.Union([BadFormat, Unwritable])

/** Every error of a format. */
export type FormatError = typeof FormatError.Type

/** Makes an {@link Unwritable} of a record's value, by its number and the column that cannot hold it. */
export const unwritable = (
  as: string,
  record: number,
  { expected, name }: { readonly name: string; readonly expected: string },
  value: unknown
): Unwritable => new Unwritable({ as, column: name, record, value: quote(value), reason: `expected ${expected}` })

/** A value as an error quotes it. */
const quote = (value: unknown): string => {
  const text = harmless(JsonText.write(value) ?? "nothing")
  return text.length > 100 ? `${text.slice(0, 100)}…` : text
}
