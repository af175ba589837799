import { assert, describe, it } from "@effect/vitest"
import { Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import * as Stream from "effect/Stream"
import * as Struct from "effect/Struct"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

/** A block; its time in minutes goes back where the miner's clock was behind. */
const block = (asset: string, height: number, hash: string, minute: number) => ({
  asset,
  time: `2026-01-01T00:0${minute}:00.000000000Z`,
  block_hash: hash,
  height: String(height)
})

/** Two forks, one of them two blocks long, and two times that go back. */
const chain = (asset: string) => [
  block(asset, 8, "c1", 1),
  block(asset, 9, "a1", 4),
  block(asset, 9, "b1", 3),
  block(asset, 9, "d1", 3),
  block(asset, 10, "a2", 2),
  block(asset, 10, "b2", 5),
  block(asset, 11, "a3", 4)
]

type Block = ReturnType<typeof block>

const chains = [...chain("btc"), ...chain("eth")]

/**
 * A service whose values are revised with every request, in the order it promises, by asset, height and hash, unless its
 * later replies are said to have other blocks or another order.
 */
const makeService = (
  blocks: ReadonlyArray<Block>,
  cutAt: (request: number, body: string) => number | undefined,
  later = blocks
) => {
  let served = 0
  const service = FakeApi.serve(({ url }) => {
    const named = url.searchParams.get("assets")?.split(",") ?? []
    const from = Number(url.searchParams.get("start_height") ?? 0)
    served += 1
    const body = (served === 1 ? blocks : later)
      .filter(({ asset, height }) => named.includes(asset) && Number(height) >= from)
      .map((row) => `${JSON.stringify({ ...row, PriceUSD: `${served}` })}\n`)
      .join("")
    const at = cutAt(served, body)
    return Effect.succeed({ body: at === undefined ? body : [body.slice(0, at), FakeApi.cut] })
  })
  return service
}

const read = (api: FakeApi.FakeApi, params: Partial<Timeseries.AssetMetricsParams> = {}) =>
  Timeseries.assetMetrics({
    assets: ["btc", "eth"],
    metrics: "PriceUSD",
    frequency: "1b",
    min_confirmations: 0,
    format: "json_stream",
    ...params
  }).pipe(
    Stream.runCollect,
    Effect.map((rows) => rows.map((row) => Struct.omit(row, ["PriceUSD"]))),
    Effect.provide(api.layer({ retry: Retry.make({ times: 2 }) })),
    Virtual.run
  )

const names = (rows: ReadonlyArray<object>) => rows.map((row) => JSON.stringify(row)).toSorted()

const lineEnds = (body: string) => [...body.matchAll(/\n/g)].map(({ index }) => index + 1)

describe("a json_stream of blocks with forks", () => {
  it.effect.each(chains.map((_, index) => [index + 1] as const))(
    "is read without loss or repetition when it is cut after record %i, although values are revised meanwhile",
    ([count]) =>
      Effect.gen(function* () {
        const api = makeService(chains, (request, body) => (request === 1 ? lineEnds(body)[count - 1] : undefined))
        assert.deepStrictEqual<ReadonlyArray<unknown>>(yield* read(api), chains)
        const { height } = chains[count - 1]!
        assert.include((yield* api.requests)[1], `min_confirmations=0&format=json_stream&start_height=${height}`)
      })
  )

  it.effect.each([1, 2, 3])("is read so when every reply is cut after its first %i new records", (count) =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      const api = makeService(chains, (_, body) => {
        const lines = body.split("\n").slice(0, -1)
        const names = lines.map((one) => one.replace(/,"PriceUSD.*/, ""))
        const fresh = names.flatMap((name, index) => (seen.has(name) ? [] : [index]))
        const last = fresh[count - 1]
        for (const name of names.slice(0, (last ?? names.length) + 1)) seen.add(name)
        return last === undefined ? undefined : lineEnds(body)[last]
      })
      assert.deepStrictEqual<ReadonlyArray<unknown>>(yield* read(api), chains)
    })
  )

  it.effect("goes on by replay where a lower height came back: what is left cannot be asked for by height", () =>
    Effect.gen(function* () {
      const [a, b, c, d] = chain("btc")
      const mixed = [a!, chain("btc")[4]!, b!, c!, d!]
      const api = FakeApi.make([
        {
          body: [mixed.slice(0, 3).map(FakeApi.line).join(""), FakeApi.cut]
        },
        { body: mixed.map(FakeApi.line).join("") }
      ])
      assert.deepStrictEqual<ReadonlyArray<unknown>>(yield* read(api, { assets: "btc" }), mixed)
      const [first, second] = yield* api.requests
      assert.strictEqual(second, first)
    })
  )

  it.effect.each(chains.map((_, index) => [index + 1] as const))(
    "has each block once when it is cut after record %i and the blocks of a height come back in another order",
    ([count]) =>
      Effect.gen(function* () {
        const turned = chains.toSorted(
          (a, b) =>
            Order.String(a.asset, b.asset) ||
            Number(a.height) - Number(b.height) ||
            Order.String(b.block_hash, a.block_hash)
        )
        const cut = (request: number, body: string) => (request === 1 ? lineEnds(body)[count - 1] : undefined)
        const rows = yield* read(makeService(chains, cut, turned))
        assert.deepStrictEqual<ReadonlyArray<unknown>>(rows.slice(0, count), chains.slice(0, count))
        assert.deepStrictEqual(names(rows), names(chains))
      })
  )

  it.effect.each(chains.map((_, index) => [index + 1] as const))(
    "has a block that comes late, and loses none for it, when it is cut after record %i",
    ([count]) =>
      Effect.gen(function* () {
        const last = chains[count - 1]!
        const late = block(last.asset, Number(last.height), "a0", 1)
        const at = chains.findIndex(({ asset, height }) => asset === last.asset && height === last.height)
        const cut = (request: number, body: string) => (request === 1 ? lineEnds(body)[count - 1] : undefined)
        const rows = yield* read(makeService(chains, cut, chains.toSpliced(at, 0, late)))
        assert.deepStrictEqual<ReadonlyArray<unknown>>(rows, chains.toSpliced(count, 0, late))
      })
  )

  it.effect("ends, its end checked, where the block emitted last came late", () =>
    Effect.gen(function* () {
      const [, a, b] = chain("btc")
      const api = FakeApi.make([
        { body: [FakeApi.line(b!), FakeApi.cut] },
        { body: [a!, b!].map(FakeApi.line).join("") },
        FakeApi.page([b]),
        { body: [a!, b!].map(FakeApi.line).join("") },
        FakeApi.page([b])
      ])
      const params = { assets: "btc", metrics: "PriceUSD", frequency: "1b", format: "json_stream" } as const
      const rows = yield* Timeseries.assetMetrics(params, { checkEnd: true }).pipe(
        Stream.runCollect,
        Effect.provide(api.layer()),
        Virtual.run
      )
      assert.deepStrictEqual<ReadonlyArray<unknown>>(rows, [b, a])
    })
  )

  it.effect("reads on within a height whose blocks are in another order than that of their hashes", () =>
    Effect.gen(function* () {
      const blocks = [
        block("btc", 9, "d", 1),
        block("btc", 9, "c", 1),
        block("btc", 9, "b", 1),
        block("btc", 9, "a", 1)
      ]
      const body = blocks.map(FakeApi.line).join("")
      const ends = lineEnds(body)
      const api = FakeApi.make([
        ...ends.slice(0, 3).map((end) => ({ body: [body.slice(0, end), FakeApi.cut] })),
        { body }
      ])
      assert.deepStrictEqual<ReadonlyArray<unknown>>(yield* read(api, { assets: "btc" }), blocks)
    })
  )
})
