/**
 * The parameters that endpoints share, and the rules between them.
 *
 * A call that breaks a rule sends nothing. It fails with `InvalidRequest`, which names the parameter.
 */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as SchemaTransformation from "effect/SchemaTransformation"
import * as Identifier from "./Identifier.ts"
import * as Parameter from "./Parameter.ts"
import * as Timestamp from "./Timestamp.ts"

/** A list parameter: one value, the wire's comma list, or an array. */
export type List<Item extends string = string> = Item | ReadonlyArray<Item>

/** The single items of a list of type `Item`. Comma lists are split, as the service splits them. */
export type Items<Item extends string> = Item extends `${infer Head},${infer Tail}` ? Head | Items<Tail> : Item

/** An object that may stand for its identifier in a list, such as a documented metric. */
export interface Identified<Id extends string = string> {
  /** The identifier, which is sent. */
  readonly id: Id
}

const notBlank = Schema.makeFilter((value: string) => value.trim() !== "" || "expected a value, got empty text")

const text = Schema.String.check(notBlank)

const item = text
  .check(
    Schema.makeFilter((value) => !value.includes(",") || "an item of a list holds no comma; the service would split it")
  )
  .pipe(Schema.decode(SchemaTransformation.trim()))

const commaList = Schema.String.check(
  Schema.makeFilter(
    (value) => value.split(",").every((part) => part.trim() !== "") || "expected a value, got an empty item"
  )
).pipe(
  Schema.decode(
    SchemaTransformation.transform({ decode: (value: string) => items(value).join(","), encode: (value) => value })
  )
)

// What few endpoints use is made in functions marked as pure, so that a bundler can leave it out of other programs.
const makeIdentifiers = () => {
  const identifier = Schema.makeFilter(
    (value: string) =>
      items(value).every(Identifier.isIdentifier) || new Identifier.NotIdentifier({ text: value }).message
  )
  return filter(
    Schema.optional(Schema.Union([commaList.check(identifier), Schema.Array(item.check(identifier)).check(notEmpty)])),
    { ...several, takesIdentifiers: true }
  )
}

const isIdentified = (value: unknown): value is Identified =>
  Predicate.hasProperty(value, "id") && Predicate.isString(value.id)

const identified = Schema.declare(isIdentified, { expected: "an object with an id" })

const notEmpty = Schema.makeFilter(
  (value: ReadonlyArray<unknown>) =>
    value.length > 0 || "expected at least one item: the service reads an empty list as all"
)

/** Declares a parameter of which nothing else is said: it chooses among the records. */
const filter = <S extends Schema.Top>(schema: S, declared: Partial<Parameter.Declared> = {}): S =>
  Parameter.declare(schema, { role: { _tag: "Filter" }, ...declared })

/** Any text that is not empty. */
export const string = filter(Schema.optional(text))

/** Any text, which must be given. */
export const requiredString = /* @__PURE__ */ filter(text)

const several = { isList: true } as const

const makeList = () => filter(Schema.optional(Schema.Union([commaList, Schema.Array(item).check(notEmpty)])), several)

/** A comma list. An empty array is refused, because the service reads it as "all". */
export const list = /* @__PURE__ */ makeList()

/** A required comma list. */
export const requiredList = filter(Schema.Union([commaList, Schema.Array(item).check(notEmpty)]), several)

const identifiedList = Schema.Union([
  commaList,
  identified,
  Schema.Array(Schema.Union([item, identified])).check(notEmpty)
])

/** A required comma list of identifiers, or of objects that have one. */
export const requiredIdentified = filter(identifiedList, several)

/** As `requiredIdentified`; it may be absent. */
export const identifiedOrAll = /* @__PURE__ */ filter(/* @__PURE__ */ Schema.optional(identifiedList), several)

/** A comma list of names or of identifiers of an external provider; see {@link Identifier}. */
export const identifiers = /* @__PURE__ */ makeIdentifiers()

/** One or several of a closed set of words, as an array or as a comma list. */
export const words = <const Words extends ReadonlyArray<string>>(all: Words) => {
  const word = Schema.Literals(all)
  const isWord = Schema.is(word)
  // Type boundary: an editor suggests the single words. A comma list of them is checked at runtime.
  const list = commaList.check(Schema.makeFilter((value) => items(value).every(isWord))) as Schema.Top as typeof word
  const schema = Schema.optional(Schema.Union([word, list, Schema.Array(word).check(notEmpty)]))
  return filter(schema, { ...several, kind: "word", words: all, isClosed: true })
}

/** `true` or `false`. */
export const boolean = filter(Schema.optional(Schema.Boolean), { kind: "boolean" })

/** A whole number from `minimum` to `maximum`. */
export const integer = (minimum: number, maximum: number) =>
  filter(Schema.optional(Schema.Int.check(Schema.isBetween({ minimum, maximum }))), {
    kind: "integer",
    minimum,
    maximum
  })

/**
 * Declares that the community root has disabled a parameter. A call there does not send a `page_size`, and fails with
 * `InvalidRequest` for another parameter.
 */
export const paidOnly = <S extends Schema.Top>(schema: S): S => Parameter.declare(schema, { isPaidOnly: true })

/** One of a closed set of words. */
export const oneOf = <const Words extends ReadonlyArray<string>>(words: Words) =>
  filter(Schema.optional(Schema.Literals(words)), { kind: "word", words, isClosed: true })

const orAnother = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Schema.Union([Schema.Literals(words), Schema.StringForLiteralAutocomplete.check(notBlank)])

/** One of the words known today, or one the service adds later. */
export const openWord = <const Words extends ReadonlyArray<string>>(words: Words) =>
  filter(Schema.optional(orAnother(words)), { kind: "word", words })

/**
 * A moment in one of the service's forms: `2006-01-20` or `20060120`, optionally followed by `T00:00:00` or `T000000` with
 * 0, 3, 6 or 9 fractional digits and an optional `Z`. Source: docs/interface.md 14.2 and 4.6.2.
 */
export const time = filter(
  Schema.optional(
    Schema.String.check(
      Schema.makeFilter((value) => Timestamp.isTimestamp(value) || new Timestamp.NotTimestamp({ text: value }).message)
    )
  ),
  { kind: "time" }
)

const withRole =
  (role: Parameter.Role | Exclude<Parameter.RoleTag, "Entities" | "Start" | "End">) =>
  <S extends Schema.Top>(schema: S): S =>
    Parameter.declare(schema, { role: Predicate.isString(role) ? { _tag: role } : role })

/**
 * A list that names entities: every record belongs to exactly one of its items, so a request can be split along it. `field`
 * is the field of a record that names its item. A parameter without a role of its own is a filter.
 */
export const entities = <S extends Schema.Top>(list: S, field?: string): S =>
  Parameter.declare(list, { role: { _tag: "Entities", field } })

/** Markets that are named, of a series that spot markets do not have. */
export const marketsOf = (marketType: "future" | "option") =>
  Parameter.declare(entities(requiredList, "market"), { marketType })

/** A list that names columns of a record. */
export const columns = withRole("Columns")

/** A list that names parts to add to a record. */
export const included = /* @__PURE__ */ withRole("Include")

/** A list that names parts to leave out of a record. */
export const excluded = /* @__PURE__ */ withRole("Exclude")

/** Changes what a record holds, but not which records there are or their order. */
export const detail = withRole("Detail")

/** The interval between two records of a series: a word known today, or one the service adds later. */
export const frequency = <const Words extends ReadonlyArray<string>>(words: Words) =>
  withRole("Frequency")(openWord(words))

/** As `frequency`, where the service has no default. */
export const requiredFrequency = <const Words extends ReadonlyArray<string>>(words: Words) =>
  Parameter.declare(orAnother(words), { kind: "word", role: { _tag: "Frequency" }, words })

/** Why a text cannot be a part of a path, if it cannot. */
const pathIssue = (value: string): string | undefined => {
  if (value.trim() === "") return "expected a value, got empty text"
  if (!value.isWellFormed()) return "holds half a character, which no path can carry"
  if (value.includes("/")) return "a part of the path holds no slash"
  return value === "." || value === ".." ? "is no part of a path, but a step along one" : undefined
}

const makePathPart = () => withRole("Path")(Schema.String.check(Schema.makeFilter((value) => pathIssue(value) ?? true)))

/** A required part of the path, in which it stands in braces. It is escaped when it is sent. */
export const pathPart = /* @__PURE__ */ makePathPart()

/** The order of the records: each word names the first field to sort by. */
export const sort = <const Words extends ReadonlyArray<string>>(words: Words) => withRole("Sort")(oneOf(words))

const height = integer(0, Number.MAX_SAFE_INTEGER)

/** The start of the range, as a moment. */
export const startTime = withRole({ _tag: "Start", unit: "time" })(time)

/** The end of the range, as a moment. */
export const endTime = withRole({ _tag: "End", unit: "time" })(time)

/** The start of the range, as the height of a block. */
export const startHeight = withRole({ _tag: "Start", unit: "height" })(height)

/** The end of the range, as the height of a block. */
export const endHeight = withRole({ _tag: "End", unit: "height" })(height)

/** The start of the range, as the hash of a block. */
export const startHash = withRole({ _tag: "Start", unit: "hash" })(string)

/** The end of the range, as the hash of a block. */
export const endHash = withRole({ _tag: "End", unit: "hash" })(string)

/** Whether the range includes its start. */
export const startInclusive = withRole("StartInclusive")(boolean)

/** Whether the range includes its end. */
export const endInclusive = withRole("EndInclusive")(boolean)

/** The time zone of the times in the request. */
export const timeZone = withRole("TimeZone")(string)

/** The most records of each entity: the latest, unless `paging_from` or json_stream asks for those at the start. */
export const limitPer = withRole("LimitPer")(integer(1, 2_147_483_647))

/** The time range of a series, of docs/interface.md 4.6.1. */
export const timeRange = {
  /** Earliest time; the first available when absent. */
  start_time: startTime,
  /** Latest time; the last available when absent. A date without a time is its whole day. */
  end_time: endTime,
  /** Whether the start itself belongs to the interval; true when absent. */
  start_inclusive: startInclusive,
  /** Whether the end itself belongs to the interval; true when absent. Of a date, the whole day. */
  end_inclusive: endInclusive,
  /**
   * Time zone in which `start_time` and `end_time` are read, such as `America/New_York`, and by which days of candles begin;
   * output is always UTC.
   */
  timezone: timeZone
}

/** What a series leaves out instead of failing, where it offers that; of docs/interface.md 4.6.1. */
export const leniency = {
  /** Leaves out what the key may not read, instead of failing with `Forbidden`. */
  ignore_forbidden_errors: detail(boolean),
  /** Leaves out what is not supported, instead of failing with `InvalidRequest`. */
  ignore_unsupported_errors: detail(boolean)
}

/** The one parameter every endpoint has. */
export const pretty = {
  /** Requests indented JSON: slower, and of no use to a program. */
  pretty: withRole("Layout")(boolean)
}

const asOpening = /* @__PURE__ */ withRole("Opening")

/** What a live stream sends first: the last known record of each entity, or nothing. */
export const backfill = /* @__PURE__ */ asOpening(/* @__PURE__ */ oneOf(["latest", "none"]))

/** Adds records at the start of the range, so that a part of the range has others than the whole has there. */
export const opening = /* @__PURE__ */ asOpening(boolean)

/**
 * The number of records on a page, from 1 to the largest page of the endpoint. Sluice asks for `usual`, which is the largest
 * unless records are long.
 */
export const pageSize = (largest: number, usual = largest) =>
  Parameter.declare(integer(1, largest), { role: { _tag: "PageSize" }, usual })

/** Words of a parameter with which the largest page is smaller than that of the endpoint. */
export const smallerPages =
  (largest: Readonly<Record<string, number>>) =>
  <S extends Schema.Top>(words: S): S =>
    Parameter.declare(words, { pageSizes: new Map(Object.entries(largest)) })

/** The page may not be larger than a word of a parameter allows, as `smallerPages` declares it. */
export const fittingPage = (name: string, largest: Readonly<Record<string, number>>, size = "page_size") =>
  Schema.makeFilter((params: object) => {
    const word = String(Reflect.get(params, name))
    const most = largest[word] ?? Infinity
    const issue = `expected a value of at most ${most} with ${name}=${word}`
    return !(Number(Reflect.get(params, size)) > most) || { path: [size], issue }
  })

/**
 * The paging parameters of docs/interface.md 2.2. An endpoint with another largest page spreads them and then sets its own
 * `page_size`.
 */
export const paging = {
  /** Records per page, 1 to 10,000. By default Sluice requests the most. Ignored with json_stream. */
  page_size: pageSize(10_000),
  /** The end of the range to begin at. From `end`, records arrive newest first. Ignored with json_stream. */
  paging_from: withRole("PageFrom")(oneOf(["start", "end"])),
  /** A token of an earlier page, to begin there. */
  next_page_token: withRole("PageToken")(string),
  ...pretty
}

/** The parameter of endpoints that offer json_stream. */
export const format = {
  /** `json`, the default, reads pages; `json_stream` the same records in one reply, one per line. */
  format: withRole("Format")(oneOf(["json", "json_stream"]))
}

const makeLimit = () => {
  const digits = Schema.TemplateLiteral([Schema.Number]).check(
    Schema.makeFilter((text) => /^(?:[1-9]\d?|100)$/.test(text) || "expected a whole number from 1 to 100, or none")
  )
  return Parameter.declare(
    Schema.optional(
      Schema.Union([Schema.Literal("none"), Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 })), digits])
    ),
    { kind: "integer", role: { _tag: "Limit" }, words: ["none"], isClosed: true, minimum: 1, maximum: 100 }
  )
}

/** What bounds the replies of the deprecated catalogs. Source: docs/interface.md 4.5. */
export const limit = {
  /** The most records of a reply, 1 to 100, or `none` for all. A number may be given as text too. */
  limit: /* @__PURE__ */ makeLimit()
}

/** At most one of these parameters may be given. */
export const atMostOne = (...names: ReadonlyArray<string>) =>
  Schema.makeFilter((params: object) => {
    const [first, second] = names.filter((name) => Reflect.get(params, name) !== undefined)
    return second === undefined || { path: [second], issue: `cannot be combined with "${first}"` }
  }, Parameter.excluding(names))

/** The single items of a list parameter, trimmed. Comma lists are split. */
export const items = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return value.split(",").map((part) => part.trim())
  if (isIdentified(value)) return [value.id]
  return Array.isArray(value) ? value.flatMap((part) => items(part)) : []
}

/** Query pairs in the order given. */
export type Query = ReadonlyArray<readonly [name: string, value: string]>
