/**
 * Notices records that are repeated or out of order, at the boundaries of the batches they come in: a page that comes
 * twice, a last record that comes again on the next page, a batch that goes back.
 *
 * Of a batch the first and the last record are compared, and those between only where these two differ in their entity,
 * or are not in order: per record it costs nothing that could be measured.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as PlainText from "../PlainText.ts"
import * as Call from "./Call.ts"
import * as Timestamp from "../Timestamp.ts"
import * as Series from "./Series.ts"

/** What is known of the order of some records. */
export interface Known {
  /** The fields by which the service promises to sort a list; none where it promises nothing. */
  readonly sorted: ReadonlyArray<string>
  readonly call: Call.Call
  /** Whether they come in descending order. */
  readonly reverse: boolean
}

/** What to do about records that are repeated or out of order. */
export type Policy = "warn" | "fail" | "ignore"

/** A record that is repeated or out of order. */
export interface Disorder {
  /** Its place in the batch. */
  readonly index: number
  /** Says what it is and which record came before it. */
  readonly issue: string
}

/** Follows the records of one stream. */
export interface Watch {
  /** Looks at the next batch, which may begin a page; once something was found, it looks no more. */
  readonly see: (records: ReadonlyArray<unknown>, beginsPage: boolean) => Disorder | undefined
}

type Relation = "ordered" | "repeated" | "out of order"

/** How a record stands to one that came before it. */
type Relate = (before: unknown, record: unknown) => Relation

/** Begins at the start of a stream. */
export const make = (known: Known): Watch => {
  const { call, sorted } = known
  const series = seriesOf(call)
  const forward = series === undefined ? ofList(sorted) : ofSeries(series, call)
  const relate: Relate = known.reverse ? (before, record) => forward(record, before) : forward
  const entities = series !== undefined && isByEntity(series, call) ? makeEntities(series) : undefined
  let last: unknown
  let firstOfPage: unknown
  let found = false

  const find = (records: ReadonlyArray<unknown>, returned: number): Disorder | undefined => {
    const at = (index: number) => (index === 0 ? last : records[index - 1])
    const isWrong = (record: unknown, index: number) =>
      at(index) !== undefined && relate(at(index), record) !== "ordered"
    const wrong = records.findIndex(isWrong)
    const index = Math.min(...[wrong, returned].filter((place) => place >= 0))
    if (index === Infinity) return undefined
    const [name, before] = [nameOf(known, records[index]), nameOf(known, at(index))]
    const isRepeated = wrong === index && relate(at(index), records[index]) === "repeated"
    return { index, issue: isRepeated ? `the record ${name} is repeated` : `the record ${name} comes after ${before}` }
  }

  return {
    see: (records, beginsPage) => {
      const first = records[0]
      if (found || first === undefined) return undefined
      const end = records[records.length - 1]
      const returned = entities === undefined ? -1 : entities.firstReturned(records)
      const isOrdered =
        returned === -1 &&
        (last === undefined || relate(last, first) === "ordered") &&
        (first === end || relate(first, end) === "ordered")
      const isSamePage = beginsPage && firstOfPage !== undefined && isIdentical(firstOfPage, first)
      const issue = `the page that begins with ${nameOf(known, first)} is repeated`
      const disorder = isSamePage ? { index: 0, issue } : isOrdered ? undefined : find(records, returned)
      found = disorder !== undefined
      if (beginsPage) firstOfPage = first
      last = end
      return disorder
    }
  }
}

/** The series a call reads; of one in an order that is not known here nothing can be said. */
const seriesOf = (call: Call.Call): Series.Series | undefined => {
  const series = Series.of(call.endpoint)
  const sort = Call.valueOf(call, "Sort")
  return [undefined, series?.entity, "time", "height"].some((known) => known === sort) ? series : undefined
}

/** Any other order mixes the entities. */
const isByEntity = ({ entity }: Series.Series, call: Call.Call) => {
  const sort = Call.valueOf(call, "Sort")
  return sort === undefined || sort === entity
}

const ofSeries = (series: Series.Series, call: Call.Call): Relate => {
  const byEntity = isByEntity(series, call)
  const sort = Call.valueOf(call, "Sort")
  const compare = sort === "height" || (sort !== "time" && Call.isPerBlock(call)) ? compareHeights : compareTimes
  return (before, record) => {
    if (byEntity && Series.entityOf(series, before) !== Series.entityOf(series, record)) return "ordered"
    const difference = compare(before, record)
    if (difference !== 0) return difference > 0 ? "ordered" : "out of order"
    const isRepeated = Series.isIdentified(call, record) && Series.isSame(series, call, before, record)
    return isRepeated ? "repeated" : "ordered"
  }
}

const compareTimes = (before: unknown, record: unknown): number => {
  const [a, b] = [textOf(before, "time"), textOf(record, "time")]
  if (a === undefined || b === undefined) return 1
  // Of one form, as a rule, and then the text is in the order of the moments.
  return a.length === b.length ? (a < b ? 1 : a === b ? 0 : -1) : Timestamp.Order(b, a)
}

const compareHeights = (before: unknown, record: unknown): number => {
  const difference = Number(textOf(record, "height")) - Number(textOf(before, "height"))
  return Number.isNaN(difference) ? 1 : difference
}

/** Entities beyond this number are not remembered, lest a service without end fill the memory. */
const mostEntities = 100_000

/** Follows the entities of a series: one that came back after another is out of order, whatever the order of their names. */
const makeEntities = (series: Series.Series) => {
  const met = new Set<string>()
  let current: string | undefined
  const returns = (record: unknown): boolean => {
    const entity = Series.entityOf(series, record)
    if (entity === current || entity === undefined) return false
    current = entity
    if (met.has(entity)) return true
    if (met.size < mostEntities) met.add(entity)
    return false
  }
  return {
    /** The place of the first record whose entity came back. */
    firstReturned: (records: ReadonlyArray<unknown>): number => {
      const isOne = Series.entityOf(series, records[0]) === Series.entityOf(series, records[records.length - 1])
      return (isOne ? records.slice(0, 1) : records).findIndex(returns)
    }
  }
}

/** Of a list without a promise only the same record twice in a row, letter by letter, is out of place. */
const ofList = (sorted: ReadonlyArray<string>): Relate => {
  return (before, record) => {
    for (const field of sorted) {
      const [a, b] = [textOf(before, field), textOf(record, field)]
      if (a === undefined || b === undefined) return "ordered"
      if (a !== b) return a < b || simple(a) <= simple(b) ? "ordered" : "out of order"
    }
    return isIdentical(before, record) ? "repeated" : "ordered"
  }
}

/** Databases differ in where they put capitals and signs: what is in order without them is in order. */
const simple = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

const textOf = (record: unknown, key: string) => {
  const found = Predicate.isObject(record) ? Reflect.get(record, key) : undefined
  return Predicate.isString(found) ? found : undefined
}

/** Compares the first field before the rest: records of a catalog may be large. One too deep to be written differs. */
const isIdentical = (record: unknown, other: unknown): boolean => {
  const name = firstKey(record)
  return (
    name !== undefined &&
    textOf(record, name) === textOf(other, name) &&
    Result.getOrElse(
      Result.try(() => JSON.stringify(record) === JSON.stringify(other)),
      () => false
    )
  )
}

const firstKey = (record: unknown): string | undefined => {
  for (const key in Predicate.isObject(record) ? record : {}) return key
  return undefined
}

const nameOf = ({ call, sorted }: Known, record: unknown): string => {
  const series = seriesOf(call)
  const perBlock = series !== undefined && Call.isPerBlock(call)
  const fields = series === undefined ? sorted : [series.entity, ...(perBlock ? ["height", "block_hash"] : ["time"])]
  const names = fields.length === 0 ? [firstKey(record) ?? ""] : fields
  const found = names.map((name) => textOf(record, name) ?? "?").join(", ")
  return PlainText.harmless(found.slice(0, 200))
}
