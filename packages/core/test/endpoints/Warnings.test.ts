import { assert, describe, it } from "@effect/vitest"
import { Catalog, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Observed from "../Observed.ts"

const one = { type: "partial_result", message: "Some chains have no data yet." }
const two = { type: "renamed_chain", message: "Renamed." }

const market = { market: "m", protocol: "p" }

/** Every page has the same record here. */
const same = { onDisorder: "ignore" } as const

const said = ({ message, type }: typeof one) => `Warn The service warns (${type}): ${message}`

const kinds = (count: number) => Array.from({ length: count }, (_, n) => ({ type: `kind-${n}`, message: "" }))

describe("Warnings", () => {
  it.effect.each([
    ["one object", { warning: one }, [one]],
    ["an array under the singular name", { warning: [one, two] }, [one, two]],
    ["an array under the plural name", { warnings: [one, two] }, [one, two]],
    ["one object under the plural name", { warnings: one }, [one]],
    ["both names at once", { warning: one, warnings: [two] }, [one, two]],
    ["null", { warning: null, warnings: null }, []],
    ["empty lists", { warning: [], warnings: [] }, []],
    ["no key at all", {}, []],
    ["keys beyond the two", { warning: { ...one, since: "2026" } }, [one]],
    ["no message", { warning: { type: "partial_result" } }, [{ type: "partial_result", message: "" }]],
    ["no type", { warnings: [{ message: "x" }] }, [{ type: "unknown", message: "x" }]],
    ["something that is no warning", { warning: "x", warnings: [null, 7, one] }, [one]]
  ] as const)("are data beside the records of a page, and are not logged there: %s", ([, more, expected]) =>
    Effect.gen(function* () {
      const observed = Observed.make([FakeApi.page([market], undefined, more)])
      const [page] = yield* observed.run(Stream.runCollect(ReferenceData.protocols.pages()))
      assert.deepStrictEqual(page?.warnings, [...expected])
      assert.deepStrictEqual(page?.data, [market])
      assert.deepStrictEqual(observed.said, [])
    })
  )

  it.effect("belong to the page they came with", () =>
    Effect.gen(function* () {
      const { run } = Observed.make([
        FakeApi.page([market], "1", { warning: one }),
        FakeApi.page([market], "2"),
        FakeApi.page([market], undefined, { warnings: [one, two] })
      ])
      const pages = yield* run(Stream.runCollect(ReferenceData.protocols.pages()))
      assert.deepStrictEqual(
        pages.map(({ warnings }) => warnings),
        [[one], [], [one, two]]
      )
    })
  )

  it.effect("are logged once each when only the records are read, though every page has them, and it goes on", () =>
    Effect.gen(function* () {
      const observed = Observed.make(
        [
          FakeApi.page([market], "1", { warning: one }),
          FakeApi.page([market], "2", { warning: one, warnings: [{ ...one, message: "Other words." }] }),
          FakeApi.page([market], undefined, { warnings: [one, two] })
        ],
        same
      )
      const all = yield* observed.run(Stream.runCollect(ReferenceData.protocols()))
      assert.strictEqual(all.length, 3)
      assert.deepStrictEqual(observed.said, [said(one), said(two)])
    })
  )

  it.effect("are logged again for another read", () =>
    Effect.gen(function* () {
      const reply = FakeApi.page([market], undefined, { warning: one })
      const observed = Observed.make([reply, reply])
      const read = Stream.runDrain(ReferenceData.protocols())
      yield* observed.run(Effect.andThen(read, read))
      assert.deepStrictEqual(observed.said, [said(one), said(one)])
    })
  )

  it.effect("are read wherever they come, such as beside a catalog", () =>
    Effect.gen(function* () {
      const reply = FakeApi.page([{ asset: "btc" }], undefined, { warning: one })
      const observed = Observed.make([reply, reply], { deprecated: "ignore" })
      const [page] = yield* observed.run(Stream.runCollect(Catalog.assets.pages()))
      assert.deepStrictEqual(page?.warnings, [one])
      yield* observed.run(Stream.runDrain(Catalog.assets()))
      assert.deepStrictEqual(observed.said, [said(one)])
    })
  )

  it.effect("are kept up to a hundred of a page, and counted beyond", () =>
    Effect.gen(function* () {
      const { run, said } = Observed.make(
        [
          FakeApi.page([market], "1", { warning: one, warnings: kinds(200_000) }),
          FakeApi.page([market], undefined, { warnings: kinds(100) })
        ],
        same
      )
      const pages = yield* run(Stream.runCollect(ReferenceData.protocols.pages()))
      assert.deepStrictEqual(
        pages.map(({ warnings, warningsOmitted }) => [warnings.length, warningsOmitted]),
        [
          [100, 199_901],
          [100, undefined]
        ]
      )
      assert.deepStrictEqual(pages[0]?.warnings, [one, ...kinds(99)])
      assert.deepStrictEqual(said, [])
    })
  )

  it.effect("are logged up to ten kinds of a stream, and then said to be more", () =>
    Effect.gen(function* () {
      const observed = Observed.make(
        [
          FakeApi.page([market], "1", { warning: one }),
          FakeApi.page([market], "2", { warnings: kinds(200_000) }),
          FakeApi.page([market], undefined, { warnings: kinds(200_001).toReversed() })
        ],
        same
      )
      assert.lengthOf(yield* observed.run(Stream.runCollect(ReferenceData.protocols())), 3)
      assert.deepStrictEqual(observed.said, [
        said(one),
        ...kinds(9).map(said),
        "Warn The service warns, and 199991 more on page 2; further warnings are not logged"
      ])
    })
  )

  it.effect("of ten kinds are all logged, and no more is said", () =>
    Effect.gen(function* () {
      const reply = (token?: string) => FakeApi.page([market], token, { warnings: kinds(10) })
      const observed = Observed.make([reply("1"), reply()], same)
      yield* observed.run(Stream.runDrain(ReferenceData.protocols()))
      assert.deepStrictEqual(observed.said, kinds(10).map(said))
    })
  )
})
