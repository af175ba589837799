import { type Client, Profile, ReferenceData, Taxonomy, Timeseries } from "@sluice/core"
import type * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

export const day = (n: number) => `2026-01-${String(n).padStart(2, "0")}T00:00:00.000000000Z`

export const at = (asset: string, n: number) => ({ asset, time: day(n), PriceUSD: String(n) })

export const days = (asset: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => at(asset, from + index))

export const block = (height: number, block_hash: string, n = height) => ({
  ...at("btc", n),
  height: String(height),
  block_hash
})

const classified = (asset: string, n: number) => ({ asset, classification_start_time: day(n) })

/** Records that come at once: a page, or a chunk of lines. */
export type Stretch = ReadonlyArray<object>

export interface Case {
  readonly name: string
  readonly read?: (format: object) => Stream.Stream<unknown, unknown, Client.Client>
  readonly stretches: ReadonlyArray<Stretch>
  /** What is said; nothing of what is in order. */
  readonly issue?: string
  /** What is said of pages, where they tell more. */
  readonly ofPage?: string
  /** The place that is named, of pages. */
  readonly place?: string
  /** Only pages tell. */
  readonly paged?: boolean
}

export const series =
  (params: object = {}) =>
  (format: object) =>
    Timeseries.assetMetrics({ assets: ["ada", "btc", "eth"], metrics: "PriceUSD", ...params, ...format })

export const lists = {
  assets: (format: object) => ReferenceData.assets(format),
  profiles: (format: object) => Profile.assets(format),
  taxonomy: (format: object) => Taxonomy.assets(format)
}

export const disordered: ReadonlyArray<Case> = [
  {
    name: "a record that is repeated at the boundary",
    stretches: [days("btc", 1, 3), days("btc", 3, 5)],
    issue: `the record btc, ${day(3)} is repeated`,
    place: "page 2, data[0]"
  },
  {
    name: "a record that is repeated at the boundary with another value",
    stretches: [days("btc", 1, 3), [{ ...at("btc", 3), PriceUSD: "0" }, at("btc", 4)]],
    issue: `the record btc, ${day(3)} is repeated`,
    place: "page 2, data[0]"
  },
  {
    name: "a page that comes twice",
    stretches: [days("btc", 1, 3), days("btc", 1, 3)],
    issue: `the record btc, ${day(1)} comes after btc, ${day(3)}`,
    ofPage: `the page that begins with btc, ${day(1)} is repeated`,
    place: "page 2, data[0]"
  },
  {
    name: "a batch that goes back",
    stretches: [days("btc", 1, 3), [at("btc", 5), at("btc", 6), at("btc", 4)]],
    issue: `the record btc, ${day(4)} comes after btc, ${day(6)}`,
    place: "page 2, data[2]"
  },
  {
    name: "an asset that comes back after another",
    stretches: [days("ada", 1, 2), [...days("btc", 1, 2), ...days("ada", 3, 4), ...days("eth", 1, 2)]],
    issue: `the record ada, ${day(3)} comes after btc, ${day(2)}`,
    place: "page 2, data[2]"
  },
  {
    name: "a page of several assets that comes twice",
    stretches: [
      [...days("ada", 1, 1), ...days("btc", 1, 1)],
      [...days("ada", 1, 1), ...days("btc", 1, 1)]
    ],
    issue: `the record ada, ${day(1)} comes after btc, ${day(1)}`,
    ofPage: `the page that begins with ada, ${day(1)} is repeated`,
    place: "page 2, data[0]"
  },
  {
    name: "a time that goes back where records are sorted by time",
    read: series({ sort: "time" }),
    stretches: [[at("btc", 1), at("eth", 2)], [at("ada", 1)]],
    issue: `the record ada, ${day(1)} comes after eth, ${day(2)}`,
    place: "page 2, data[0]"
  },
  {
    name: "a record that is repeated where records are sorted by time",
    read: series({ sort: "time" }),
    stretches: [[at("btc", 1), at("eth", 1)], [at("eth", 1)]],
    issue: `the record eth, ${day(1)} is repeated`,
    place: "page 2, data[0]"
  },
  {
    name: "a record that is repeated from the end, where pages are turned round",
    read: series({ paging_from: "end" }),
    stretches: [days("btc", 3, 5), days("btc", 1, 3)],
    issue: `the record btc, ${day(3)} is repeated`,
    place: "page 2, data[2]",
    paged: true
  },
  {
    name: "a block that is repeated",
    read: series({ frequency: "1b" }),
    stretches: [[block(1, "a"), block(2, "a")], [block(2, "a")]],
    issue: "the record btc, 2, a is repeated",
    place: "page 2, data[0]"
  },
  {
    name: "a height that goes back",
    read: series({ frequency: "1b" }),
    stretches: [[block(1, "a"), block(3, "a")], [block(2, "a")]],
    issue: "the record btc, 2, a comes after btc, 3, a",
    place: "page 2, data[0]"
  },
  {
    name: "an asset of a list that is repeated at the boundary",
    read: lists.assets,
    stretches: [[FakeApi.asset("a"), FakeApi.asset("b")], [FakeApi.asset("b")]],
    issue: "the record b is repeated",
    place: "page 2, data[0]"
  },
  {
    name: "a page of a list that overlaps the one before it by several records",
    read: lists.assets,
    stretches: [["c", "a", "b"].map(FakeApi.asset), ["a", "b", "d"].map(FakeApi.asset)],
    issue: "the record a is repeated",
    place: "page 2, data[0]",
    paged: true
  },
  {
    name: "a list that goes back over a short page",
    read: lists.assets,
    stretches: [["c", "a"].map(FakeApi.asset), ["b"].map(FakeApi.asset), ["a", "b"].map(FakeApi.asset)],
    issue: "the record a is repeated",
    place: "page 3, data[0]",
    paged: true
  },
  {
    name: "a page of a list that comes twice",
    read: lists.assets,
    stretches: [
      [FakeApi.asset("b"), FakeApi.asset("a")],
      [FakeApi.asset("b"), FakeApi.asset("a")]
    ],
    issue: "the page that begins with b is repeated",
    place: "page 2, data[0]",
    paged: true
  },
  {
    name: "a profile out of the order that the service promises",
    read: lists.profiles,
    stretches: [[{ asset: "btc" }], [{ asset: "ada" }]],
    issue: "the record ada comes after btc",
    place: "page 2, data[0]",
    paged: true
  },
  {
    name: "a classification out of the order that the service promises",
    read: lists.taxonomy,
    stretches: [[classified("btc", 2)], [classified("btc", 1)]],
    issue: `the record btc, ${day(1)} comes after btc, ${day(2)}`,
    place: "page 2, data[0]",
    paged: true
  }
]

export const ordered: ReadonlyArray<Case> = [
  { name: "assets that come one after another", stretches: [days("ada", 1, 3), days("btc", 1, 3), days("eth", 1, 3)] },
  {
    name: "assets in an order of their own",
    stretches: [[...days("eth", 1, 2), ...days("ada", 1, 2)], days("btc", 1, 2)]
  },
  { name: "asset by asset within a page", stretches: [["ada", "btc", "eth"].map((asset) => at(asset, 1))] },
  {
    name: "assets at one time after another",
    read: series({ sort: "time" }),
    stretches: [["btc", "eth", "ada"].map((asset) => at(asset, 1)), ["btc", "eth", "ada"].map((asset) => at(asset, 2))]
  },
  {
    name: "pages from the end",
    read: series({ paging_from: "end" }),
    stretches: [days("eth", 3, 4), [...days("btc", 4, 5), ...days("eth", 1, 2)], days("btc", 1, 3)],
    paged: true
  },
  {
    name: "forks, and times that go back with them",
    read: series({ frequency: "1b" }),
    stretches: [[block(1, "a"), block(2, "a", 5)], [block(2, "b", 4), block(3, "c", 1)], [block(3, "a", 1)]]
  },
  {
    name: "blocks by height over assets",
    read: series({ frequency: "1b", sort: "height" }),
    stretches: [
      [block(1, "a"), { ...block(1, "e"), asset: "eth" }],
      [block(2, "a"), { ...block(2, "e"), asset: "eth" }]
    ]
  },
  {
    name: "a list without a promise",
    read: lists.assets,
    stretches: [[FakeApi.asset("b")], [FakeApi.asset("a")], [FakeApi.asset("c")]]
  },
  {
    name: "profiles in the order of a database that puts signs and capitals elsewhere",
    read: lists.profiles,
    stretches: [
      [{ asset: "aave" }, { asset: "AAX" }],
      [{ asset: "a_bc" }, { asset: "abd" }, { asset: "a.be" }]
    ],
    paged: true
  },
  {
    name: "several versions of a classification",
    read: lists.taxonomy,
    stretches: [
      [{ ...classified("btc", 1), taxonomy_version: "1" }],
      [{ ...classified("btc", 1), taxonomy_version: "2" }]
    ],
    paged: true
  },
  {
    name: "times written in several ways",
    stretches: [[{ ...at("btc", 1), time: "2026-01-01" }], [{ ...at("btc", 1), time: "2026-01-01T00:00:01Z" }]]
  }
]
