/**
 * Notices records that are repeated or out of order: a page that comes twice, pages that overlap, a batch that goes back.
 *
 * By default the first and the last record of a batch are compared, and those between only where these two differ in
 * their entity or are not in order: that costs nothing that could be measured. To compare every record with the one before
 * it takes 6 to 7 % of parsing, so this is done only where disorder is to fail the call.
 */
import * as Predicate from "effect/Predicate"
import * as Call from "../call/Call.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Json from "../wire/Json.ts"
import * as Series from "./Series.ts"

/** What is known of the order of some records. */
export interface Known {
  /** The fields by which the service promises to sort a list; none where it promises nothing. */
  readonly sorted: ReadonlyArray<string>
  readonly call: Call.Call
  /** Whether they come in descending order. */
  readonly reverse: boolean
}

/** A record that is repeated or out of order. */
export interface Disorder {
  /** Its place in the batch. */
  readonly index: number
  /**
   * How many records of the batch may be emitted before a failure. Where the record belongs between some of them, those
   * that should come after it are not: whoever continues from the last of them would miss it.
   */
  readonly intact: number
  /** Says what it is and which record came before it, with `scrub` applied to what the records hold. */
  readonly issue: (scrub: (text: string) => string) => string
}

/** Follows the records of one stream. */
export interface Watch {
  /** Looks at the next batch, which may begin a page; once something was found, it looks no more. */
  readonly see: (records: ReadonlyArray<unknown>, beginsPage: boolean) => Disorder | undefined
}

type Relation = "ordered" | "repeated" | "out of order"

/** How a record stands to one that came before it. */
type Relate = (before: unknown, record: unknown) => Relation

/** Records of a list that the first of a page is compared with: as many as pages overlap by, and no page to keep. */
const longestOverlap = 100

/** Begins at the start of a stream. A thorough watch compares every record with the one before it. */
export const make = (known: Known, isThorough: boolean): Watch => {
  const { call, sorted } = known
  const series = seriesOf(call)
  const forward = series === undefined ? ofList(sorted) : ofSeries(series, call)
  const relate: Relate = known.reverse ? (before, record) => forward(record, before) : forward
  const entities = series !== undefined && isByEntity(series, call) ? makeEntities(series) : undefined
  let last: unknown
  let firstOfPage: unknown
  /** The last records of a list. */
  let tail: ReadonlyArray<unknown> = []
  let found = false

  const find = (records: ReadonlyArray<unknown>, returned: number): Disorder | undefined => {
    const at = (index: number) => (index === 0 ? last : records[index - 1])
    const isWrong = (record: unknown, index: number) =>
      at(index) !== undefined && relate(at(index), record) !== "ordered"
    const wrong = records.findIndex(isWrong)
    const index = Math.min(...[wrong, returned].filter((place) => place >= 0))
    if (index === Infinity) return undefined
    const [record, before] = [records[index], at(index)]
    const isRepeated = wrong === index && relate(before, record) === "repeated"
    return isRepeated
      ? repeated(index, record)
      : {
          index,
          intact: countBefore(records, index),
          issue: (scrub) => `the record ${nameOf(known, record, scrub)} comes after ${nameOf(known, before, scrub)}`
        }
  }

  /** Counts the records that come before one in order, unless it belongs before the whole batch. */
  const countBefore = (records: ReadonlyArray<unknown>, index: number): number => {
    const record = records[index]
    if (last !== undefined && relate(last, record) !== "ordered") return index
    const after = records.findIndex((other, place) => place < index && relate(other, record) !== "ordered")
    return after === -1 ? index : after
  }

  const repeated = (index: number, record: unknown): Disorder => ({
    index,
    intact: index,
    issue: (scrub) => `the record ${nameOf(known, record, scrub)} is repeated`
  })

  const findIn = (records: ReadonlyArray<unknown>, beginsPage: boolean): Disorder | undefined => {
    const [first, end] = [records[0], records[records.length - 1]]
    if (beginsPage && firstOfPage !== undefined && isIdentical(firstOfPage, first)) {
      return {
        index: 0,
        intact: 0,
        issue: (scrub) => `the page that begins with ${nameOf(known, first, scrub)} is repeated`
      }
    }
    // At the beginning of a page alone: of every batch it would take a fifth of parsing.
    if (beginsPage && tail.some((record) => isIdentical(record, first))) return repeated(0, first)
    const returned = entities === undefined ? -1 : entities.firstReturned(records, isThorough)
    const isOrdered =
      !isThorough &&
      returned === -1 &&
      (last === undefined || relate(last, first) === "ordered") &&
      (first === end || relate(first, end) === "ordered")
    return isOrdered ? undefined : find(records, returned)
  }

  return {
    see: (records, beginsPage) => {
      if (found || records.length === 0) return undefined
      const disorder = findIn(records, beginsPage)
      found = disorder !== undefined
      if (beginsPage) firstOfPage = records[0]
      last = records[records.length - 1]
      if (series === undefined) {
        tail = (records.length < longestOverlap ? [...tail, ...records] : records).slice(-longestOverlap)
      }
      return disorder
    }
  }
}

const { textOf } = Series

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
    /** The place of the first record whose entity came back; looked for between two of one entity only if thorough. */
    firstReturned: (records: ReadonlyArray<unknown>, isThorough: boolean): number => {
      const isOne = Series.entityOf(series, records[0]) === Series.entityOf(series, records[records.length - 1])
      return (isOne && !isThorough ? records.slice(0, 1) : records).findIndex(returns)
    }
  }
}

/**
 * Compares records of a list: by the fields the service promises to sort it by, if any. Where it promises no order, two
 * records in a row with the same JSON are the only error that can be told.
 */
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

/** Compares the first field before the rest: records of a catalog may be large. */
const isIdentical = (record: unknown, other: unknown): boolean => {
  const name = firstKey(record)
  return name !== undefined && textOf(record, name) === textOf(other, name) && Json.isSame(record, other)
}

const firstKey = (record: unknown): string | undefined => {
  for (const key in Predicate.isObject(record) ? record : {}) return key
  return undefined
}

const nameOf = ({ call, sorted }: Known, record: unknown, scrub: (text: string) => string): string => {
  const series = seriesOf(call)
  const perBlock = series !== undefined && Call.isPerBlock(call)
  const fields = series === undefined ? sorted : [series.entity, ...(perBlock ? ["height", "block_hash"] : ["time"])]
  const names = fields.length === 0 ? [firstKey(record) ?? ""] : fields
  const found = names.map((name) => textOf(record, name) ?? "?").join(", ")
  // Cut after the key is out, lest half of it stay.
  return scrub(found).slice(0, 200)
}
