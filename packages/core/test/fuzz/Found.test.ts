import { assert, describe, it } from "@effect/vitest"
import { type Client, ReferenceData, Retry, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Observed from "../Observed.ts"
import * as Virtual from "../Virtual.ts"

const read = (reply: FakeApi.Reply, format: "json" | "json_stream", options: Client.Options = {}) =>
  Effect.exit(
    Stream.runCollect(ReferenceData.assets({ format })).pipe(
      Effect.provide(FakeApi.make([reply]).layer({ retry: Retry.none, ...options }))
    )
  )

/** A record of a series, at always the same time. */
const line = (asset: string) => `${JSON.stringify({ asset, time: "2026-07-31T00:00:00.000000000Z" })}\n`

const words: ReadonlyArray<readonly [kind: string, text: string]> = [
  ["an object that is no text", '{"toString":1,"valueOf":2}'],
  ["an object whose toString is null", '{"toString":null}'],
  ["lists within lists", "[".repeat(20_000) + "]".repeat(20_000)]
]

describe("what mutated replies have found", () => {
  it.effect.each(words)("a warning whose words are %s does not take the page with it", ([, text]) =>
    Effect.gen(function* () {
      const body = `{"data":[${JSON.stringify(FakeApi.asset("btc"))}],"warning":{"type":${text},"message":${text}}}`
      const pages = yield* Effect.exit(
        Stream.runCollect(ReferenceData.assets.pages()).pipe(Effect.provide(FakeApi.make([{ body }]).layer()))
      )
      assert.isTrue(Exit.isSuccess(pages) && pages.value[0]?.data.length === 1)
    })
  )

  it.effect("a very long warning is logged in a few lines", () =>
    Effect.gen(function* () {
      const warning = { type: "t".repeat(60_000), message: "m".repeat(60_000) }
      const observed = Observed.make([FakeApi.page([FakeApi.asset("btc")], undefined, { warning })])
      yield* observed.run(Stream.runDrain(ReferenceData.assets()))
      assert.strictEqual(observed.said.length, 1)
      assert.isBelow(observed.said.join().length, 10_000)
    })
  )

  it.effect.each(["cf-ray", "x-ratelimit-plan"])("a header %s that fills the head does not fill the error", (name) =>
    Effect.gen(function* () {
      const reply = { ...FakeApi.refusal(429, "rate_limit_exceeded", "no"), headers: { [name]: "x".repeat(16_000) } }
      const exit = yield* read(reply, "json")
      assert.isTrue(Exit.isFailure(exit))
      assert.isBelow(JSON.stringify(exit).length, 10_000)
    })
  )

  it.effect("a successor that fills the head does not fill the error", () =>
    Effect.gen(function* () {
      const link = `<https://h.test/${"x".repeat(15_000)}>; rel="successor-version"`
      const reply = { ...FakeApi.page([]), headers: { deprecation: "true", link } }
      const exit = yield* read(reply, "json", { deprecated: "fail" })
      assert.isTrue(Exit.isFailure(exit))
      assert.isBelow(JSON.stringify(exit).length, 10_000)
    })
  )

  it.effect("a service that answers the same cut lines to every question is given up, and nothing is repeated", () =>
    Effect.gen(function* () {
      const reply: FakeApi.Reply = { body: [line("etc"), line("eth"), line("sol"), '{"asset":', FakeApi.cut] }
      const api = FakeApi.serve(() => Effect.succeed(reply))
      const records: Array<string | undefined> = []
      const query = { assets: ["etc", "eth", "sol"], metrics: ["PriceUSD"], format: "json_stream" } as const
      const exit = yield* Timeseries.assetMetrics(query).pipe(
        Stream.take(50),
        Stream.runForEach(({ asset }) => Effect.sync(() => records.push(asset))),
        Effect.provide(api.layer({ retry: Retry.make({ times: 2 }) })),
        Effect.exit,
        Virtual.run
      )
      assert.isTrue(Exit.isFailure(exit))
      assert.deepStrictEqual(records, ["etc", "eth", "sol"])
      assert.isAtMost((yield* api.requests).length, 9)
    })
  )

  it.effect("a line that is too long is refused in one chunk as in many", () =>
    Effect.gen(function* () {
      const long = `${JSON.stringify({ asset: "btc", full_name: "x".repeat(3_000) })}\n`
      const options = { limits: { maxLineBytes: 2_000 } }
      const one = yield* read({ body: long }, "json_stream", options)
      const many = yield* read({ body: [long.slice(0, 2_500), long.slice(2_500)] }, "json_stream", options)
      assert.isTrue(Exit.isFailure(many))
      assert.strictEqual(JSON.stringify(one), JSON.stringify(many))
    })
  )

  it.effect("a refusal longer than what is read of it says the same in one chunk as in many", () =>
    Effect.gen(function* () {
      const body = `{"error":{"type":"forbidden","message":"no"},"more":"${"é".repeat(300)}"}`
      const options = { limits: { maxErrorBytes: 100 } }
      const one = yield* read({ status: 403, body }, "json", options)
      const many = yield* read(
        { status: 403, body: Array.from(FakeApi.bytes(body), (byte) => Uint8Array.of(byte)) },
        "json",
        options
      )
      assert.strictEqual(JSON.stringify(one), JSON.stringify(many))
    })
  )

  it.effect("a large page that names its data twice loses nothing without a word", () =>
    Effect.gen(function* () {
      const data = Array.from({ length: 1_000 }, (_, index) => FakeApi.asset(`asset${index}`))
      const exit = yield* read({ body: `{"data":${JSON.stringify(data)},"data":[{"asset":"last"}]}` }, "json")
      // JSON.parse takes the last of them; an error would do as well.
      const records = Exit.isSuccess(exit) ? exit.value.length : 1
      assert.strictEqual(records, 1)
    })
  )

  it.effect("two lines that are JSON only together are refused", () =>
    Effect.gen(function* () {
      const exit = yield* read({ body: '{"asset":"a"\n"full_name":"x"},{"asset":"b"}\n' }, "json_stream")
      assert.isTrue(Exit.isFailure(exit))
    })
  )
})
