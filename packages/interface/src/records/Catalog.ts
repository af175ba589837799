/** Records of docs/interface.md 3.10 and 3.11. */
import { type Fields, key, list, no, object, omit, texts, yes } from "../Field.ts"
import { marketFields, marketKeys, Metric } from "./Reference.ts"
import { AssetMetricRange, frequency, FrequencyRange, marketData, MetricRange, TimeRange } from "./Shared.ts"

/** 3.10. */
export const Asset = {
  ...key("asset"),
  ...yes("full_name"),
  ...no("experimental:bool", { metrics: list(AssetMetricRange), exchanges: texts, markets: texts }, "atlas:bool")
}

/** 3.10: what has a metric, at one frequency; the list is named after the kind of the metric. */
const frequencyOf = (entities: string) => yes({ frequency, [entities]: texts })

export const AssetFrequency = frequencyOf("assets")

export const ExchangeFrequency = frequencyOf("exchanges")

export const ExchangeAssetFrequency = frequencyOf("exchange_assets")

export const PairFrequency = frequencyOf("pairs")

export const InstitutionFrequency = frequencyOf("institutions")

/** 3.10: the record of reference data with one more field. The newest edition has it without the three addresses. */
const metricOf = (item: Fields) => ({ ...Metric, ...yes({ frequencies: list(item) }) })

export const AssetMetric = metricOf(AssetFrequency)

/** 3.10: of `/catalog/metrics`. */
export const AnyMetric = omit(AssetMetric, "product")

export const ExchangeMetric = metricOf(ExchangeFrequency)

export const ExchangeAssetMetric = metricOf(ExchangeAssetFrequency)

export const PairMetric = metricOf(PairFrequency)

export const InstitutionMetric = metricOf(InstitutionFrequency)

/** 3.10. */
export const Exchange = {
  ...key("exchange"),
  ...yes({ markets: texts }),
  ...no({ metrics: list(MetricRange) }),
  ...TimeRange
}

/** 3.10. Published as optional, but nothing else names the record; a field `pair` is required and never declared. */
export const ExchangeAsset = { ...key("exchange_asset"), ...no({ metrics: list(MetricRange) }) }

/** 3.10. */
export const Pair = { ...key("pair"), ...no("full_name", { metrics: list(MetricRange) }) }

/** 3.10, 3.11. */
export const PairCandles = { ...key("pair"), ...no({ frequencies: list(FrequencyRange) }) }

/** 3.10. */
export const Institution = { ...key("institution"), ...no({ metrics: list(MetricRange) }) }

/**
 * 3.10. The interface we were given has all optional fields of 3.4 here, the newest edition fewer: nothing of securities,
 * and no `pair`, `base_native`, `quote_native`, `multiplier_size`, `price_includes_fee`, `variable_fee`.
 */
export const Market = {
  ...marketKeys,
  ...marketFields,
  ...TimeRange,
  ...no(Object.fromEntries(marketData.map((kind) => [kind, object(TimeRange)])))
}

/** 3.10, 3.11. */
export const MarketSeries = { ...key("market"), ...TimeRange }

/** 3.10, 3.11. A field `candles` is required and never declared. */
export const MarketCandles = { ...key("market"), ...no({ frequencies: list(FrequencyRange) }) }

export const Dataset = { ...yes("dataset"), ...TimeRange }

export const Depth = { ...yes("depth"), ...TimeRange, ...no({ datasets: list(Dataset) }) }

/** 3.10. */
export const MarketOrderbooks = { ...MarketSeries, ...yes({ depths: list(Depth) }) }

/** 3.10, 3.11. */
export const MarketMetrics = { ...key("market"), ...yes({ metrics: list(MetricRange) }) }

/** 3.10. */
export const Index = {
  ...key("index"),
  ...yes("full_name description", { frequencies: list(FrequencyRange) }),
  ...no("type")
}

/** 3.10, 3.11. */
export const IndexCandles = { ...key("index"), ...no({ frequencies: list(FrequencyRange) }) }

export const AlertCondition = { ...yes("description", { constituents: texts }), ...no("threshold") }

/** 3.10. */
export const AssetAlert = { ...key("asset name"), ...yes({ conditions: list(AlertCondition) }) }

/** 3.10, 3.11. */
export const AssetSeries = { ...key("asset"), ...TimeRange }

/** 3.11. */
export const AssetMetrics = { ...key("asset"), ...yes({ metrics: list(AssetMetricRange) }) }

/** 3.11: the metrics of whatever these keys name. */
export const metricsOf = (keys: string) => ({ ...key(keys), ...yes({ metrics: list(MetricRange) }) })

/** 3.11: without a time range of its own. */
export const MarketDepths = { ...key("market"), ...yes({ depths: list(Depth) }) }

/** 3.11. */
export const IndexLevels = { ...key("index"), ...yes({ frequencies: list(FrequencyRange) }) }

/** 3.11. */
export const ChainSeries = { ...AssetSeries, ...no("experimental:bool") }
