/**
 * What there is to read: the metrics of an asset, the markets of an exchange, the names that a wildcard stands for. Over
 * the reference data and the v2 catalogs (docs/interface.md 4.1 and 4.9), whose answers are kept for an hour.
 */
import * as Cache from "effect/Cache"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { type ApiError, InvalidRequest } from "./ApiError.ts"
import type { Client } from "./Client.ts"
import * as Endpoint from "./Endpoint.ts"
import * as CatalogV2 from "./endpoints/CatalogV2.ts"
import * as ReferenceData from "./endpoints/ReferenceData.ts"
import { BadSplit, type ListName, type ParamsOf } from "./internal/bulk/Parts.ts"
import * as Available from "./internal/call/Available.ts"
import * as Call from "./internal/call/Call.ts"
import * as Range from "./internal/call/Range.ts"
import * as Wildcard from "./internal/call/Wildcard.ts"
import * as Monotonic from "./internal/retry/Monotonic.ts"
import * as Json from "./internal/wire/Json.ts"
import * as Parameter from "./Parameter.ts"
import * as Params from "./Params.ts"
import { harmless } from "./PlainText.ts"
import type { Timestamp } from "./Timestamp.ts"

export type { Available } from "./internal/call/Available.ts"

/** A metric of an asset at one frequency, and the times covered. */
export interface AvailableMetric {
  /** Asset ticker, in lower case. */
  readonly asset: string
  /** Metric name, such as `PriceUSD`. */
  readonly metric: string
  /** The frequency of its values, such as `1d`. */
  readonly frequency: string
  /** Time of its first value. */
  readonly min_time: Timestamp | undefined
  /** Time of its last value. */
  readonly max_time: Timestamp | undefined
  /** The unit of its values, such as `USD`. */
  readonly unit: string | undefined
  /** Its name for people. */
  readonly full_name: string | undefined
}

/** A market, and the times it has trades for. */
export interface AvailableMarket {
  /** Unique name, such as `coinbase-btc-usd-spot`. */
  readonly market: string
  /** The exchange, such as `coinbase`. */
  readonly exchange: string
  /** `spot`, `future`, `option`, `bond`, or one that the service adds. */
  readonly type: string
  /** The asset that is traded; absent where it is not known. */
  readonly base: string | undefined
  /** The asset that prices are in; absent where it is not known. */
  readonly quote: string | undefined
  /** `online`, `offline`, or one that the service adds. */
  readonly status: string | undefined
  /** Its first trade; absent where the key may read none. */
  readonly min_time: Timestamp | undefined
  /** Its last trade; absent where the key may read none. */
  readonly max_time: Timestamp | undefined
}

/** Which markets are meant; all where nothing is said. */
export type MarketFilter = Pick<CatalogV2.MarketsParams, "exchange" | "type" | "base" | "quote" | "asset" | "symbol">

/** A name that a list takes. */
export interface Name {
  /** As a request has it, such as `btc`. */
  readonly name: string
  /** Its name for people, such as `Bitcoin`. */
  readonly full_name: string | undefined
}

/** A question about the names of a list. */
export interface NamesAsked {
  /** Path of the catalog, or of the list of reference data. */
  readonly catalog: string
  /** Filters of the catalog. */
  readonly params: Readonly<Record<string, string>>
}

/** What there is to read, as this client may read it. */
export class Discover extends Context.Service<
  Discover,
  {
    /** Lists the metrics of an asset: each at each of its frequencies, with the times covered. */
    readonly metrics: (asset: string) => Effect.Effect<ReadonlyArray<AvailableMetric>, ApiError>
    /** Lists the markets that a filter leaves, with the times of their trades. */
    readonly markets: (filter?: MarketFilter) => Effect.Effect<ReadonlyArray<AvailableMarket>, ApiError>
    /** The records of a v2 catalog, or of a list of reference data. Fails with `InvalidRequest` where the path is of neither. */
    readonly catalog: (asked: NamesAsked) => Effect.Effect<ReadonlyArray<unknown>, ApiError>
  }
>()("@sluice/core/Discover") {}

/** Settings of {@link layer}. */
export interface Options {
  /** How long an answer is kept. Default an hour. An error is not kept. */
  readonly timeToLive?: Duration.Input | undefined
}

/** Answers of each kind that are kept; of more, those not used for the longest time are forgotten. */
const capacity = 100

const catalogs: ReadonlyMap<string, Endpoint.Any> = new Map(
  Object.values(CatalogV2).flatMap((value) => (Endpoint.isEndpoint(value) ? [[value.path, value] as const] : []))
)

/** Lists of reference data, by the field of their records that is the name. */
const lists = {
  asset: ReferenceData.assets,
  exchange: ReferenceData.exchanges,
  index: ReferenceData.indexes,
  market: ReferenceData.markets,
  pair: ReferenceData.pairs
} as const

const metricLists: ReadonlyMap<string, Endpoint.Any> = new Map(
  [
    ReferenceData.assetMetrics,
    ReferenceData.exchangeMetrics,
    ReferenceData.exchangeAssetMetrics,
    ReferenceData.exchangePairMetrics,
    ReferenceData.institutionMetrics,
    ReferenceData.marketMetrics,
    ReferenceData.pairMetrics
  ].map((list) => [list.path, list])
)

const asked: ReadonlyMap<string, Endpoint.Any> = new Map([
  ...catalogs,
  ...metricLists,
  ...Object.values(lists).map((list) => [list.path, list] as const)
])

/** An endpoint or a live operation, by its path. */
export type Series = Pick<Endpoint.Info, "path">

/** The catalog of a series, live or not. */
const catalogOf = ({ path }: Series) => catalogs.get(path.replace(/^\/timeseries(?:-stream)?\//, "/catalog-v2/"))

type Make = (options?: Options) => Effect.Effect<Discover["Service"], never, Client>

/** Builds a service that asks this client, and each question once in an hour. */
export const make: Make = Effect.fnUntraced(function* (options: Options = {}) {
  const keep = Duration.toMillis(options.timeToLive ?? "1 hour")
  // A cache measures its time to live by the wall clock.
  const remember = <Key, A>(lookup: (key: Key) => Effect.Effect<A, ApiError, Client>) =>
    Effect.map(
      Cache.makeWith((key: Key) => Effect.zip(lookup(key), Monotonic.now), {
        capacity,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : 0),
        requireServicesAt: "construction"
      }),
      (cache) =>
        Effect.fnUntraced(function* (key: Key) {
          const now = yield* Monotonic.now
          yield* Cache.invalidateWhen(cache, key, ([, at]) => now - at >= keep)
          return (yield* Cache.get(cache, key))[0]
        })
    )

  const definitions = yield* remember((params: ReferenceData.AssetMetricsParams) =>
    Effect.map(
      Stream.runCollect(ReferenceData.assetMetrics(params)),
      (all) => new Map(all.map((metric) => [metric.metric, metric]))
    )
  )
  const metrics = yield* remember((asset: string) =>
    Effect.gen(function* () {
      const [records, known] = yield* Effect.all(
        [Stream.runCollect(CatalogV2.assetMetrics({ assets: [asset] })), definitions({})],
        { concurrency: 2 }
      )
      return records.flatMap((record) => metricsOf(record, known))
    })
  )
  const markets = yield* remember((filter: MarketFilter) =>
    Effect.map(
      Effect.all(
        [Stream.runCollect(ReferenceData.markets(filter)), Stream.runCollect(CatalogV2.marketTrades(filter))],
        { concurrency: 2 }
      ),
      ([records, traded]) => marketsOf(records, traded)
    )
  )
  const catalog = yield* remember(({ catalog, params }: NamesAsked) => {
    const list = asked.get(catalog)
    if (list === undefined) {
      return Effect.fail(
        new InvalidRequest({ endpoint: catalog, kind: "misplaced", reason: "is no catalog or list that Discover asks" })
      )
    }
    // Type boundary: an endpoint of this map takes its parameters as data and checks them.
    return Stream.runCollect(list(params as never))
  })
  return Discover.of({ metrics, markets: (filter = {}) => markets(filter), catalog })
})

/** Provides a {@link Discover} that asks the client of the context. */
export const layer = (options: Options = {}): Layer.Layer<Discover, never, Client> =>
  Layer.effect(Discover, make(options))

/** Lists the metrics of an asset: each at each of its frequencies, with the times covered, as far as the key may read. */
export const metrics = (asset: string): Effect.Effect<ReadonlyArray<AvailableMetric>, ApiError, Discover> =>
  Effect.flatMap(Discover, (discover) => discover.metrics(asset))

/** Lists the markets that a filter leaves, with the times of their trades. */
export const markets = (filter: MarketFilter = {}): Effect.Effect<ReadonlyArray<AvailableMarket>, ApiError, Discover> =>
  Effect.flatMap(Discover, (discover) => discover.markets(filter))

/**
 * Lists the names that a parameter of an endpoint takes: assets, exchanges, markets, indexes, pairs or metrics of the reference
 * data, or the entities in the catalog of a series. Empty where nothing lists them.
 *
 * **Details**
 *
 * `like` is a name that is meant or misspelt. Of markets, only those are asked for that have its exchange and type: there are
 * tens of thousands.
 */
export const names = Effect.fnUntraced(function* (endpoint: Series, parameter: string, like = "") {
  const list = namesListOf(endpoint, parameter)
  if (list === undefined) return []
  const { catalog: ask } = yield* Discover
  const params = list.field === "market" ? Wildcard.marketFilter(like) : {}
  const records = yield* ask({ catalog: list.path, params })
  return records.flatMap((record): ReadonlyArray<Name> => {
    const name = Json.textAt(record, list.field)
    return name === undefined ? [] : [{ name, full_name: Json.textAt(record, "full_name") }]
  })
})

/** Words of parameters for what a list of reference data has under another. */
const listed: Readonly<Record<string, keyof typeof lists>> = { base: "asset", quote: "asset", indexes: "index" }

const namesListOf = (endpoint: Series, parameter: string) => {
  const singular = parameter.replace(/s$/, "")
  if (singular === "metric") {
    const list = metricLists.get(endpoint.path.replace(/^\/[^/]+\//, "/reference-data/"))
    return list === undefined ? undefined : { path: list.path, field: singular }
  }
  const field = listed[parameter] ?? singular
  if (isListed(field)) return { path: lists[field].path, field }
  const catalog = catalogOf(endpoint)
  const entities = catalog === undefined ? undefined : Parameter.find(catalog.parameters, "Entities")
  return catalog === undefined || entities?.name !== parameter ? undefined : { path: catalog.path, field }
}

const isListed = (name: string): name is keyof typeof lists => Object.hasOwn(lists, name)

/**
 * Tells what a series has for some of its entities, such as assets or markets, or for all: its metrics and frequencies, as far as
 * it has them, with the times covered. A filter leaves markets of a series of markets. Empty where no catalog lists it.
 */
export const available = Effect.fnUntraced(function* (
  endpoint: Series,
  entities?: ReadonlyArray<string>,
  filter: Readonly<Record<string, string>> = {}
) {
  const catalog = catalogOf(endpoint)
  const parameter = catalog === undefined ? undefined : Parameter.find(catalog.parameters, "Entities")
  if (catalog === undefined || parameter === undefined) return []
  const { catalog: ask } = yield* Discover
  const params = { ...filter, ...(entities && { [parameter.name]: entities.toSorted().join(",") }) }
  const records = yield* ask({ catalog: catalog.path, params })
  const field = fieldOf(parameter)
  return records.flatMap((record) => {
    const entity = Json.textAt(record, field)
    return entity === undefined ? [] : Available.of(entity, record)
  })
})

/** Whether a catalog lists what a series has, so that {@link available} can tell it. */
export const isCatalogued = (endpoint: Series): boolean => catalogOf(endpoint) !== undefined

/** The field of a record that names its item. Of several lists none says a field of its own: they are named after it. */
const fieldOf = ({ name, role }: Parameter.Parameter) =>
  (role._tag === "Entities" ? role.field : undefined) ?? name.replace(/s$/, "")

const metricsOf = (
  { asset, metrics }: CatalogV2.AssetMetrics,
  known: ReadonlyMap<string, ReferenceData.Metric>
): ReadonlyArray<AvailableMetric> =>
  (metrics ?? []).flatMap(({ frequencies, metric = "" }) =>
    (frequencies ?? []).map(({ frequency, max_time, min_time }) => {
      const { full_name, unit } = known.get(metric ?? "") ?? {}
      return {
        asset,
        metric: metric ?? "",
        frequency: frequency ?? "",
        min_time: min_time ?? undefined,
        max_time: max_time ?? undefined,
        unit: unit ?? undefined,
        full_name: full_name ?? undefined
      }
    })
  )

const marketsOf = (
  records: ReadonlyArray<ReferenceData.Market>,
  traded: ReadonlyArray<CatalogV2.MarketSeries>
): ReadonlyArray<AvailableMarket> => {
  const times = new Map(traded.map((one) => [one.market, one]))
  return records.map(({ base, exchange, market, quote, status, type }) => ({
    market,
    exchange,
    type,
    base: base ?? undefined,
    quote: quote ?? undefined,
    status: status ?? undefined,
    min_time: times.get(market)?.min_time ?? undefined,
    max_time: times.get(market)?.max_time ?? undefined
  }))
}

/** Parameters whose list `By` names every item. */
export type Expanded<P, By extends string> = Omit<P, By> & { readonly [Name in By]: ReadonlyArray<string> }

/**
 * Replaces the wildcards in a list by the names they stand for, so that `Bulk.split` can cut the request along it.
 *
 * **Details**
 *
 * The names are those of the v2 catalog of the series: what the key may read, and what has one of the requested metrics at
 * the requested frequency. They are in ascending order, each once. A list without wildcards stays as it is.
 *
 * Fails with `InvalidRequest` for a range that ends before it starts, and with `BadSplit` where no catalog lists what
 * the endpoint has, and where nothing matches.
 *
 * **Gotchas**
 *
 * What the service adds after the catalog was read is missing. A name with a comma, an asterisk, a colon or spaces around it
 * cannot stand in a list: it is left out with a warning.
 */
export const expand = Effect.fnUntraced(function* <
  E extends Endpoint.Info,
  const P extends ParamsOf<E>,
  const By extends ListName<E>
>(endpoint: E, params: P, by: By) {
  yield* Range.check(Call.make(endpoint, params))
  const items = [...new Set(Params.items(Reflect.get(params, by)))]
  const patterns = items.filter(Wildcard.is)
  const rest = items.filter((item) => !Wildcard.is(item))
  const found = yield* Effect.forEach(patterns, (pattern) => matching(endpoint, params, by, pattern))
  const names = patterns.length === 0 ? items : [...new Set([...rest, ...found.flat()])].toSorted()
  // Type boundary: a computed key has no type of its own. A list that is absent, or empty, stays as it is.
  return { ...params, ...(names.length === 0 ? {} : { [by]: names }) } as Expanded<P, By>
})

const matching = Effect.fnUntraced(function* (endpoint: Endpoint.Info, params: object, by: string, pattern: string) {
  const refused = (reason: string) =>
    new BadSplit({ endpoint: endpoint.path, parameter: by, wildcard: pattern, reason })
  const parameter = endpoint.parameters.get(by)
  const catalog = catalogOf(endpoint)
  if (parameter?.role._tag !== "Entities" || endpoint.order !== "series" || catalog === undefined) {
    return yield* refused(`has "${pattern}", and no catalog lists what it may stand for; list the items`)
  }
  const field = fieldOf(parameter)
  const { catalog: ask } = yield* Discover
  const records = yield* ask({ catalog: catalog.path, params: filtersOf(catalog, params, by, pattern) })
  const matches = Wildcard.matcher(pattern)
  const frequency = Parameter.frequencyOf(endpoint, params)
  const found = records.flatMap((record) => {
    const name = Json.textAt(record, field)
    return name !== undefined && matches(name) && Wildcard.hasFrequency(record, frequency) ? [name] : []
  })
  const names = found.filter(Wildcard.isListable)
  const [other] = found.filter((name) => !Wildcard.isListable(name))
  if (other !== undefined) {
    const example = JSON.stringify(harmless(other.slice(0, 100)))
    yield* Effect.logWarning(`${endpoint.path}: leaves out names that no list of "${by}" can hold, such as ${example}`)
  }
  if (names.length === 0) return yield* refused(`has "${pattern}", which stands for nothing that the key may read`)
  return names
})

/** What narrows the catalog to what the request and the pattern can mean. */
const filtersOf = ({ parameters }: Endpoint.Info, params: object, by: string, pattern: string) => {
  const metrics = Params.items(Reflect.get(params, "metrics"))
  const isNamed = metrics.length > 0 && !metrics.some(Wildcard.is)
  return {
    ...(isNamed && parameters.has("metrics") ? { metrics: metrics.toSorted().join(",") } : {}),
    ...(by === "markets" && parameters.has("exchange") ? Wildcard.marketFilter(pattern) : {})
  }
}
