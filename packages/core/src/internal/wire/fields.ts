/**
 * Record fields, as tolerant as the service needs (docs/interface.md 10.1): only what names a record must be there;
 * anything else may be absent or null, and has the described JSON type where it is present.
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../../Decimal.ts"
import { Timestamp } from "../../Timestamp.ts"

/** May be absent or null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Part of the record's identity: without it the record is refused. */
export const id = Schema.String

/** Text. */
export const text = maybe(Schema.String)

/** A list of texts. */
export const texts = maybe(Schema.Array(Schema.String))

/** Exact decimal text. */
export const decimal = maybe(Decimal)

/** A moment, or a date alone, as text. */
export const timestamp = maybe(Timestamp)

/** `true` or `false`. */
export const flag = maybe(Schema.Boolean)

/**
 * A provider's number, which arrives as a JSON number or as text. A JSON number that a double cannot hold, such as an
 * integer beyond 2^53, comes as the text it was written in; `1.50` and `1e3` are the numbers 1.5 and 1000.
 */
export const number = maybe(Schema.Union([Schema.Finite, Schema.String]))

/** One of the words known today, or any the service may add. */
export const word = <const Words extends ReadonlyArray<string>>(words: Words) =>
  maybe(Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete]))

/** A list of objects, each of a type of its own. */
export const many = <S extends Schema.Top>(item: S) => maybe(Schema.Array(item))

/**
 * Length of the interval between two values, of those known today or any added later. Source: docs/interface.md 14.3.
 */
export const frequency = word([
  "1s",
  "15s",
  "1m",
  "5m",
  "10m",
  "15m",
  "30m",
  "1h",
  "4h",
  "1d",
  "1b",
  "1d-ny-close",
  "1d-sg-close"
])

/** A record whose columns are known at run time only. */
export const struct = (fields: Readonly<Record<string, Schema.Top>>): Schema.Codec<unknown> =>
  // Type boundary: every field above is a schema without services or transformations; computed keys hide that.
  Schema.Struct(fields) as Schema.Top as Schema.Codec<unknown>
