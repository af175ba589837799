import * as NodeWS from "@effect/platform-node/NodeWS"
import { assert, describe, it } from "@effect/vitest"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import type { Row } from "./Harness.ts"
import { open } from "./LiveHarness.ts"
import { refusal } from "./LiveHandshake.ts"

const quotes = "/timeseries-stream/market-quotes?markets=coinbase-btc-usd-spot"

const options: Sandbox.Options = {
  keys: { "no-prices": { plan: "default", licence: { withoutMetrics: ["PriceUSD"] } } },
  live: { httpLag: 0, speed: 20 },
  streams: { pingEvery: "50 millis", connections: 3 }
}

const overPort = Layer.merge(Sandbox.layer(options), NodeWS.layerWebSocketConstructor)

/** Waits until something holds; the test's own time limit bounds it. */
const until = (holds: () => boolean) =>
  Effect.suspend(() => (holds() ? Effect.void : Effect.fail("not yet"))).pipe(Effect.retry(Schedule.spaced("5 millis")))

const settled = Effect.flatMap(Sandbox.Sandbox, ({ stats }) =>
  Effect.repeat(stats, { until: ({ connections }) => connections === 0, schedule: Schedule.spaced("5 millis") })
)

const typeOf = (body: string) => (JSON.parse(body) as { readonly error: Row }).error["type"]

describe("A live stream over a socket", () => {
  it.live("sends the same frames as in memory, and the journal has them", () =>
    Effect.gen(function* () {
      const { live, stats } = yield* Sandbox.Sandbox
      const seen = yield* open(quotes)
      yield* until(() => seen.frames.length > 40)
      const [entry] = yield* live.journal
      assert.isDefined(entry)
      assert.deepStrictEqual(
        entry.frames.slice(0, 40).map(({ text }) => text),
        seen.frames.slice(0, 40).map(String)
      )
      assert.deepStrictEqual(entry.parameters, { markets: "coinbase-btc-usd-spot" })
      const truth = yield* live.series(quotes, { after: entry.opened, until: entry.frames[39]?.at ?? "" })
      const sent = entry.frames.slice(1, 40).map(({ text }) => text.replace(/,"cm_sequence_id":"\d+"/, ""))
      assert.deepStrictEqual(truth.slice(0, 39), sent)
      const now = yield* stats
      assert.deepStrictEqual([now.connections, now.opened], [1, 1])
    }).pipe(Effect.scoped, Effect.provide(overPort))
  )

  it.live("gives its place back when the client closes it", () =>
    Effect.gen(function* () {
      yield* Effect.scoped(Effect.flatMap(open(quotes), (seen) => until(() => seen.frames.length > 1)))
      yield* settled
      const { live } = yield* Sandbox.Sandbox
      const [entry] = yield* live.journal
      assert.isString(entry?.ended)
      assert.isUndefined(entry?.reason)
    }).pipe(Effect.provide(overPort))
  )

  it.live("is closed with 1001 when the stand-in stops", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const context = yield* Layer.buildWithScope(overPort, scope)
      const seen = yield* Effect.provide(open(quotes), context)
      yield* until(() => seen.frames.length > 1)
      yield* Scope.close(scope, Exit.void)
      yield* until(() => seen.ended !== undefined)
      assert.deepStrictEqual(seen.ended, { tag: "SocketCloseError", code: 1001, reason: "going away" })
    }).pipe(Effect.scoped)
  )

  it.live("is refused before it begins with the status and the body of HTTP", () =>
    Effect.gen(function* () {
      const { streamUrl } = yield* Sandbox.Sandbox
      const of = (path: string) => refusal(`${streamUrl}${path}`)
      const none = yield* of(quotes)
      assert.deepStrictEqual([none.status, typeOf(none.body)], [401, "unauthorized"])
      assert.property(none.headers, "cf-ray")
      const wrong = yield* of(`${quotes}&api_key=nobody`)
      assert.deepStrictEqual([wrong.status, typeOf(wrong.body)], [401, "wrong_credentials"])
      const path = yield* of("/timeseries-stream/market-greeks?markets=*&api_key=demo-key")
      assert.deepStrictEqual([path.status, typeOf(path.body)], [404, "not_found"])
      const market = yield* of("/timeseries-stream/market-trades?markets=nowhere&api_key=demo-key")
      assert.deepStrictEqual([market.status, typeOf(market.body)], [400, "bad_parameter"])
      const metric = "assets=btc&metrics=PriceUSD&frequency=1b&api_key=no-prices"
      const licence = yield* of(`/timeseries-stream/asset-metrics?${metric}`)
      assert.deepStrictEqual([licence.status, typeOf(licence.body)], [403, "forbidden"])
      const long = yield* of(`${quotes}&api_key=demo-key&more=${"x".repeat(10_000)}`)
      assert.deepStrictEqual([long.status, long.body], [414, ""])
    }).pipe(Effect.provide(overPort))
  )

  it.live("is refused with 429 beyond the connections that a key may have, until one of them has ended", () =>
    Effect.gen(function* () {
      const { streamUrl } = yield* Sandbox.Sandbox
      yield* Effect.scoped(
        Effect.gen(function* () {
          const all = yield* Effect.all([open(quotes), open(quotes), open(quotes)])
          yield* until(() => all.every(({ frames }) => frames.length > 0))
          const fourth = yield* refusal(`${streamUrl}${quotes}&api_key=demo-key`)
          assert.strictEqual(fourth.status, 429)
          const other = yield* open(quotes, "", "sandbox-trial")
          yield* until(() => other.frames.length > 0)
        })
      )
      yield* settled
      yield* Effect.scoped(Effect.flatMap(open(quotes), (seen) => until(() => seen.frames.length > 0)))
    }).pipe(Effect.provide(overPort))
  )
})
