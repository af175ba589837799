/**
 * The metrics of everything but assets: which exist for an exchange, a pair, an institution or a market, and since when.
 */
import * as Assets from "./Assets.ts"
import * as Availability from "./Availability.ts"
import { at, DAY, TODAY } from "../internal/time/Calendar.ts"
import * as Markets from "./Markets.ts"
import type { Market } from "./Markets.ts"
import { below, seed } from "../internal/random/Noise.ts"
import { once } from "./Once.ts"
import * as OtherMetrics from "./OtherMetrics.ts"
import * as Pairs from "./Pairs.ts"
import * as Protocols from "./Protocols.ts"
import * as Span from "./Span.ts"

/** Something that has metrics. */
export interface Holder {
  readonly id: string
  /** The path of the series of its metrics. */
  readonly series: string
  /** From its first value of any kind to its last. */
  readonly span: Span.Span
  /** The frequencies of one of its metrics, with their spans; none when it lacks the metric. */
  readonly entries: (metric: string) => ReadonlyArray<Span.Entry>
}

type Leg = Market["type"] | "any"

// The markets that a metric adds up, told by its name; those of no rule add up spot markets.
const legs: ReadonlyArray<readonly [name: RegExp, leg: Leg]> = [
  [/^volume_reported_usd_/, "any"],
  [/option|implied/, "option"],
  [/future|liquidations|open_interest|basis/, "future"]
]

// A sum over an interval exists at that interval alone.
const frequenciesOf = (metric: string): ReadonlyArray<string> => {
  const interval = /_(1h|1d)$/.exec(metric)?.[1]
  return interval === undefined ? ["1h", "1d"] : [interval]
}

/** What the name of a metric tells: the markets it adds up, and its frequencies. */
interface MetricRule {
  readonly leg: Leg
  readonly frequencies: ReadonlyArray<string>
  /** The same for metrics of the same rule. */
  readonly name: string
}

const readRule = (metric: string): MetricRule => {
  const leg = legs.find(([name]) => name.test(metric))?.[1] ?? "spot"
  const frequencies = frequenciesOf(metric)
  return { leg, frequencies, name: [leg, ...frequencies].join(" ") }
}

const rules = once(
  () =>
    new Map(
      [
        OtherMetrics.exchange,
        OtherMetrics.exchangeAsset,
        OtherMetrics.exchangePair,
        OtherMetrics.pair,
        OtherMetrics.market
      ]
        .flat()
        .map(({ metric }) => [metric, readRule(metric)])
    )
)

const ruleOf = (metric: string): MetricRule => rules().get(metric) ?? readRule(metric)

type Spans = Map<Leg, Span.Span>

const holder = (series: string, id: string, spans: Spans, span: Span.Span): Holder => {
  // Many metrics add up the same markets at the same intervals, and a catalog asks for each on every page.
  const written = new Map<string, ReadonlyArray<Span.Entry>>()
  return {
    id,
    series: `/timeseries/${series}-metrics`,
    span,
    entries: (metric) => {
      const { frequencies, leg, name } = ruleOf(metric)
      const known = written.get(name)
      if (known !== undefined) return known
      const own = spans.get(leg)
      const entries = own === undefined ? [] : Span.entries(own, frequencies)
      written.set(name, entries)
      return entries
    }
  }
}

const group = (series: string, idOf: (market: Market) => string | undefined): ReadonlyArray<Holder> => {
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
}

/** The exchanges that have traded, ordered by name. */
export const exchanges: () => ReadonlyArray<Holder> = once(() => group("exchange", (market) => market.exchange))

/** The assets of each exchange, such as `kraken-btc`, ordered by name. */
export const exchangeAssets: () => ReadonlyArray<Holder> = once(() =>
  group("exchange-asset", (market) =>
    market.base === undefined || Assets.find(market.base) === undefined
      ? undefined
      : `${market.exchange}-${market.base}`
  )
)

/** The pairs of each exchange, such as `kraken-btc-usd`, ordered by name. */
export const exchangePairs: () => ReadonlyArray<Holder> = once(() =>
  group("exchange-pair", (market) => {
    const pair = Pairs.find(market.pair ?? "")
    return pair === undefined ? undefined : `${market.exchange}-${pair.pair}`
  })
)

/** The pairs that have been traded, ordered by name. */
export const pairs: () => ReadonlyArray<Holder> = once(() =>
  group("pair", (market) => Pairs.find(market.pair ?? "")?.pair)
)

const marketHolder = (market: Market): Holder | undefined => {
  const span = Availability.life(market)
  const spans = (span: Span.Span): Spans => new Map([market.type, "any" as const].map((leg) => [leg, span]))
  return span === undefined ? undefined : holder("market", market.market, spans(span), span)
}

const byMarket = new WeakMap<Market, { readonly holder: Holder | undefined }>()

/** One market as the holder of its metrics; undefined when it has not been traded. */
export const market = (market: Market): Holder | undefined => {
  const known = byMarket.get(market) ?? { holder: marketHolder(market) }
  byMarket.set(market, known)
  return known.holder
}

const institution = (id: string, assets: ReadonlyArray<string>, since: string): Holder => {
  const span = { from: at(since), to: TODAY }
  return {
    id,
    series: "/timeseries/institution-metrics",
    span,
    entries: (metric) => (assets.some((asset) => metric.startsWith(`${asset}_`)) ? Span.entries(span, ["1d"]) : [])
  }
}

/** The institutions, ordered by name. */
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
    protocol,
    market,
    chain,
    span,
    entries: () => Span.entries(span, ["1m", "1d"])
  }
}

/** The markets of lending protocols on each chain, ordered by protocol, market and chain. */
export const protocols: () => ReadonlyArray<ProtocolHolder> = once(() =>
  Protocols.all
    .flatMap((protocol) => protocol.chains.map(({ chain }) => onChain(protocol, chain)))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
)
