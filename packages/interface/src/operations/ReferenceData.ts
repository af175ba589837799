/** docs/interface.md 4.1 to 4.4. */
import type { Fields } from "../Field.ts"
import { by, experimental, get, newer, type Operation, paid } from "../Operation.ts"
import * as P from "../Parameter.ts"
import * as Profile from "../records/Profile.ts"
import * as Reference from "../records/Reference.ts"

/** 4.1. */
const reference = (name: string, parameters: P.Parameters, record: Fields, more: Partial<Operation> = {}) =>
  get(`/reference-data/${name}`, {
    section: "4.1",
    parameters: { ...parameters, ...P.paging("start"), ...P.format("js") },
    record,
    ...more
  })

/** 4.1: published as one text, a comma list of namespaces; `talos` is the only one. */
const include = P.list

/** 4.1. The newest edition has no `bond`; the interface we were given has. Open, for the editions differ. */
export const marketType = P.open("spot", "future", "option", "bond")

const metrics = { metrics: P.list }

const referenceData = [
  reference("assets", { assets: P.identifiers, include }, Reference.Asset, {
    more: { included: { talos: Reference.AssetProvider } }
  }),
  reference("exchanges", { exchanges: P.identifiers, include }, Reference.Exchange, {
    more: { included: { talos: Reference.ExchangeProvider } }
  }),
  reference(
    "markets",
    P.exclusive(
      {
        markets: P.identifiers,
        exchange: P.text,
        type: marketType,
        base: P.text,
        quote: P.text,
        asset: P.text,
        symbol: P.text,
        // The newest edition has it as a field alone; the interface we were given offers the filter.
        publisher: P.text,
        // Newer. Open, as `type` is.
        asset_class: P.open("digital", "equity", "fixed_income"),
        source_type: P.open("exchange", "platform", "composite", "evaluated"),
        cusip: P.text,
        figi: P.text,
        isin: P.text,
        include
      },
      "cusip",
      "figi",
      "isin"
    ),
    Reference.Market,
    { more: { included: { talos: Reference.MarketProvider } } }
  ),
  reference("indexes", { indexes: P.list }, Reference.Index),
  reference("protocols", { protocols: P.list, chains: P.list, markets: P.list }, Reference.ProtocolMarket, {
    ...paid,
    ...newer,
    beside: ["warning"]
  }),
  reference("pairs", { pairs: P.list }, Reference.Pair),
  reference("asset-metrics", { ...metrics, reviewable: P.boolean }, Reference.Metric),
  reference("exchange-metrics", metrics, Reference.Metric),
  reference("exchange-asset-metrics", metrics, Reference.Metric),
  reference("exchange-pair-metrics", metrics, Reference.Metric, newer),
  reference("pair-metrics", metrics, Reference.Metric),
  reference("institution-metrics", metrics, Reference.Metric),
  reference("market-metrics", metrics, Reference.Metric)
]

/** 4.2. */
const profiles = [
  get("/profile/assets", {
    section: "4.2",
    ...paid,
    ...experimental,
    ...by("asset"),
    parameters: {
      ...P.exclusive({ assets: P.identifiers, full_names: P.list }, "assets", "full_names"),
      ...P.paging("start")
    },
    record: Profile.AssetProfile
  }),
  get("/profile/networks", {
    section: "4.2",
    ...paid,
    ...experimental,
    ...by("network"),
    parameters: {
      ...P.exclusive({ networks: P.list, full_names: P.list }, "networks", "full_names"),
      ...P.paging("start")
    },
    record: Profile.NetworkProfile
  })
]

const taxonomies = [
  get("/taxonomy/assets", {
    section: "4.3",
    ...paid,
    ...by("asset classification_start_time"),
    parameters: {
      assets: P.identifiers,
      class_ids: P.list,
      sector_ids: P.list,
      subsector_ids: P.list,
      version: P.wild(P.text),
      classification_start_time: P.time,
      classification_end_time: P.time,
      ...P.inclusive,
      ...P.paging("start")
    },
    record: Profile.Classification
  }),
  // Ordered by its version, which is no field of its own.
  get("/taxonomy-metadata/assets", {
    section: "4.4",
    ...paid,
    ...by("version"),
    parameters: { version: P.wild(P.text), start_time: P.time, end_time: P.time, ...P.inclusive, ...P.paging("start") },
    record: Profile.TaxonomyVersion
  })
]

export const operations: ReadonlyArray<Operation> = [...referenceData, ...profiles, ...taxonomies]
