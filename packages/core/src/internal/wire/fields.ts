/**
 * Record fields with the tolerance the service needs (docs/interface.md 10.1): only the fields that identify a record are
 * required. Any other field may be absent or null, and has the documented JSON type where it is present.
 */
import * as Schema from "effect/Schema"
import { Decimal } from "../../Decimal.ts"
import * as Field from "../../Field.ts"
import { Timestamp } from "../../Timestamp.ts"

/** May be absent or null. */
export const maybe = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** A field that identifies the record. A record without it is refused. */
export const id = Schema.String

/** Text. */
export const text = maybe(Schema.String)

/** A list of texts. */
export const texts = /* @__PURE__ */ maybe(/* @__PURE__ */ Schema.Array(Schema.String))

/** Exact decimal text. */
export const decimal = maybe(Decimal)

const Integer = Schema.String.annotate(Field.holding("integer"))

/** A whole number of at most 64 bits, as text. */
export const integer = maybe(Integer)

/** A whole number, as text, that identifies the record. */
export const integerId = Integer

/** A moment, or a date alone, as text. */
export const timestamp = maybe(Timestamp)

/** `true` or `false`. */
export const flag = /* @__PURE__ */ maybe(Schema.Boolean)

/**
 * A provider's number, which arrives as a JSON number or as text. A JSON number that a double cannot hold, such as an integer
 * beyond 2^53, is kept as text; `1.50` and `1e3` are the numbers 1.5 and 1000.
 */
export const number = /* @__PURE__ */ maybe(/* @__PURE__ */ Schema.Union([Schema.Finite, Schema.String]))

/** One of the words known today, or one the service adds later. */
export const word = <const Words extends ReadonlyArray<string>>(words: Words) =>
  maybe(Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete]))

/** An object. Its type is given by name, as in `one<TimeRange>(TimeRange)`: an editor would show all of its fields otherwise. */
export const one = <A>(item: Schema.Codec<A, unknown>) => maybe(item)

/** A list of objects, whose type is given by name too. */
export const many = <A>(item: Schema.Codec<A, unknown>) => maybe(Schema.Array(item))

/** Intervals between two values that are known today. Source: docs/interface.md 14.3. */
export const frequencies = [
  "1b",
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
  "1d-ny-close",
  "1d-sg-close"
] as const

/** Interval between two values: one known today, or one added later. */
export const frequency = /* @__PURE__ */ word(frequencies)

/** A record whose columns are only known at runtime. */
export const struct = (fields: Readonly<Record<string, Schema.Top>>): Schema.Codec<unknown> =>
  // Type boundary: every field above is a schema without services or transformations, which computed keys hide.
  Schema.Struct(fields) as Schema.Top as Schema.Codec<unknown>
