/**
 * A metric that has no value yet: over HTTP it is null, or absent (docs/interface.md 3.12), and its value comes later.
 */
import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveMessage } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { time } = FakeLive

const words: ReadonlyArray<readonly [word: string, missing: object]> = [
  ["null", { SplyCur: null }],
  ["absent", {}]
]

const at = (second: number, values: object) => ({ asset: "btc", time: time(second), ...values })

const frame = (second: number, values: object, sequence: number) => ({
  frame: { ...at(second, values), cm_sequence_id: String(sequence) }
})

const told = (message: LiveMessage.LiveMessage<object>): string => {
  if (message._tag !== "Data") return message._tag
  const { PriceUSD, SplyCur, time } = { PriceUSD: "", SplyCur: "", time: "", ...message.record }
  return `${message.origin} ${String(time).slice(17, 19)}: ${PriceUSD} ${SplyCur ?? ""}`.trimEnd()
}

const read = (count: number, live: FakeLive.FakeLive, api: FakeApi.FakeApi, since?: string) =>
  Live.assetMetrics({ assets: "btc", metrics: ["PriceUSD", "SplyCur"], frequency: "1s" }, { since }).pipe(
    Stream.take(count),
    Stream.map(told),
    Stream.runCollect,
    Effect.provide(live.layer(api)),
    Virtual.run
  )

describe.each(words)("a metric that is %s while it has no value", (_, missing) => {
  it.effect("comes live with its value, where history knew none", () =>
    Effect.gen(function* () {
      let asked = 0
      const api = FakeApi.serve(({ url }) =>
        Effect.sync(() => {
          const isSupply = url.searchParams.get("metrics") === "SplyCur"
          const supply = asked++ < 2 ? missing : { SplyCur: "9" }
          return FakeApi.page([at(30, isSupply ? supply : { PriceUSD: "1", ...missing })])
        })
      )
      const live = FakeLive.make([
        [
          frame(30, { PriceUSD: "1" }, 0),
          frame(30, { SplyCur: "9" }, 1),
          frame(31, { PriceUSD: "2" }, 2),
          frame(31, { SplyCur: "9" }, 3)
        ]
      ])
      assert.deepStrictEqual(yield* read(5, live, api, time(30)), [
        "history 30: 1",
        "Connected",
        "live 30:  9",
        "live 31: 2",
        "live 31:  9"
      ])
    })
  )

  it.effect("is asked for until it is there, where it was missed while the connection was broken", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        FakeApi.page([at(31, { PriceUSD: "2", ...missing }), at(32, { PriceUSD: "3", ...missing })]),
        FakeApi.page([at(31, { PriceUSD: "2", SplyCur: "9" }), at(32, { PriceUSD: "3", SplyCur: "8" })])
      ])
      const live = FakeLive.make([
        [frame(30, { PriceUSD: "1" }, 0), frame(30, { SplyCur: "9" }, 1), { close: 1011 }],
        [frame(32, { PriceUSD: "3" }, 0), frame(32, { SplyCur: "8" }, 1)]
      ])
      const seen = yield* read(9, live, api)
      assert.deepStrictEqual(seen, [
        "Connected",
        "live 30: 1",
        "live 30:  9",
        "Disconnected",
        "Connected",
        "filled 31: 2",
        "live 32: 3",
        "filled 31:  9",
        "live 32:  8"
      ])
    })
  )
})
