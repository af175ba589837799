import { assert, describe, it } from "@effect/vitest"
import { type Client, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Observed from "../Observed.ts"
import { at, type Case, day, days, disordered, lists, ordered, series, type Stretch } from "./DisorderCases.ts"

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
