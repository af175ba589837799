/** How many records a series without a frequency has, and how many bytes a record takes, from a few pages of it. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Endpoint from "../../Endpoint.ts"
import * as Timestamp from "../../Timestamp.ts"
import * as Call from "../call/Call.ts"
import * as Series from "../series/Series.ts"
import type { Span } from "./Coverage.ts"
import * as Estimate from "../bulk/Estimate.ts"

/** What pages have told. */
export interface Samples {
  /** Records of the first page that has some. */
  readonly records: ReadonlyArray<unknown>
  /** How many records an entity has in a span, as far as the pages tell; `isExact` where they were all its records. */
  readonly countIn: (entity: string, span: Span) => { readonly count: number; readonly isExact: boolean } | undefined
  /** Entities of which there were records to be read. */
  readonly entities: number
}

/** Entities of a request for a sample. */
const mostEntities = 40

/** Records of a page where nothing tells how many bytes they take. */
const fewRecords = 100

/** What is sampled. */
export interface Subject {
  readonly endpoint: Endpoint.Info
  /** Parameters of one of the parts. */
  readonly params: object
  readonly series: Series.Series
  /** The entities, and where each may have records. */
  readonly spans: ReadonlyMap<string, Span>
}

/** Reads one small page, to see what a record is like. */
export const one = Effect.fnUntraced(function* (subject: Subject) {
  const spans = some(subject.spans)
  const [first] = spans.values()
  if (first === undefined) return nothing
  const from = { first: (first.first + first.last) / 2n, last: hull(spans).last }
  const { records } = yield* pageOf(subject, spans, from, fewRecords)
  return { ...nothing, records }
})

/**
 * Reads pages to see how many records there are. First one over the whole range, which is all where it has no successor. Then
 * one of each of some windows of the range, of a length that fits a page at the density of the first.
 */
export const many = Effect.fnUntraced(function* (subject: Subject, most: number) {
  const spans = some(subject.spans)
  if (spans.size === 0 || most < 1) return nothing
  const whole = hull(spans)
  const size = Estimate.lastPageSize(subject.endpoint, subject.params) ?? fewRecords
  const first = yield* pageOf(subject, spans, whole, size)
  const early = tally(subject, spans, whole, first)
  const isAll = first.isLast
  const times = isAll ? timesOf(subject, first.records) : undefined
  const tallies = [early]
  const rate = rateOf(tallies)
  if (!isAll && most > 1 && rate !== undefined && rate > 0) {
    const count = most - 1
    const wanted = BigInt(Math.ceil(size / 2 / (rate * spans.size)))
    const stratum = (whole.last - whole.first) / BigInt(count)
    const length = wanted < stratum ? wanted : stratum
    const windows = Array.from({ length: count }, (_, index): Span => {
      const start = whole.first + stratum * BigInt(index) + (stratum - length) / 2n
      return { first: start, last: start + length }
    })
    const pages = yield* Effect.forEach(windows, (window) =>
      Effect.map(pageOf(subject, spans, window, size), (page) => tally(subject, spans, window, page))
    )
    // The first page tells of the beginning alone.
    tallies.splice(0, 1, ...pages)
  }
  const mean = rateOf(tallies)
  const countIn: Samples["countIn"] = (entity, span) => {
    if (times !== undefined && spans.has(entity)) {
      const own = times.get(entity) ?? []
      return { count: own.filter((time) => time >= span.first && time <= span.last).length, isExact: true }
    }
    const rate = rateOf(tallies, entity) ?? mean
    return rate === undefined ? undefined : { count: rate * lengthOf(span), isExact: false }
  }
  return { records: first.records, countIn, entities: spans.size }
})

const nothing: Samples = { records: [], countIn: () => undefined, entities: 0 }

const lengthOf = ({ first, last }: Span) => Math.max(0, Number(last - first))

/** Entities spread evenly over all. Records do not have the names of other providers, nor wildcards. */
const some = (spans: ReadonlyMap<string, Span>): ReadonlyMap<string, Span> => {
  const all = [...spans].filter(([name, { first, last }]) => last >= first && !/[*:]/.test(name))
  const step = Math.max(1, all.length / mostEntities)
  return new Map(Array.from({ length: Math.min(all.length, mostEntities) }, (_, n) => all[Math.floor(n * step)]!))
}

const hull = (spans: ReadonlyMap<string, Span>): Span =>
  [...spans.values()].reduce((a, b) => ({
    first: a.first < b.first ? a.first : b.first,
    last: a.last > b.last ? a.last : b.last
  }))

const overlap = (a: Span, b: Span): Span => ({
  first: a.first > b.first ? a.first : b.first,
  last: a.last < b.last ? a.last : b.last
})

interface Sampled {
  readonly records: ReadonlyArray<unknown>
  /** Whether there are no more in the range. */
  readonly isLast: boolean
}

const pageOf = Effect.fnUntraced(function* (
  { endpoint, params, series }: Subject,
  spans: ReadonlyMap<string, Span>,
  range: Span,
  size: number
) {
  const plain = Call.without(Call.make(endpoint, params), "Format", "PageToken", "PageFrom", "PageSize", "TimeZone")
  const call = Call.without(plain, "Start", "End", "StartInclusive", "EndInclusive", "LimitPer", "Limit", "Opening")
  const [start = "", end = ""] = [Call.nameOf(call, "Start", "time"), Call.nameOf(call, "End", "time")]
  const page = Call.set(call, {
    [series.entities]: [...spans.keys()],
    [start]: Timestamp.fromEpochNanos(range.first),
    [end]: Timestamp.fromEpochNanos(range.last),
    [Call.nameOf(call, "PageSize") ?? ""]: size
  })
  // Type boundary: the parameters of the part were checked, and are checked again by the call.
  const pages = (endpoint as Endpoint.Any).pages(Call.paramsOf(page) as never)
  const found = Option.getOrUndefined(yield* Stream.runHead(pages))
  const sampled: Sampled = { records: found?.data ?? [], isLast: found?.next_page_token === undefined }
  return sampled
})

const timeOf = (record: unknown) => Result.getOrUndefined(Timestamp.toEpochNanos(Series.textOf(record, "time") ?? ""))

const timesOf = ({ series }: Subject, records: ReadonlyArray<unknown>) => {
  const times = new Map<string, Array<bigint>>()
  for (const record of records) {
    const [entity, time] = [Series.entityOf(series, record), timeOf(record)]
    if (entity === undefined || time === undefined) continue
    const own = times.get(entity)
    if (own === undefined) times.set(entity, [time])
    else own.push(time)
  }
  return times
}

/** Records of each entity, and the nanoseconds in which they were all that there were. */
type Tally = ReadonlyMap<string, { readonly count: number; readonly nanos: number }>

/** Counts a page. Of one with a successor, its last entity was read up to the last record, and the entities behind it not at all. */
const tally = (
  subject: Subject,
  spans: ReadonlyMap<string, Span>,
  range: Span,
  { isLast, records }: Sampled
): Tally => {
  const times = timesOf(subject, records)
  const last = Series.entityOf(subject.series, records.at(-1))
  const entries = [...spans].flatMap(([entity, span]) => {
    const within = overlap(span, range)
    const own = times.get(entity) ?? []
    if (isLast || (last !== undefined && entity < last)) {
      return [[entity, { count: own.length, nanos: lengthOf(within) }] as const]
    }
    const end = entity === last ? own.at(-1) : undefined
    return end === undefined
      ? []
      : [[entity, { count: own.length, nanos: lengthOf({ first: within.first, last: end }) }] as const]
  })
  return new Map(entries)
}

/** Records of an entity, or of all of them on average, in a nanosecond. */
const rateOf = (tallies: ReadonlyArray<Tally>, entity?: string): number | undefined => {
  let [count, nanos] = [0, 0]
  for (const tally of tallies) {
    for (const [name, one] of tally) {
      if (entity !== undefined && name !== entity) continue
      count += one.count
      nanos += one.nanos
    }
  }
  return nanos === 0 ? undefined : count / nanos
}

/** The bytes of records as NDJSON. */
export const bytesOf = (records: ReadonlyArray<unknown>): number =>
  new TextEncoder().encode(records.map((record) => `${JSON.stringify(record)}\n`).join("")).length

/** Whether pages of a part of its range can be requested at all. */
export const canRead = (call: Call.Call): boolean =>
  Call.nameOf(call, "Start", "time") !== undefined &&
  Call.nameOf(call, "End", "time") !== undefined &&
  call.endpoint.parameters.has(Call.nameOf(call, "PageSize") ?? "") &&
  Predicate.isNotUndefined(Call.maxPageSize(call))
