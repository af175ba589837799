import { assert, describe, it } from "@effect/vitest"
import { type Client, Profile, ReferenceData, Retry, Taxonomy, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"
import * as Observed from "./Observed.ts"

const day = (n: number) => `2026-01-${String(n).padStart(2, "0")}T00:00:00.000000000Z`

const at = (asset: string, n: number) => ({ asset, time: day(n), PriceUSD: String(n) })

const days = (asset: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => at(asset, from + index))

const block = (height: number, block_hash: string, n = height) => ({
  ...at("btc", n),
  height: String(height),
  block_hash
})

const classified = (asset: string, n: number) => ({ asset, classification_start_time: day(n) })

type Stretch = ReadonlyArray<object>

interface Case {
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

const series =
  (params: object = {}) =>
  (format: object) =>
    Timeseries.assetMetrics({ assets: ["ada", "btc", "eth"], metrics: "PriceUSD", ...params, ...format })

const lists = {
  assets: (format: object) => ReferenceData.assets(format),
  profiles: (format: object) => Profile.assets(format),
  taxonomy: (format: object) => Taxonomy.assets(format)
}

const disordered: ReadonlyArray<Case> = [
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

const ordered: ReadonlyArray<Case> = [
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

const pagesOf = (stretches: ReadonlyArray<Stretch>) =>
  stretches.map((records, index) => FakeApi.page(records, index + 1 < stretches.length ? `t${index}` : undefined))

/** Each stretch a chunk of its own, as it is with one much longer than 16 KiB. */
const linesOf = (stretches: ReadonlyArray<Stretch>): FakeApi.Reply => ({
  body: stretches.flatMap((records) => [
    records.map((record) => `${JSON.stringify(record)}\n`).join(""),
    Effect.yieldNow
  ])
})

const forms = (one: Case) => [
  { form: "pages", format: {}, script: pagesOf(one.stretches), issue: one.ofPage ?? one.issue },
  ...(one.paged === true
    ? []
    : [{ form: "lines", format: { format: "json_stream" }, script: [linesOf(one.stretches)], issue: one.issue }])
]

const all = (cases: ReadonlyArray<Case>) =>
  cases.flatMap((one) => forms(one).map((form) => [`${form.form}: ${one.name}`, { ...one, ...form }] as const))

const collect = Effect.fnUntraced(function* (
  { format, read = series(), script }: Pick<Case, "read"> & { format: object; script: ReadonlyArray<FakeApi.Script> },
  options?: Client.Options
) {
  const observed = Observed.make(script, { retry: Retry.none, ...options })
  const records: Array<unknown> = []
  const outcome = yield* read(format).pipe(
    Stream.runForEach((record) => Effect.sync(() => records.push(record))),
    Effect.result,
    observed.run
  )
  return { records, said: observed.said, error: outcome._tag === "Failure" ? outcome.failure : undefined }
})

describe("records that are repeated or out of order", () => {
  it.effect.each(all(disordered))("are warned of once, and all emitted, in %s", ([, one]) =>
    Effect.gen(function* () {
      const { error, records, said } = yield* collect(one)
      assert.isUndefined(error)
      assert.lengthOf(records, one.stretches.flat().length)
      assert.lengthOf(said, 1)
      assert.include(said[0], `: ${one.issue}`)
      assert.match(said[0] ?? "", one.form === "pages" ? /at page [23], data\[/ : /at line \d+: /)
      if (one.form === "pages") assert.include(said[0], `at ${one.place}: `)
    })
  )

  it.effect.each(all(disordered))("fail with Decode where that is asked for, in %s", ([, one]) =>
    Effect.gen(function* () {
      const { error, records, said } = yield* collect(one, { onDisorder: "fail" })
      assert.deepInclude({ ...(error as object) }, { _tag: "Decode", issue: one.issue })
      const before = one.stretches[0]!.length
      assert.isAtLeast(records.length, before)
      if (one.form === "lines") {
        // Its line is named, and what was emitted is in order.
        const [, page = "", index = ""] = /^page (\d), data\[(\d+)\]$/.exec(one.place ?? "") ?? []
        const line = one.stretches.slice(0, Number(page) - 1).flat().length + Number(index) + 1
        assert.deepInclude({ ...(error as object) }, { line })
        assert.deepStrictEqual(records, one.stretches.flat().slice(0, records.length))
      }
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect.each(all(disordered))("are nobody's business where they are ignored, in %s", ([, one]) =>
    Effect.gen(function* () {
      const { error, records, said } = yield* collect(one, { onDisorder: "ignore" })
      assert.isUndefined(error)
      assert.lengthOf(records, one.stretches.flat().length)
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect.each(all(ordered))("are not seen where there are none, in %s", ([, one]) =>
    Effect.gen(function* () {
      const { error, records, said } = yield* collect(one, { onDisorder: "fail" })
      assert.isUndefined(error)
      assert.lengthOf(records, one.stretches.flat().length)
      assert.deepStrictEqual(said, [])
    })
  )

  const inside: ReadonlyArray<readonly [name: string, emitted: number, Case]> = [
    [
      "a day that is repeated",
      2,
      {
        name: "",
        stretches: [[1, 2, 2, 3, 2, 4].map((n) => at("btc", n))],
        issue: `the record btc, ${day(2)} is repeated`
      }
    ],
    [
      "a day that goes back",
      1,
      {
        name: "",
        stretches: [[1, 3, 2, 4].map((n) => at("btc", n))],
        issue: `the record btc, ${day(2)} comes after btc, ${day(3)}`
      }
    ],
    [
      "an asset that comes back between two of another",
      2,
      {
        name: "",
        stretches: [[at("ada", 1), at("btc", 1), at("ada", 2)]],
        issue: `the record ada, ${day(2)} comes after btc, ${day(1)}`
      }
    ],
    [
      "an asset of a list that is repeated",
      2,
      {
        name: "",
        read: lists.assets,
        stretches: [["a", "b", "b", "c"].map(FakeApi.asset)],
        issue: "the record b is repeated"
      }
    ]
  ]

  it.effect.each(inside)("fail between the ends of a batch too, where that is asked for: %s", ([, emitted, one]) =>
    Effect.forEach(forms(one), (form) =>
      Effect.gen(function* () {
        const { error, records } = yield* collect({ ...one, ...form }, { onDisorder: "fail" })
        assert.deepInclude({ ...(error as object) }, { _tag: "Decode", issue: one.issue })
        assert.deepStrictEqual(records, one.stretches.flat().slice(0, emitted))
      })
    )
  )

  it.effect("fail after the records before them, on pages as on lines", () =>
    Effect.gen(function* () {
      const one = {
        name: "",
        stretches: [
          [at("btc", 1), at("btc", 2)],
          [at("btc", 3), at("btc", 4), at("btc", 1)]
        ]
      }
      for (const form of forms(one)) {
        const { error, records } = yield* collect(form, { onDisorder: "fail" })
        assert.deepInclude({ ...(error as object) }, { _tag: "Decode" })
        assert.deepStrictEqual(records, one.stretches.flat().slice(0, 4), form.form)
      }
    })
  )

  it.effect("fail after the records before them on pages from the end, and ask for nothing more", () =>
    Effect.gen(function* () {
      const stretches = [days("btc", 6, 7), [at("btc", 9), at("btc", 4), at("btc", 5)], days("btc", 1, 2)]
      const read = { format: {}, read: series({ paging_from: "end" }), script: pagesOf(stretches).slice(0, 2) }
      const { error, records } = yield* collect(read, { onDisorder: "fail" })
      assert.deepInclude({ ...(error as object) }, { _tag: "Decode", page: 2, path: "data[0]" })
      assert.deepStrictEqual(
        records,
        [7, 6, 5, 4].map((n) => at("btc", n))
      )
    })
  )

  it.effect("are seen by those who read pages as well", () =>
    Effect.gen(function* () {
      const script = pagesOf([days("btc", 1, 3), days("btc", 3, 5), days("btc", 1, 2)])
      const pages = Timeseries.assetMetrics.pages({ assets: "btc", metrics: "PriceUSD" })
      const warned = Observed.make(script)
      assert.lengthOf(yield* warned.run(Stream.runCollect(pages)), 3)
      assert.lengthOf(warned.said, 1)
      const failing = Observed.make(script, { onDisorder: "fail" })
      const error = yield* failing.run(Effect.flip(Stream.runCollect(pages)))
      assert.deepInclude({ ...error }, { _tag: "Decode", page: 2, path: "data[0]" })
    })
  )

  it.effect.each(["warn", "fail"] as const)("are named without the key: %s", (onDisorder) =>
    Effect.gen(function* () {
      const key = "k3y+/=s3cr3t"
      const options = { apiKey: Redacted.make(key), onDisorder }
      const name = `${"x".repeat(190)}${key}`
      const cases: ReadonlyArray<Case> = [
        { name: "", stretches: [days(key, 2, 3), days(key, 1, 3)] },
        { name: "", stretches: [days(name, 2, 3), days(name, 3, 4)] },
        { name: "", read: lists.assets, stretches: [[FakeApi.asset(key)], [FakeApi.asset(key)]] }
      ]
      for (const form of cases.flatMap((one) => forms(one).map((form) => ({ ...one, ...form })))) {
        const { error, said } = yield* collect(form, options)
        const texts = [...said, String(error), JSON.stringify(error)]
        assert.isTrue(texts.some((text) => text?.includes("redacted")))
        for (const text of texts) assert.notInclude(text ?? "", key.slice(0, 4))
      }
    })
  )

  it.effect("show no more of the service's text than is safe to print", () =>
    Effect.gen(function* () {
      const name = `b\u001b[2J${"x".repeat(1_000)}`
      const { said } = yield* collect({ format: {}, script: pagesOf([[at(name, 2)], [at(name, 1)]]) })
      assert.lengthOf(said, 1)
      assert.notInclude(said[0], "\u001b")
      assert.isBelow(said[0]!.length, 1_000)
    })
  )
})
