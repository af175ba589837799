/** What parts come to before they are read: requests, records, bytes and time. */
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Client } from "../../Client.ts"
import * as Discover from "../../Discover.ts"
import type * as Endpoint from "../../Endpoint.ts"
import * as Parameter from "../../Parameter.ts"
import * as Params from "../../Params.ts"
import type * as Quota from "../../Quota.ts"
import * as Call from "../call/Call.ts"
import * as OptionRules from "../call/OptionRules.ts"
import * as Wildcard from "../call/Wildcard.ts"
import * as Series from "../series/Series.ts"
import * as Amount from "./Amount.ts"
import * as Coverage from "./Coverage.ts"
import * as Grid from "./Grid.ts"
import type { Part } from "../bulk/Parts.ts"
import * as PartRequests from "./PartRequests.ts"
import * as Samples from "./Samples.ts"

const figures = {
  requests: Amount.Amount,
  records: Amount.Amount,
  bytes: Amount.Amount,
  /** Milliseconds that the requests take under the rate limit, if nothing else does. */
  millis: Amount.Amount
}

/** Schema of {@link Plan}. */
export const Plan = Schema.Struct({
  /** Path of the endpoint. */
  endpoint: Schema.String,
  parts: Schema.Int,
  total: Schema.Struct(figures),
  /** By entity. The requests of a part of several entities count for each of them, and once in the total. */
  entities: Schema.Array(Schema.Struct({ entity: Schema.String, ...figures })),
  /** Requests of the total that no entity has. Those of a download check whether the key may read what is asked for. */
  otherRequests: Schema.Int,
  /** Requests that the plan itself took. */
  asked: Schema.Int,
  quota: Schema.Struct({
    plan: Schema.NullOr(Schema.String),
    /** Requests in a window; null where there is no limit. */
    limit: Schema.NullOr(Schema.Finite),
    /** Milliseconds. */
    window: Schema.Finite,
    /** Whether the service, or the configuration, named the plan. Otherwise the strictest is assumed. */
    isKnown: Schema.Boolean
  }),
  /** What the plan cannot know, a sentence each. */
  unknown: Schema.Array(Schema.String)
})
/** What parts come to before they are read. */
export type Plan = typeof Plan.Type

/** A plan takes more than is allowed. Nothing of it was requested. */
export class PlanExceeded extends Schema.TaggedError<PlanExceeded>()("PlanExceeded", {
  /** Path of the endpoint. */
  endpoint: Schema.String,
  /** The option that is exceeded. */
  option: Schema.Literals(["maxRequests", "maxBytes"]),
  /** What is planned; null where that is not known, and may be any number. */
  planned: Schema.NullOr(Schema.Finite),
  /** Whether `planned` is known, an estimate, or the least that it can be. */
  certainty: Schema.Literals(["exact", "about", "atLeast"]),
  /** What is allowed. */
  allowed: Schema.Finite
}) {
  override get message() {
    const what = this.option === "maxBytes" ? "bytes" : "requests"
    const planned = this.planned === null ? `an unknown number of ${what}` : `${this.planned} ${what}`
    const words = { exact: "", about: "about ", atLeast: "at least " }
    const how = this.planned === null ? "" : words[this.certainty]
    return `${this.endpoint}: would take ${how}${planned}, and ${this.option} is ${this.allowed}; the download did not begin`
  }
}

/** How a plan is made, and what it may come to. */
export interface PlanOptions {
  /** The most requests that may be planned. */
  readonly maxRequests?: number | undefined
  /** The most bytes that may be planned. */
  readonly maxBytes?: number | undefined
  /**
   * The most pages that are requested as samples; with 0 nothing is known that a catalog does not tell. Default: as many as make
   * five requests with those of the catalog.
   */
  readonly samples?: number | undefined
  /** The order in which the parts will be read, as of `Bulk.records`. */
  readonly order?: "arrival" | "parts" | undefined
  /** Whether the ends of json_streams are checked. Default true. */
  readonly checkEnd?: boolean | undefined
  /** Requests that are sent beside those of the parts. Default 0. */
  readonly otherRequests?: number | undefined
  /** The bytes of records where they are written. Default: those of NDJSON. */
  readonly measure?: ((records: ReadonlyArray<unknown>) => Effect.Effect<number>) | undefined
}

const isCount: (value: unknown) => boolean = (value) => Predicate.isNumber(value) && value >= 0
const rules: OptionRules.Rules<PlanOptions> = {
  maxRequests: [isCount, "must be a number from 0 up"],
  maxBytes: [isCount, "must be a number from 0 up"],
  samples: [isCount, "must be a number from 0 up"],
  order: [(value) => value === "arrival" || value === "parts", 'must be "arrival" or "parts"'],
  checkEnd: [Predicate.isBoolean, "must be true or false"],
  otherRequests: [isCount, "must be a number from 0 up"],
  measure: [Predicate.isFunction, "must be a function"]
}

/** The requests of a plan, unless its catalog alone takes more; a sample is always one of them. */
const mostAsked = 5

/** Makes the plan of parts. Asks a catalog of the context, or one of its own. */
export const make = Effect.fnUntraced(function* (
  endpoint: Endpoint.Info,
  parts: ReadonlyArray<Part<object>>,
  options: PlanOptions = {}
) {
  const { otherRequests = 0, measure = (records) => Effect.sync(() => Samples.bytesOf(records)) } = options
  const fault = OptionRules.faultOf(endpoint.path, rules, options)
  if (fault !== undefined) return yield* fault
  // Each part takes a request at least, which needs no question.
  yield* refuse(endpoint, "maxRequests", Amount.between(parts.length + otherRequests, null), options, true)
  const client = yield* Client
  const before = (yield* client.quota.state).sent
  const unknown = new Set<string>()
  const calls = parts.map(({ params }) => Call.make(endpoint, params))
  const [whole] = calls
  const series = whole === undefined ? undefined : Series.of(whole)
  const context = yield* Effect.context<never>()
  const discover = Option.getOrUndefined(Context.getOption(context, Discover.Discover)) ?? (yield* Discover.make())
  const named = series === undefined ? [] : namesIn(calls, series.entities)
  const coverage =
    series === undefined || whole === undefined
      ? undefined
      : yield* Coverage.read(endpoint, Call.paramsOf(whole), series.entities, named).pipe(
          Effect.provideService(Discover.Discover, discover)
        )
  if (coverage === undefined) unknown.add("no catalog tells from when to when there are records")

  const left = mostAsked - ((yield* client.quota.state).sent - before)
  const most = Math.min(options.samples ?? mostAsked, Math.max(1, left))

  const spansOf = (call: Call.Call): ReadonlyMap<string, Coverage.Span | undefined> => {
    if (series === undefined) return new Map()
    const range = rangeOf(call)
    const all = expanded(Params.items(call.values.get(series.entities)), coverage)
    return new Map(all.map((name) => [name, within(range, name, coverage)]))
  }
  const grid =
    series === undefined || series.identity !== undefined || whole === undefined || !Call.isUtc(whole)
      ? undefined
      : Grid.of(Parameter.frequencyOf(endpoint, Call.paramsOf(whole)) ?? "")
  const spans = new Map<string, Coverage.Span>()
  const perPart = calls.map(spansOf)
  for (const part of perPart) {
    for (const [name, span] of part) {
      const known = spans.get(name)
      if (span === undefined || span.last < span.first) continue
      spans.set(name, known === undefined ? span : hull(known, span))
    }
  }
  const isOpen = perPart.some((part) => [...part.values()].includes(undefined))
  if (isOpen) unknown.add("where the request names no start or end, the records have no bound that is known")
  const canSample = whole !== undefined && series !== undefined && spans.size > 0 && most > 0 && Samples.canRead(whole)
  const subject = canSample ? { endpoint, params: Call.paramsOf(whole), series, spans } : undefined
  const samples =
    subject === undefined ? undefined : yield* grid === undefined ? Samples.many(subject, most) : Samples.one(subject)
  if (grid === undefined) {
    unknown.add(
      samples === undefined || samples.entities === 0
        ? "nothing tells how many records there are: no frequency does, and no page of the range was read"
        : samples.entities < spans.size
          ? `records are estimated from pages of ${samples.entities} of ${spans.size} entities`
          : "records without a frequency are estimated from some pages"
    )
  } else {
    unknown.add("a catalog does not list the holes of a series")
  }

  const countOf = (call: Call.Call, entity: string, span: Coverage.Span | undefined): Amount.Amount => {
    if (span === undefined) return Amount.between(0, null)
    if (span.last < span.first) return Amount.exactly(0)
    if (grid !== undefined) {
      const anchored = { ...grid, anchor: grid.anchor ?? coverage?.get(entity)?.first }
      const count = limited(call, Grid.countIn(anchored, span))
      return coverage === undefined
        ? Amount.between(0, count)
        : Amount.about(count, 0, count + (Grid.isEven(grid) ? 0 : 1))
    }
    const found = samples?.countIn(entity, span)
    if (found === undefined) return Amount.between(0, null)
    const count = limited(call, Math.round(found.count))
    return found.isExact ? Amount.exactly(count) : Amount.about(count, 0, null)
  }

  const byEntity = new Map<
    string,
    { readonly records: Array<Amount.Amount>; readonly requests: Array<Amount.Amount> }
  >()
  const requests = calls.map((call, index) => {
    const part = perPart[index] ?? new Map<string, Coverage.Span | undefined>()
    const counts = [...part].map(([entity, span]) => [entity, countOf(call, entity, span)] as const)
    const records = series === undefined ? Amount.between(0, null) : Amount.sum(counts.map(([, count]) => count))
    const last = grid === undefined || !Grid.isEven(grid) || coverage === undefined ? undefined : lastOf(grid, part)
    const amount = PartRequests.of(endpoint, call, records, last, options)
    for (const [entity, count] of counts) {
      const own = byEntity.get(entity) ?? { records: [], requests: [] }
      own.records.push(count)
      own.requests.push(amount)
      byEntity.set(entity, own)
    }
    return amount
  })

  const sampled = samples?.records ?? []
  const perRecord = sampled.length === 0 ? undefined : (yield* measure(sampled)) / sampled.length
  if (perRecord === undefined) unknown.add("no record was read that tells how many bytes one takes")
  const { quota } = client
  const state = yield* quota.state
  const figuresOf = (requests: Amount.Amount, records: Amount.Amount) => ({
    requests,
    records,
    bytes:
      records.most === 0
        ? Amount.exactly(0)
        : perRecord === undefined || records.expected === null
          ? Amount.between(0, null)
          : Amount.about(Math.round(records.expected * perRecord), 0, null),
    millis: Amount.map({ ...requests, isExact: false }, (count) => timeOf(count, state))
  })
  const entities = [...byEntity].map(([entity, own]) => ({
    entity,
    ...figuresOf(Amount.sum(own.requests), Amount.sum(own.records))
  }))
  const records = series === undefined ? Amount.between(0, null) : Amount.sum(entities.map((one) => one.records))
  const total = figuresOf(Amount.sum([...requests, Amount.exactly(otherRequests)]), records)
  const plan: Plan = {
    endpoint: endpoint.path,
    parts: parts.length,
    total,
    entities,
    otherRequests,
    asked: state.sent - before,
    quota: {
      plan: state.plan ?? null,
      limit: Number.isFinite(state.limit) ? state.limit : null,
      window: Duration.toMillis(state.window),
      isKnown: state.plan !== undefined
    },
    unknown: [...unknown]
  }
  yield* refuse(endpoint, "maxRequests", total.requests, options)
  yield* refuse(endpoint, "maxBytes", total.bytes, options)
  return plan
})

/** Fails where an amount is beyond an option. What is unknown may be, unless it is only looked at beforehand. */
const refuse = Effect.fnUntraced(function* (
  { path }: Endpoint.Info,
  option: "maxRequests" | "maxBytes",
  { expected, isExact, least, most }: Amount.Amount,
  options: PlanOptions,
  isBeforehand = false
) {
  const allowed = options[option]
  if (allowed === undefined || (most !== null && most <= allowed)) return
  const known = expected ?? (least > allowed ? least : null)
  if (known === null ? isBeforehand : known <= allowed) return
  const certainty = isExact ? "exact" : expected === null ? "atLeast" : "about"
  return yield* new PlanExceeded({ endpoint: path, option, planned: known, certainty, allowed })
})

/** Milliseconds until so many requests have been sent, each as soon as the window lets it. */
const timeOf = (count: number, { limit, remaining, window }: Quota.State): number =>
  Number.isFinite(limit) && limit > 0 && count > remaining
    ? Math.ceil((count - remaining) / limit) * Duration.toMillis(window)
    : 0

const namesIn = (calls: ReadonlyArray<Call.Call>, list: string): ReadonlyArray<string> => [
  ...new Set(calls.flatMap(({ values }) => Params.items(values.get(list))))
]

/** The entities of a list, with those that its wildcards stand for, each once. */
const expanded = (items: ReadonlyArray<string>, coverage: Coverage.Coverage | undefined): ReadonlyArray<string> => {
  if (coverage === undefined || !items.some(Wildcard.is)) return items
  const matchers = items.map(Wildcard.matcher)
  return [...coverage.keys()].filter((name) => matchers.some((matches) => matches(name)))
}

/** The range of a call with both of its ends, as far as it has them. */
const rangeOf = (call: Call.Call) => {
  const { end, start } = Call.rangeOf(call)
  const isAfter = Call.valueOf(call, "StartInclusive") === false
  return {
    first: start === undefined ? undefined : isAfter ? start + 1n : start,
    last: end === undefined ? undefined : end.isIncluded ? end.nanos : end.nanos - 1n
  }
}

/** Where an entity may have records of a range; undefined where nothing bounds it. */
const within = (
  { first, last }: ReturnType<typeof rangeOf>,
  name: string,
  coverage: Coverage.Coverage | undefined
): Coverage.Span | undefined => {
  // What a catalog does not list has no records, whatever the range.
  if (coverage !== undefined && !coverage.has(name)) return { first: 0n, last: -1n }
  const covered = coverage?.get(name)
  if (covered === undefined && Wildcard.is(name)) return undefined
  if (covered === undefined) return first === undefined || last === undefined ? undefined : { first, last }
  return {
    first: first === undefined || first < covered.first ? covered.first : first,
    last: last === undefined || last > covered.last ? covered.last : last
  }
}

const hull = (a: Coverage.Span, b: Coverage.Span): Coverage.Span => ({
  first: a.first < b.first ? a.first : b.first,
  last: a.last > b.last ? a.last : b.last
})

/** The time of the last record of a part of one entity. */
const lastOf = (grid: Grid.Grid, part: ReadonlyMap<string, Coverage.Span | undefined>): bigint | undefined => {
  const [span, ...others] = part.values()
  return span === undefined || others.length > 0 ? undefined : Grid.lastIn(grid, span)
}

/** A limit counts the records of an entity. */
const limited = (call: Call.Call, count: number): number => {
  const limit = Number(Call.valueOf(call, "LimitPer"))
  return limit > 0 ? Math.min(limit, count) : count
}
