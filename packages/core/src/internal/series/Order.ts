/**
 * Finds records that are repeated or out of order: a page that comes twice, pages that overlap, a batch that goes back.
 *
 * By default only the first and the last record of a batch are compared; those between them only where these two have
 * different entities or are out of order. This has no measurable cost. Comparing every record with the one before it takes
 * 6 to 7 % of the time of parsing, so it is done only where disorder fails the call.
 */
import * as Call from "../call/Call.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Json from "../wire/Json.ts"
import * as Series from "./Series.ts"

/** The order that records should have. */
export interface ExpectedOrder {
  /** The fields by which the service promises to sort a list; none where it promises nothing. */
  readonly sorted: ReadonlyArray<string>
  readonly call: Call.Call
  /** Whether they come in descending order. */
  readonly reverse: boolean
  /** Removes the key from what the records hold. */
  readonly scrub: (text: string) => string
}

/** A record that is repeated or out of order. */
export interface Disorder {
  /** Its index in the batch. */
  readonly index: number
  /**
   * How many records of the batch may be emitted before a failure. Records that should come after this one are not: a
   * caller that continues from the last of them would miss it.
   */
  readonly emittable: number
  /** Describes the disorder and the record before it. */
  readonly issue: string
}

/** Checks the order of the records of one stream. */
export interface OrderChecker {
  /** Checks the next batch, which may begin a page. Reports the first disorder only. */
  readonly check: (records: ReadonlyArray<unknown>, beginsPage: boolean) => Disorder | undefined
}

type Relation = "ordered" | "repeated" | "out of order"

/** Compares a record with one that came before it. */
type Compare = (before: unknown, record: unknown) => Relation

/** How far a record is from one that came before it, in the order of a series; 0 where that does not tell them apart. */
type Difference = (before: unknown, record: unknown) => number

/** The first record of a page is compared with this many before it. More would mean keeping whole pages. */
const maxOverlap = 100

/** Builds the checker of a stream. A thorough one compares every record with the one before it. */
export const make = (expected: ExpectedOrder, isThorough: boolean): OrderChecker => {
  const { call, sorted } = expected
  const series = seriesOf(call)
  const difference: Difference = series === undefined ? () => 0 : differenceOf(series, call)
  const forward = series === undefined ? ofList(sorted) : ofSeries(series, call, difference)
  const compare: Compare = expected.reverse ? (before, record) => forward(record, before) : forward
  const entities = series !== undefined && Series.isByEntity(series, call) ? makeEntityTracker(series) : undefined
  let last: unknown
  let firstOfPage: unknown
  /**
   * The last records of a list, or of a position that several share: what a page may overlap with unseen. A lazy record that is
   * looked at is built, so of a series no others are.
   */
  let tail: ReadonlyArray<unknown> = []
  let isFound = false
  let hasPages = false

  const find = (records: ReadonlyArray<unknown>, returned: number): Disorder | undefined => {
    const at = (index: number) => (index === 0 ? last : records[index - 1])
    const isWrong = (record: unknown, index: number) =>
      at(index) !== undefined && compare(at(index), record) !== "ordered"
    const wrong = records.findIndex(isWrong)
    const index = Math.min(...[wrong, returned].filter((place) => place >= 0))
    if (index === Infinity) return undefined
    const [record, before] = [records[index], at(index)]
    if (wrong === index && compare(before, record) === "repeated") return repeated(index, record)
    const issue = `the record ${nameIn(expected, record)} comes after ${nameIn(expected, before)}`
    return { index, emittable: countBefore(records, index), issue }
  }

  /** Counts the records that belong before the one at `index`; all of them where it belongs before the whole batch. */
  const countBefore = (records: ReadonlyArray<unknown>, index: number): number => {
    const record = records[index]
    if (last !== undefined && compare(last, record) !== "ordered") return index
    const after = records.findIndex((other, place) => place < index && compare(other, record) !== "ordered")
    return after === -1 ? index : after
  }

  const repeated = (index: number, record: unknown, what = "record"): Disorder => ({
    index,
    emittable: index,
    issue: `the ${what} ${nameIn(expected, record)} is repeated`
  })

  const findIn = (records: ReadonlyArray<unknown>, beginsPage: boolean): Disorder | undefined => {
    const [first, end] = [records[0], records[records.length - 1]]
    if (beginsPage && firstOfPage !== undefined && isIdentical(firstOfPage, first)) {
      return repeated(0, first, "page that begins with")
    }
    // Only at the start of a page: for every batch it would take a fifth of the time of parsing.
    const isFirst = (record: unknown) =>
      series === undefined
        ? isIdentical(record, first)
        : Series.isIdentified(series, record) && Series.isSame(series, record, first)
    if (beginsPage && tail.some(isFirst)) return repeated(0, first)
    const returned = entities === undefined ? -1 : entities.firstReturned(records, isThorough)
    const isOrdered =
      !isThorough &&
      returned === -1 &&
      (last === undefined || compare(last, first) === "ordered") &&
      (first === end || compare(first, end) === "ordered")
    return isOrdered ? undefined : find(records, returned)
  }

  return {
    check: (records, beginsPage) => {
      if (isFound || records.length === 0) return undefined
      const disorder = findIn(records, beginsPage)
      isFound = disorder !== undefined
      if (beginsPage) firstOfPage = records[0]
      hasPages ||= beginsPage
      last = records[records.length - 1]
      // Lines have no pages that could overlap.
      if (hasPages && (series === undefined || series.identity !== undefined)) {
        const least = Math.max(0, records.length - maxOverlap)
        let from = records.length - 1
        while (from > least && difference(records[from - 1], last) === 0) from--
        const tied = records.slice(from)
        tail = (from === 0 ? [...tail, ...tied] : tied).slice(-maxOverlap)
      }
      return disorder
    }
  }
}

/** The series a call reads; nothing where it asks for an order that is unknown here. */
const seriesOf = (call: Call.Call): Series.Series | undefined => {
  const series = Series.of(call)
  const sort = Call.valueOf(call, "Sort")
  return [undefined, series?.entity, "time", "height"].some((field) => field === sort) ? series : undefined
}

const differenceOf = ({ position }: Series.Series, call: Call.Call): Difference => {
  const sort = Call.valueOf(call, "Sort")
  return sort === "height" || (sort !== "time" && position === "height") ? compareHeights : compareTimes
}

const ofSeries = (series: Series.Series, call: Call.Call, difference: Difference): Compare => {
  const byEntity = Series.isByEntity(series, call)
  return (before, record) => {
    if (byEntity && Series.entityOf(series, before) !== Series.entityOf(series, record)) return "ordered"
    const sign = difference(before, record)
    if (sign !== 0) return sign > 0 ? "ordered" : "out of order"
    const isRepeated = Series.isIdentified(series, record) && Series.isSame(series, before, record)
    return isRepeated ? "repeated" : "ordered"
  }
}

const compareTimes: Difference = (before, record) => {
  const [a, b] = [Series.textOf(before, "time"), Series.textOf(record, "time")]
  if (a === undefined || b === undefined) return 1
  // Texts of one length usually have one format, which sorts by time.
  return a.length === b.length ? (a < b ? 1 : a === b ? 0 : -1) : Timestamp.Order(b, a)
}

const compareHeights: Difference = (before, record) => {
  const difference = Number(Series.textOf(record, "height")) - Number(Series.textOf(before, "height"))
  return Number.isNaN(difference) ? 1 : difference
}

/** No more entities are remembered, so that an endless reply cannot fill the memory. */
const maxEntities = 100_000

/** Tracks the entities of a series. One that comes back after another is out of order, however their names sort. */
const makeEntityTracker = (series: Series.Series) => {
  const seen = new Set<string>()
  let current: string | undefined
  const returns = (record: unknown): boolean => {
    const entity = Series.entityOf(series, record)
    if (entity === current || entity === undefined) return false
    current = entity
    if (seen.has(entity)) return true
    if (seen.size < maxEntities) seen.add(entity)
    return false
  }
  return {
    /** The index of the first record whose entity came back. Between two of one entity it is searched only if thorough. */
    firstReturned: (records: ReadonlyArray<unknown>, isThorough: boolean): number => {
      const isOne = Series.entityOf(series, records[0]) === Series.entityOf(series, records[records.length - 1])
      return (isOne && !isThorough ? [records[0]] : records).findIndex(returns)
    }
  }
}

/**
 * Compares records of a list by the fields the service promises to sort by. Where it promises no order, only two equal
 * records in a row can be recognized as an error.
 */
const ofList = (sorted: ReadonlyArray<string>): Compare => {
  return (before, record) => {
    for (const field of sorted) {
      const [a, b] = [Series.textOf(before, field), Series.textOf(record, field)]
      if (a === undefined || b === undefined) return "ordered"
      if (a !== b) return a < b || simplified(a) <= simplified(b) ? "ordered" : "out of order"
    }
    return isIdentical(before, record) ? "repeated" : "ordered"
  }
}

/** Databases sort capitals and punctuation differently, so records that are in order without them count as in order. */
const simplified = (text: string) => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/** Compares the first field before the rest, because records of a catalog may be large. */
const isIdentical = (record: unknown, other: unknown): boolean => {
  const name = Series.firstKey(record)
  return name !== undefined && Series.textOf(record, name) === Series.textOf(other, name) && Json.isSame(record, other)
}

const nameIn = ({ call, scrub, sorted }: ExpectedOrder, record: unknown): string => {
  const series = seriesOf(call)
  const fields = series === undefined ? sorted : [series.entity, series.position, ...(series.identity ?? [])]
  const names = fields.length === 0 ? [Series.firstKey(record) ?? ""] : fields
  const found = names.map((name) => Series.textOf(record, name) ?? "?").join(", ")
  // Truncated after the key is removed, so that no half of it stays.
  return scrub(found).slice(0, 200)
}
