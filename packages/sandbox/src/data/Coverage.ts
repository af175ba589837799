/** Which metrics exist for an entity, and since when: for the catalogs and the series alike. */
import * as Assets from "./Assets.ts"
import * as Availability from "./Availability.ts"
import * as Blocks from "./Blocks.ts"
import * as Frequency from "./Frequency.ts"
import * as Metrics from "./Metrics.ts"
import type * as Series from "./Series.ts"
import * as Values from "./Values.ts"
import { at, DAY, TODAY } from "../internal/time/Calendar.ts"
import * as Markets from "./Markets.ts"
import { below, curve, seed } from "../internal/random/Noise.ts"
import * as Remembered from "./Remembered.ts"
import type { MetricRecord } from "./OtherMetrics.ts"
import * as Pairs from "./Pairs.ts"
import * as Protocols from "./Protocols.ts"
import * as Span from "./Span.ts"

export interface Holder {
  readonly id: string
  readonly series: string
  readonly span: Span.Span
  /** The fields that name it in a row, as JSON without its braces. */
  readonly head: string
  /** The frequencies of one of its metrics, with their spans; none when it lacks the metric. */
  readonly entries: (metric: string) => ReadonlyArray<Span.Entry>
}

type Leg = Markets.Market["type"] | "any"

// The markets that a metric adds up, told by its name; those of no rule add up spot markets.
const legs: ReadonlyArray<readonly [name: RegExp, leg: Leg]> = [
  [/^volume_reported_usd_/, "any"],
  [/option|implied/, "option"],
  [/future|liquidations|open_interest|basis/, "future"]
]

interface MetricRule {
  readonly leg: Leg
  readonly frequencies: ReadonlyArray<string>
}

/** What the name of a metric tells: the markets it adds up, and its frequencies. */
const readRule = (metric: string): MetricRule => {
  const leg = legs.find(([name]) => name.test(metric))?.[1] ?? "spot"
  // A sum over an interval exists at that interval alone.
  const interval = /_(1h|1d)$/.exec(metric)?.[1]
  return { leg, frequencies: interval === undefined ? ["1h", "1d"] : [interval] }
}

const ruleOf = Remembered.make(1_000, (metric: string) => metric, readRule)

type Spans = Map<Leg, Span.Span>

const holder = (series: string, id: string, spans: Spans, span: Span.Span): Holder => {
  // Many metrics add up the same markets at the same intervals.
  const entriesOf = Remembered.make(
    100,
    ({ frequencies, leg }: MetricRule) => `${leg} ${frequencies}`,
    ({ frequencies, leg }) => {
      const own = spans.get(leg)
      return own === undefined ? [] : Span.entries(own, frequencies)
    }
  )
  return {
    id,
    series: `/timeseries/${series}-metrics`,
    head: `"${series.replace("-", "_")}":"${id}"`,
    span,
    entries: (metric) => entriesOf(ruleOf(metric))
  }
}

const group = (series: string, idOf: (market: Markets.Market) => string | undefined) =>
  Remembered.once((): ReadonlyArray<Holder> => {
    const groups = new Map<string, { readonly spans: Spans; span: Span.Span }>()
    for (const market of Markets.all()) {
      const id = idOf(market)
      const span = id === undefined ? undefined : Availability.life(market)
      if (id === undefined || span === undefined) continue
      const group = groups.get(id) ?? { spans: new Map(), span }
      group.span = Span.union(group.span, span)
      group.spans.set(market.type, Span.union(group.spans.get(market.type), span)).set("any", group.span)
      groups.set(id, group)
    }
    return [...groups]
      .map(([id, { span, spans }]) => holder(series, id, spans, span))
      .sort((a, b) => (a.id < b.id ? -1 : 1))
  })

export const exchanges = group("exchange", (market) => market.exchange)

export const exchangeAssets = group("exchange-asset", ({ base, exchange }) =>
  base === undefined || Assets.find(base) === undefined ? undefined : `${exchange}-${base}`
)

const pairOf = ({ pair }: Markets.Market) => Pairs.find(pair ?? "")?.pair

export const exchangePairs = group("exchange-pair", (market) => {
  const pair = pairOf(market)
  return pair === undefined ? undefined : `${market.exchange}-${pair}`
})

export const pairs = group("pair", pairOf)

/** One market as the holder of its metrics; undefined when it has not been traded. */
export const market = Remembered.each((market: Markets.Market): Holder | undefined => {
  const span = Availability.life(market)
  if (span === undefined) return undefined
  const spans = new Map([market.type, "any" as const].map((leg) => [leg, span]))
  return holder("market", market.market, spans, span)
})

const institution = (id: string, assets: ReadonlyArray<string>, since: string): Holder => {
  const span = { from: at(since), to: TODAY }
  return {
    id,
    series: "/timeseries/institution-metrics",
    head: `"institution":"${id}"`,
    span,
    entries: (metric) => (assets.some((asset) => metric.startsWith(`${asset}_`)) ? Span.entries(span, ["1d"]) : [])
  }
}

export const institutions: ReadonlyArray<Holder> = [
  institution("bitwise", ["btc", "eth"], "2021-03-10"),
  institution("grayscale", ["bch", "btc", "etc", "eth", "ltc", "zec"], "2018-06-15"),
  institution("osprey", ["btc"], "2021-02-16")
]

/** A market of a lending protocol on one chain, as the holder of its metrics. */
export interface ProtocolHolder extends Holder {
  readonly protocol: string
  readonly market: string
  readonly chain: string
}

const onChain = ({ market, protocol }: Protocols.Protocol, chain: string): ProtocolHolder => {
  const id = `${protocol} ${market} ${chain}`
  const span = { from: at("2021-01-01") + below(seed(id), 70, 900) * DAY, to: TODAY }
  return {
    id,
    series: "/timeseries/protocol-metrics",
    head: `"protocol":"${protocol}","market":"${market}","chain":"${chain}"`,
    protocol,
    market,
    chain,
    span,
    entries: () => Span.entries(span, ["1m", "1d"])
  }
}

export const protocols: () => ReadonlyArray<ProtocolHolder> = Remembered.once(() =>
  Protocols.all
    .flatMap((protocol) => protocol.chains.map(({ chain }) => onChain(protocol, chain)))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
)

export const supports = (metric: Metrics.Metric, asset: Assets.Asset, frequency: string): boolean => {
  if (!metric.has(asset)) return false
  if (frequency === "1b") return metric.frequencies.includes("1b") && Blocks.has(asset)
  if (Frequency.isFromHour(frequency)) return metric.frequencies.includes("1d-ny-close")
  // Only the larger assets are followed by the second and the minute.
  const most = /^\d+s$/.test(frequency) ? 12 : /^\d+[mh]$/.test(frequency) ? 150 : Number.POSITIVE_INFINITY
  return metric.frequencies.includes(frequency) && asset.rank < most
}

/** From when on an asset has a metric. A day's row stands at the day's start, and the first day counts though the first block came later. */
const sinceOf = (metric: Metrics.Metric, asset: Assets.Asset, frequency: string): number =>
  frequency.startsWith("1d") ? Math.floor(metric.since(asset) / DAY) * DAY : metric.since(asset)

const entryOf = (asset: Assets.Asset, metric: Metrics.Metric, frequency: string): ReadonlyArray<Span.Entry> => {
  if (!supports(metric, asset, frequency)) return []
  if (frequency !== "1b") {
    const community = metric.community && frequency === "1d" ? { community: true } : {}
    const entries = Span.entries({ from: sinceOf(metric, asset, frequency), to: TODAY }, [frequency])
    return entries.map((entry) => ({ ...entry, ...community }))
  }
  const first = Blocks.from(asset, metric.since(asset))
  const last = Blocks.last(asset) - Blocks.confirmations(asset)
  return first > last ? [] : [{ frequency, ...Blocks.ends(asset, first, last) }]
}

const assetHolder = (asset: Assets.Asset): Holder => ({
  id: asset.asset,
  series: "/timeseries/asset-metrics",
  head: `"asset":"${asset.asset}"`,
  span: { from: asset.start, to: TODAY },
  entries: Remembered.make(
    Metrics.all.length,
    (name) => name,
    (name: string) => {
      const metric = Metrics.find(name)
      return metric?.frequencies.flatMap((frequency) => entryOf(asset, metric, frequency)) ?? []
    }
  )
})

export const assets: ReadonlyArray<Holder> = Assets.all.map(assetHolder)

const byAsset = Remembered.finder(assets, ({ id }) => id)

export const asset = (asset: Assets.Asset): Holder => byAsset(asset.asset) ?? assetHolder(asset)

export const spanOf = (holder: Holder, metric: string, frequency: string): Span.Span | undefined => {
  const entry = holder.entries(metric).find((entry) => entry.frequency === frequency)
  return entry === undefined ? undefined : { from: at(entry.min_time), to: at(entry.max_time) }
}

const isShare = ({ type }: MetricRecord): boolean => type === "Percentage" || type === "Ratio"

export const columns = (holder: Holder, metrics: ReadonlyArray<MetricRecord>, frequency: string): Series.Entity => ({
  ...holder,
  seed: seed(holder.id),
  columns: metrics.flatMap((record) => {
    const { data_type, metric, reviewable = false } = record
    const span = spanOf(holder, metric, frequency)
    const salt = seed(`${holder.id} ${metric}`)
    const size = isShare(record) ? 1 : 10 ** (3 + below(salt, 1, 6))
    const write = (ms: number, n: number) =>
      Values.written(data_type, size * (0.2 + curve(salt, ms / (3 * DAY))), salt, n)
    return span === undefined ? [] : [{ metric, isReviewed: reviewable, span, write }]
  })
})

// One value in about three hundred of the slower estimates is missing, so that a row within a series lacks one too.
const isGap = ({ experimental = false }: MetricRecord, asset: Assets.Asset, n: number): boolean =>
  experimental && below(asset.seed + 5, n, 300) === 0

export const assetColumns = (
  asset: Assets.Asset,
  metrics: ReadonlyArray<Metrics.Metric>,
  frequency: string
): Series.Entity => ({
  id: asset.asset,
  seed: asset.seed,
  head: `"asset":"${asset.asset}"`,
  columns: metrics.map((own) => ({
    metric: own.metric,
    isReviewed: own.record.reviewable ?? false,
    span: { from: sinceOf(own, asset, frequency), to: TODAY },
    write: (ms, n) =>
      isGap(own.record, asset, n)
        ? undefined
        : Values.written(own.record.data_type, own.value(asset, ms), seed(own.metric) ^ asset.seed, n)
  }))
})
