/** Records of docs/interface.md 3.10 and 3.11. */
import { type Fields, key, list, may, object, omit, texts } from "../Field.ts"
import { marketFields, marketKeys, Metric } from "./Reference.ts"
import { AssetMetricRange, frequency, FrequencyRange, marketData, MetricRange, TimeRange } from "./Shared.ts"

/** 3.10. */
export const Asset = {
  ...key("asset"),
  ...may(
    "full_name",
    "experimental:bool",
    { metrics: list(AssetMetricRange), exchanges: texts, markets: texts },
    "atlas:bool"
  )
}

/** 3.10: what has a metric, at one frequency; the list is named after the kind of the metric. */
const frequencyOf = (entities: string) => may({ frequency, [entities]: texts })

export const AssetFrequency = frequencyOf("assets")

export const ExchangeFrequency = frequencyOf("exchanges")

export const ExchangeAssetFrequency = frequencyOf("exchange_assets")

export const PairFrequency = frequencyOf("pairs")

export const InstitutionFrequency = frequencyOf("institutions")

/** 3.10: the record of reference data with one more field. The newest edition has it without the three addresses. */
const metricOf = (item: Fields) => ({ ...Metric, ...may({ frequencies: list(item) }) })

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
  ...may({ markets: texts }),
  ...may({ metrics: list(MetricRange) }),
  ...TimeRange
}

/** 3.10. Published as optional, but nothing else names the record; a field `pair` is required and never declared. */
export const ExchangeAsset = { ...key("exchange_asset"), ...may({ metrics: list(MetricRange) }) }

/** 3.10. */
export const Pair = { ...key("pair"), ...may("full_name", { metrics: list(MetricRange) }) }

/** 3.10, 3.11. */
export const PairCandles = { ...key("pair"), ...may({ frequencies: list(FrequencyRange) }) }

/** 3.10. */
export const Institution = { ...key("institution"), ...may({ metrics: list(MetricRange) }) }

/**
 * 3.10. The interface we were given has all optional fields of 3.4 here, the newest edition fewer: nothing of securities,
 * and no `pair`, `base_native`, `quote_native`, `multiplier_size`, `price_includes_fee`, `variable_fee`.
 */
export const Market = {
  ...marketKeys,
  ...marketFields,
  ...TimeRange,
  ...may(Object.fromEntries(marketData.map((kind) => [kind, object(TimeRange)])))
}

/** 3.10, 3.11. */
export const MarketSeries = { ...key("market"), ...TimeRange }

/** 3.10, 3.11. A field `candles` is required and never declared. */
export const MarketCandles = { ...key("market"), ...may({ frequencies: list(FrequencyRange) }) }

export const Dataset = { ...may("dataset"), ...TimeRange }

export const Depth = { ...may("depth"), ...TimeRange, ...may({ datasets: list(Dataset) }) }

/** 3.10. */
export const MarketOrderbooks = { ...MarketSeries, ...may({ depths: list(Depth) }) }

/** 3.10, 3.11. */
export const MarketMetrics = { ...key("market"), ...may({ metrics: list(MetricRange) }) }

/** 3.10. */
export const Index = {
  ...key("index"),
  ...may("full_name description", { frequencies: list(FrequencyRange) }),
  ...may("type")
}

/** 3.10, 3.11. */
export const IndexCandles = { ...key("index"), ...may({ frequencies: list(FrequencyRange) }) }

export const AlertCondition = { ...may("description", { constituents: texts }), ...may("threshold") }

/** 3.10. */
export const AssetAlert = { ...key("asset name"), ...may({ conditions: list(AlertCondition) }) }

/** 3.10, 3.11. */
export const AssetSeries = { ...key("asset"), ...TimeRange }

/** 3.11. */
export const AssetMetrics = { ...key("asset"), ...may({ metrics: list(AssetMetricRange) }) }

/** 3.11: the metrics of whatever these keys name. */
export const metricsOf = (keys: string) => ({ ...key(keys), ...may({ metrics: list(MetricRange) }) })

/** 3.11: without a time range of its own. */
export const MarketDepths = { ...key("market"), ...may({ depths: list(Depth) }) }

/** 3.11. */
export const IndexLevels = { ...key("index"), ...may({ frequencies: list(FrequencyRange) }) }

/** 3.11. */
export const ChainSeries = { ...AssetSeries, ...may("experimental:bool") }
