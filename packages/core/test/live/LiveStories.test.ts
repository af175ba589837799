import { assert, describe, it } from "@effect/vitest"
import { Live, type LiveEndpoint } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "./FakeLive.ts"
import * as Virtual from "../Virtual.ts"

const { broken, market, numbered, time, trade, word } = FakeLive

interface Story {
  readonly name: string
  readonly options?: LiveEndpoint.CallOptions
  /** What comes over each connection. */
  readonly scripts: ReadonlyArray<FakeLive.Script>
  /** What HTTP answers in turn; it is asked for no more. */
  readonly http?: ReadonlyArray<ReadonlyArray<object>>
  readonly told: ReadonlyArray<string>
}

const again = ["Disconnected", "Connected"]

const warning = { frame: { warning: { type: "falling_behind", message: "" } } }

const old = { ...trade("1", 1), time: "1969-12-31T00:00:00.000000000Z" }

const ahead = { ...trade("2", 2), time: "2026-01-01T01:00:02.000000000Z" }

/** A hole behind records with a time that is far ahead. */
const behind = (
  name: string,
  first: ReadonlyArray<ReturnType<typeof trade>>,
  second: ReadonlyArray<object> = []
): Story => ({
  name,
  scripts: [[numbered(first), broken], [numbered([...second, trade("5", 5), trade("6", 6)])]],
  http: [[trade("3", 3), trade("4", 4), trade("5", 5)]],
  told: [
    "Connected",
    ...first.map(({ coin_metrics_id }) => `live ${coin_metrics_id}`),
    ...again,
    "filled 4",
    "live 5",
    "live 6"
  ]
})

const stories: ReadonlyArray<Story> = [
  {
    name: "asks nothing over HTTP where the last record comes again, and does not deliver it twice",
    scripts: [[numbered([trade("1", 1)]), broken], [numbered([trade("1", 1), trade("2", 2)])]],
    told: ["Connected", "live 1", ...again, "live 2"]
  },
  {
    name: "waits for an HTTP side that lags, and fills the hole when it has caught up",
    scripts: [[numbered([trade("1", 1)]), broken], [numbered([trade("3", 3), trade("4", 4)])]],
    http: [[trade("1", 1)], [trade("1", 1), trade("2", 2)], [trade("2", 2), trade("3", 3)]],
    told: ["Connected", "live 1", ...again, "filled 2", "live 3", "live 4"]
  },
  {
    name: "fills the hole of a missing frame over HTTP, on the same connection",
    scripts: [[{ frames: [trade("1", 1, 0), trade("3", 3, 2), trade("4", 4, 3)] }]],
    http: [[trade("1", 1), trade("2", 2), trade("3", 3)]],
    told: ["Connected", "live 1", "filled 2", "live 3", "live 4"]
  },
  {
    name: "begins with `since`, also when it is later than the newest record: that one is left out, without a gap",
    options: { since: time(30) },
    scripts: [[numbered([trade("1", 1), trade("2", 40)])]],
    http: [[]],
    told: ["Connected", "live 2"]
  },
  {
    name: "says once that records of before `since` come, and leaves them out",
    options: { since: time(30) },
    scripts: [[numbered([trade("1", 1), trade("2", 2), trade("3", 3), trade("4", 40)])]],
    http: [[]],
    told: ["Connected", "Warning", "live 4"]
  },
  {
    name: "begins with `since`, also when nothing newer came before the connection broke",
    options: { since: time(30) },
    scripts: [[numbered([trade("1", 1)]), broken], [numbered([trade("3", 40)])]],
    http: [[], [trade("2", 35), trade("3", 40)]],
    told: ["Connected", ...again, "filled 2", "live 3"]
  },
  {
    name: "begins with its first connection: a last record from before it leaves no gap in the second",
    scripts: [[warning, broken], [numbered([old])]],
    http: [[old]],
    told: ["Connected", "Warning", ...again, "live 1"]
  },
  {
    name: "takes an `error` that says nothing for none, as everywhere",
    scripts: [[numbered([false, null, 0, ""].map((error, at) => ({ ...trade(String(at), at), error })))]],
    told: ["Connected", "live 0", "live 1", "live 2", "live 3"]
  },
  {
    name: "fills a hole with records of its own entity only, whatever the reply holds",
    scripts: [[numbered([trade("1", 1)]), broken], [numbered([trade("3", 3)])]],
    http: [[trade("1", 1), trade("9", 2, undefined, "b-btc-usd-spot"), trade("2", 2), trade("3", 3)]],
    told: ["Connected", "live 1", ...again, "filled 2", "live 3"]
  },
  behind("fills the hole behind a record with a time in the far future", [
    trade("1", 1),
    { ...ahead, time: "9999-01-01T00:00:00.000000000Z" },
    trade("3", 3)
  ]),
  behind("fills the hole behind a time an hour ahead", [trade("1", 1), ahead, trade("3", 3)]),
  behind("fills the hole behind a time an hour ahead that came last", [trade("1", 1), trade("3", 3), ahead]),
  behind("fills the hole behind a time an hour ahead that came first", [ahead, trade("1", 1), trade("3", 3)]),
  behind(
    "fills the hole also where the service still shows the record ahead as its last",
    [trade("1", 1), ahead, trade("3", 3)],
    [ahead]
  ),
  {
    name: "reads history first with `since`, and goes on live without hole and without repeat",
    options: { since: "2026-01-01" },
    scripts: [[numbered([trade("3", 3), trade("4", 4)])]],
    http: [
      [trade("1", 1), trade("2", 2)],
      [trade("2", 2), trade("2b", 2), trade("3", 3)]
    ],
    told: ["history 1", "history 2", "Connected", "filled 2b", "live 3", "live 4"]
  }
]

describe("A live stream", () => {
  it.effect.each(stories.map((story) => [story.name, story] as const))("%s", ([, story]) =>
    Effect.gen(function* () {
      const { http = [], options, scripts, told } = story
      const api = FakeApi.make(http.map((records) => FakeApi.page(records)))
      const read = yield* Live.marketTrades({ markets: market }, options).pipe(
        Stream.take(told.length),
        Stream.map(word),
        Stream.runCollect,
        Effect.provide(FakeLive.make(scripts).layer(api)),
        Virtual.run
      )
      assert.deepStrictEqual(read, [...told])
      assert.lengthOf(yield* api.requests, http.length)
    })
  )
})
