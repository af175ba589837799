/** Series that a dataset keeps, with definitions that begin smaller and grow, and what a dataset of one has to hold. */
import { Client, type Endpoint, Timeseries } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Clock, Effect, Redacted, Stream } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as Auditor from "./Auditor.ts"

const day = 86_400_000

/** Parameters as texts, lists with commas. */
export type Params = Readonly<Record<string, string>>

export interface Series {
  readonly endpoint: Endpoint.Any
  readonly params: Params
  /** What of the parameters a definition may begin with, and grow to all. */
  readonly fewer: Params
  readonly entity: string
  /** The path of the live stream with its records, where there is one. */
  readonly live: string | undefined
  /** A metric without which a record is left out. */
  readonly only?: string
}

// Type boundary: an endpoint whose parameters have types of its own is kept as one whose parameters are data.
const series = (endpoint: Endpoint.Info, entity: string, params: Params, fewer: Params, live?: string): Series => ({
  endpoint: endpoint as Endpoint.Any,
  entity,
  params,
  fewer,
  live
})

/** By name and by wildcard, whose entities come, go and are renamed; of days and of hours. */
export const all: ReadonlyArray<Series> = [
  series(
    Timeseries.assetMetrics,
    "asset",
    { assets: "btc,eth,usdc", metrics: "FlowInExUSD,PriceUSD", frequency: "1d", start_time: "2026-09-14" },
    { assets: "btc,usdc", metrics: "PriceUSD", start_time: "2026-09-24" }
  ),
  series(
    Timeseries.assetMetrics,
    "asset",
    { assets: "dai_*,en*,gal*,qu*,usdt_*", metrics: "PriceUSD", frequency: "1d", start_time: "2026-09-26" },
    { start_time: "2026-09-28" }
  ),
  series(
    Timeseries.exchangeMetrics,
    "exchange",
    {
      exchanges: "binance,coinbase,kraken",
      metrics: "volume_reported_spot_usd_1d,open_interest_reported_future_all_margin_usd",
      start_time: "2026-09-14"
    },
    { exchanges: "binance,kraken", metrics: "volume_reported_spot_usd_1d", start_time: "2026-09-24" }
  ),
  series(
    Timeseries.marketCandles,
    "market",
    { markets: "coinbase-btc-usd-spot,kraken-eth-usd-spot", frequency: "1h", start_time: "2026-09-29" },
    { markets: "coinbase-btc-usd-spot", start_time: "2026-09-30" },
    "/timeseries-stream/market-candles"
  ),
  series(
    Timeseries.institutionMetrics,
    "institution",
    { institutions: "*", metrics: "btc_total_assets,eth_shares_outstanding", start_time: "2026-09-14" },
    { metrics: "btc_total_assets", start_time: "2026-09-24" }
  ),
  series(
    Timeseries.indexLevels,
    "index",
    { indexes: "CMBI10,CMBIBTC", frequency: "1h", start_time: "2026-09-29" },
    { indexes: "CMBIBTC", start_time: "2026-09-30" }
  )
]

export type Fields = Readonly<Record<string, unknown>>

/** Those records that count: one of several metrics may be there for another of them. */
const counted = ({ only }: Series, rows: ReadonlyArray<Fields>) =>
  only === undefined ? rows : rows.filter((row) => (row[only] ?? null) !== null)

const keyOf = ({ entity }: Series, row: Fields) => `${String(row[entity])} ${String(row["time"])}`

/** A series without its second metric, which is retired, and what is to be so of rows that have it; nothing where it has no other. */
export const retiring = (series: Series) => {
  const [first = "", metric] = (series.params["metrics"] ?? "").split(",")
  if (metric === undefined) return undefined
  const { metrics: _, ...fewer } = series.fewer
  const bare: Series = { ...series, params: { ...series.params, metrics: first }, fewer, only: first }
  let held = new Map<string, unknown>()
  /** Gives rows as they would be without the metric. Where it is retired, its values stay. */
  const see = (rows: ReadonlyArray<Fields>, isRetired: boolean) => {
    const values = new Map(rows.map((row) => [keyOf(series, row), row[metric] ?? null]))
    const lost = [...held].find(([key, value]) => value !== null && values.get(key) !== value)
    held = values
    const isOther = ([name]: [string, unknown]) => !name.startsWith(metric)
    const plain = rows.map((row): Fields => Object.fromEntries(Object.entries(row).filter(isOther)))
    const found = isRetired && lost !== undefined ? [`${metric} of ${lost[0]} is no longer ${String(lost[1])}`] : []
    return Effect.as(Auditor.none(found), counted(bare, plain))
  }
  const isHeld = () => [...held.values()].some((value) => value !== null)
  return { bare, metric, all: { metrics: `${first},${metric}` }, isHeld, see }
}

export const truthOf = Effect.fnUntraced(function* (series: Series, params: Params) {
  const { url } = yield* Sandbox.Sandbox
  const client = Client.layer({ root: url, apiKey: Redacted.make("demo-key") })
  // Type boundary: the parameters are those of the series, and of its records fields are read by name.
  const all = yield* Effect.provide(Stream.runCollect(series.endpoint(params as never)), client, { local: true })
  return counted(series, all as ReadonlyArray<Fields>)
})

/** Notes the moments at which a service is asked and answers. */
export const noting = (http: HttpClient.HttpClient, moments: Set<number>) => {
  const note = Effect.map(Clock.currentTimeMillis, (now) => moments.add(now))
  return HttpClient.transform(http, (send) => Effect.tap(Effect.andThen(note, send), note))
}

/** Everything that the service has said at some moments of the past. */
export const saidAt = Effect.fnUntraced(function* (series: Series, params: Params, moments: ReadonlySet<number>) {
  const clock = yield* Clock.Clock
  const said = yield* Effect.forEach([...moments], (moment) =>
    Effect.provideService(
      truthOf(series, params),
      Clock.Clock,
      WallClock.at(clock, () => moment)
    )
  )
  return said.flat()
})

/** Which of these entities the service refuses by name. */
const refusedOf = (series: Series, params: Params, entities: ReadonlyArray<string>) => {
  const list = Object.keys(params).find((name) => name.startsWith(series.entity))!
  return Effect.filter(entities, (entity) => Effect.isFailure(truthOf(series, { ...params, [list]: entity })))
}

/**
 * What the live stream has sent to whoever followed it since an instant, which begins with the latest record of each entity: of candles
 * of an hour. It has records that the service does not have over HTTP yet.
 */
export const sentOf = Effect.fnUntraced(function* ({ live }: Series, params: Params, since: number) {
  if (live === undefined) return []
  const sandbox = yield* Sandbox.Sandbox
  const query = new URLSearchParams(params)
  query.delete("start_time")
  const between = { after: since - 3_600_000, until: yield* Clock.currentTimeMillis }
  const texts = yield* sandbox.live.series(`${live}?${query}`, between)
  return texts.map((text): Fields => JSON.parse(text))
})

const isNumber = (value: unknown) => typeof value === "string" && /^-?\d+(\.\d+)?$/.test(value)

/**
 * A record as text by which it is compared: as it is, or as a place keeps it that has numbers as doubles, no value for null, and not
 * how far a value was reviewed.
 */
export const textOf = (record: Fields, isExact: boolean): string => {
  const kept = Object.entries(record)
    .filter(([name, value]) => isExact || ((value ?? null) !== null && !/-status(-time)?$/.test(name)))
    .map(([name, value]) => [name, !isExact && isNumber(value) ? Number(value) : value])
  return JSON.stringify(kept.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)))
}

const timeOf = ({ time }: Fields) => Date.parse(String(time))

/** How a dataset is kept, as far as it changes what has to be there. */
export interface Promise<E, R> {
  readonly series: Series
  /** What is asked for again at the end of an entity, in milliseconds. */
  readonly lookBack: number
  readonly onRemoved: "keep" | "remove"
  /** Whether records are kept as they were sent. */
  readonly isExact: boolean
  /** What the service has said while a run went on, looked up where its records are neither those of before nor of after it. */
  readonly meanwhile: Effect.Effect<ReadonlyArray<Fields>, E, R>
}

/** Follows a dataset from run to run, to tell what it has to hold, and what it may lack. */
export const follow = <E, R>({ isExact, lookBack, meanwhile, onRemoved, series }: Promise<E, R>) => {
  const text = (record: Fields) => textOf(record, isExact)
  const entityOf = (record: Fields) => String(record[series.entity])
  const keyIn = (record: Fields) => keyOf(series, record)
  /** What the service has ever said of the definitions so far. */
  const said = new Set<string>()
  const known = new Set<string>()
  /** Records that came after a run had passed their time, with the last moment at which they may be missing. */
  const late = new Map<string, number>()
  /** The time of each entity from which on a run reads what is held again. */
  const again = new Map<string, number>()
  let before: ReadonlyArray<Fields> = []
  /** Up to where an earlier start is read apart from the look-back: until a run came to its end, as one may leave it half read. */
  let apart = 0
  /** What the service had after runs since one came to its end: a change of a process that was killed may show with the next. */
  let unsure: ReadonlyArray<Fields> = []

  const hear = (truth: ReadonlyArray<Fields>) => {
    for (const record of truth) said.add(text(record))
  }

  const isStrange = (one: string) => !said.has(one)

  const last = (records: ReadonlyArray<Fields>) => {
    const times = new Map<string, { first: number; last: number }>()
    for (const record of records) {
      const time = timeOf(record)
      const { first = time, last = time } = times.get(entityOf(record)) ?? {}
      times.set(entityOf(record), { first: Math.min(time, first), last: Math.max(time, last) })
    }
    return times
  }

  return {
    /**
     * Before a run: what the service has, and what the dataset holds. A record that is new and before what the run reads again fills a
     * hole, which is asked for after a day, two, four, and so on: at most as long again as it was missing for. What comes before the
     * first record that is held is no hole: nothing tells that it was missing. Of a definition that has grown, all is read before
     * a time.
     */
    begin: (truth: ReadonlyArray<Fields>, held: ReadonlyArray<Fields>, readBefore = 0) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        before = truth
        hear(truth)
        const spans = last([...held, ...unsure])
        again.clear()
        apart = Math.max(apart, Number.isFinite(readBefore) ? readBefore : 0)
        for (const [entity, { last }] of spans) again.set(entity, Math.max(last - lookBack, apart))
        for (const record of truth) {
          const key = keyIn(record)
          if (known.has(key)) continue
          known.add(key)
          const span = spans.get(entityOf(record))
          const time = timeOf(record)
          if (time < readBefore || span === undefined || time >= span.last - lookBack) continue
          late.set(key, time < span.first ? Number.POSITIVE_INFINITY : now + 2 * (now - time) + 2 * day)
        }
      }),
    /**
     * After any run: each record once, and as the service has ever said it. Of those that were there before it, none is missing that
     * the service had all the time, or whose entity it does not have, where those are kept.
     */
    half: Effect.fnUntraced(function* (
      held: ReadonlyArray<Fields>,
      truth: ReadonlyArray<Fields>,
      there: ReadonlyArray<Fields> = []
    ) {
      hear(truth)
      unsure = [...unsure, ...truth]
      const keys = new Set(held.map(keyIn))
      const had = new Set(before.map(keyIn))
      const has = new Set(truth.map(keyIn))
      const listed = new Set([...before, ...truth].map(entityOf))
      const stays = (record: Fields) =>
        listed.has(entityOf(record)) ? had.has(keyIn(record)) && has.has(keyIn(record)) : onRemoved === "keep"
      const lost = there.filter((record) => stays(record) && !keys.has(keyIn(record)))
      yield* Auditor.none(lost.map((record) => `${text(record)} is no longer there`))
      yield* Auditor.released({ "records that are there twice": held.length - keys.size })
      const strange = held.map(text).filter(isStrange)
      if (strange.length > 0) hear(yield* meanwhile)
      yield* Auditor.part(strange.filter(isStrange), [])
    }),
    /** After a run that came to its end: what a first download would give that was made while it ran, up to where it reads. */
    whole: Effect.fnUntraced(function* (
      held: ReadonlyArray<Fields>,
      truth: ReadonlyArray<Fields>,
      params = series.params,
      end = Infinity
    ) {
      const now = yield* Clock.currentTimeMillis
      const listed = new Set([...before, ...truth].map(entityOf))
      const others = [...new Set(held.map(entityOf))].filter((entity) => !listed.has(entity))
      const refused = onRemoved === "remove" ? yield* refusedOf(series, params, others) : []
      yield* Auditor.none(refused.map((entity) => `records of ${entity} are there, which the service does not know`))
      const isDue = (record: Fields) => timeOf(record) < end && (late.get(keyIn(record)) ?? 0) < now
      // A reply without any record of an entity may be a fault of the service, and removes nothing.
      const isAnswered = (entity: string) =>
        truth.some((record) => entityOf(record) === entity && timeOf(record) >= (again.get(entity) ?? 0))
      const isKept = (record: Fields) =>
        timeOf(record) < end &&
        (onRemoved === "remove" || listed.has(entityOf(record))) &&
        // What is before the look-back stays as the service said it once, which is judged after any run.
        timeOf(record) >= (again.get(entityOf(record)) ?? 0) &&
        isAnswered(entityOf(record))
      const kept = held.filter(isKept).map(text)
      const around = new Set([...before, ...truth].map(text))
      const between = kept.every((one) => around.has(one)) ? [] : (yield* meanwhile).map(text)
      const still = new Set(truth.map(text))
      const due = before.filter((record) => isDue(record) && still.has(text(record)))
      yield* Auditor.part(kept, [...new Set([...around, ...between])].map(Auditor.textOf))
      // Of those before the look-back some value, and of the others that of now.
      const isAgain = (record: Fields) => timeOf(record) >= (again.get(entityOf(record)) ?? 0)
      const [keys, texts] = [new Set(held.map(keyIn)), new Set(held.map(text))]
      const missing = due.filter((record) => (isAgain(record) ? !texts.has(text(record)) : !keys.has(keyIn(record))))
      yield* Auditor.none(missing.map((record) => `${text(record)} is missing`))
      apart = 0
      unsure = []
    }),
    /**
     * After a run without news, right after another, so that it is not yet time to ask again for what is missing: its requests
     * begin with the look-back of their entities, or with what is not reviewed yet.
     */
    noMore: (
      held: ReadonlyArray<Fields>,
      truth: ReadonlyArray<Fields>,
      asked: ReadonlyArray<HttpClientRequest.HttpClientRequest>
    ) => {
      const spans = last(held)
      const open = last(truth.filter((record) => Object.values(record).includes("flash")))
      const beginOf = (entity: string) =>
        Math.min(
          (spans.get(entity)?.last ?? Number.NEGATIVE_INFINITY) - lookBack,
          open.get(entity)?.first ?? Number.POSITIVE_INFINITY
        )
      const early = asked.flatMap(({ url, urlParams: { params } }) => {
        if (!url.endsWith(series.endpoint.path)) return []
        const valueOf = (begin: string) => String(params.find(([name]) => name.startsWith(begin))?.[1] ?? "")
        const start = Date.parse(valueOf("start_time") || "1970-01-01")
        const isEarly = start < Math.min(...valueOf(series.entity).split(",").map(beginOf))
        // A page of one record asks whether a metric is there again.
        if (!isEarly || valueOf("limit_per_") !== "" || valueOf("page_size") === "1") return []
        return [`a run without news asks for ${JSON.stringify(params)}`]
      })
      return Auditor.none(early)
    }
  }
}
