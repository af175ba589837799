import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Client, LiveClient, Retry, Timeseries } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Socket from "effect/socket/Socket"
import * as Stream from "effect/Stream"
import { TestClock } from "effect/testing"
import * as WallClock from "../../../core/test/WallClock.ts"
import * as Virtual from "../../../core/test/Virtual.ts"
import * as FolderStore from "../../src/internal/folder/FolderStore.ts"
import { data, temporary } from "./Harness.ts"

const live = Layer.unwrap(Effect.map(Sandbox.Sandbox, ({ streamUrl }) => LiveClient.layer({ root: streamUrl }))).pipe(
  Layer.provideMerge(Sandbox.layerClient(Client.layer, { live: true }))
)

const world = Layer.merge(live, NodeServices.layer)

/** The same address of the stand-in, under a fault. */
const under = (fault: string, url: string) => url.replace("/v4/", `/fault/${encodeURIComponent(fault)}/v4/`)

/** A service whose two sides a test takes away. */
const breakable = () => {
  const out = { http: false, live: false }
  const http = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      HttpClient.mapRequest(client, (request) =>
        out.http ? HttpClientRequest.setUrl(request, under("status=503", request.url)) : request
      )
    )
  )
  const socket = Layer.effect(
    Socket.WebSocketConstructor,
    Effect.map(Socket.WebSocketConstructor, (open) => (url: string) => open(out.live ? under("live-reset", url) : url))
  )
  const clients = Layer.unwrap(
    Effect.map(Sandbox.Sandbox, ({ streamUrl, url }) => {
      const account = { apiKey: Redacted.make("demo-key") }
      return LiveClient.layer({ root: streamUrl, retry: Schedule.spaced("1 second") }).pipe(
        Layer.provideMerge(Client.layer({ root: url, ...account, retry: Retry.none }))
      )
    })
  )
  const service = Layer.provideMerge(Layer.merge(http, socket), Sandbox.layerMemory({ live: true }))
  return { out, layer: Layer.merge(Layer.provideMerge(clients, service), NodeServices.layer) }
}

const linesIn = Effect.fnUntraced(function* (folder: string) {
  const files = Object.values(yield* data(folder))
  return files.flatMap((text) => text.split("\n").slice(0, -1)).toSorted()
})

/** When the time of the stand-in begins; the clock of this machine shows the same. */
const begin = Date.parse("2026-10-01T00:00:00Z")

const facts = (trade: unknown) => {
  const { amount, coin_metrics_id, price, side, time } = Object(trade)
  return { amount, coin_metrics_id, price, side, time }
}

const params = { markets: ["coinbase-btc-usd-spot"], start_time: "2026-09-30T23:50:00" }

/** Lets so many seconds pass in steps, or until something is there. */
const pass = Effect.fnUntraced(function* (seconds: number, isThere = () => false) {
  for (let step = 0; step < seconds / 2 && !isThere(); step++) yield* Virtual.step("2 seconds")
})

/** Watches trades until so many changes were told, and gives all events. */
const watchUntil = Effect.fnUntraced(function* (to: string, changes: number, lookBack: Duration.Input) {
  const seen: Array<Dataset.Event> = []
  const job = { endpoint: Timeseries.marketTrades, params, to, format: { as: "ndjson" }, lookBack } as const
  const watching = yield* Effect.forkScoped(
    Stream.runForEach(Dataset.watch(job), (event) => Effect.sync(() => seen.push(event)))
  )
  const isThere = () => seen.filter(({ _tag }) => _tag === "Changed").length >= changes
  yield* pass(8000, isThere)
  assert.isTrue(isThere())
  yield* Fiber.interrupt(watching)
  return seen
})

/** What the dataset holds, and what the service has up to its last record. */
const heldAndServed = Effect.fnUntraced(function* (to: string) {
  const last = String((yield* Dataset.status(to))?.entities[0]?.last)
  const served = yield* Stream.runCollect(Timeseries.marketTrades({ ...params, end_time: last }))
  const held = (yield* linesIn(to)).map((line): unknown => JSON.parse(line))
  return { held: held.map(facts), served: served.map(facts) }
})

/** Runs a program on a clock that is so many milliseconds ahead of the service. */
const inTime = <A, E, R>(program: Effect.Effect<A, E, R>, ahead = 0) =>
  Effect.andThen(TestClock.setTime(begin + ahead), Effect.provide(program, world))

describe("a dataset that is watched", () => {
  it.effect("keeps what its live stream sends, minute by minute", () =>
    inTime(
      Effect.gen(function* () {
        const to = yield* temporary
        yield* watchUntil(to, 4, "1 hour")
        const { held, served } = yield* heldAndServed(to)
        assert.isAbove(served.length, 30)
        assert.deepStrictEqual(held, served)
        // Over the live stream a trade has another time of its recording, so the next sync reads it again.
        yield* Stream.runDrain(Dataset.sync({ to }))
        const now = yield* Stream.runCollect(Timeseries.marketTrades(params))
        assert.deepStrictEqual(yield* linesIn(to), now.map((one) => JSON.stringify(one)).toSorted())
      })
    )
  )

  it.effect("knows since when each live record was there, where it keeps versions", () =>
    inTime(
      Effect.gen(function* () {
        const to = yield* temporary
        const { marketTrades } = Timeseries
        yield* Stream.runDrain(
          Dataset.sync({ endpoint: marketTrades, params, to, format: { as: "ndjson" }, versions: "keep" })
        )
        const synced = yield* Clock.currentTimeMillis
        yield* watchUntil(to, 5, "1 hour")
        const end = yield* Clock.currentTimeMillis
        const read = (millis: number) =>
          Stream.runCollect(
            Dataset.read(marketTrades, params, { from: to, offline: true, asOf: new Date(millis).toISOString() })
          )
        const held = (yield* linesIn(to)).map((line): unknown => JSON.parse(line))
        // Behind the last complete sync it is not known which records are missing.
        yield* Stream.runDrain(Dataset.sync({ to }))
        const collected = held.filter((record) => Object(record).collect_time !== undefined)
        assert.isAbove(collected.length, 5)
        assert.deepStrictEqual((yield* read(end)).map(facts), held.map(facts))
        for (let at = synced; at < end; at += 20_000) {
          const moment = new Date(at).toISOString()
          const known = yield* read(at)
          const expected = held.filter((record) => {
            const { collect_time, database_time = collect_time } = Object(record)
            return String(database_time) <= moment
          })
          assert.deepStrictEqual(known.map(facts), expected.map(facts), moment)
        }
      })
    )
  )

  it.effect("keeps what the first sync could not see yet, where the HTTP side lags behind", () =>
    inTime(
      Effect.gen(function* () {
        const { setHttpLag } = (yield* Sandbox.Sandbox).live
        yield* setHttpLag("20 seconds")
        // Four trades were published in the two seconds before.
        yield* TestClock.adjust("45 seconds")
        const to = yield* temporary
        yield* watchUntil(to, 3, "0 seconds")
        yield* setHttpLag("0 seconds")
        yield* TestClock.adjust("1 minute")
        const { held, served } = yield* heldAndServed(to)
        assert.isTrue(served.some(({ time }) => time.startsWith("2026-10-01T00:00:43.")))
        assert.deepStrictEqual(held, served)
      })
    )
  )

  it.effect("keeps what its live stream sends where the clock of this machine is an hour ahead of the service", () =>
    inTime(
      Effect.gen(function* () {
        const to = yield* temporary
        yield* watchUntil(to, 3, "1 hour")
        const { held, served } = yield* heldAndServed(to)
        // Before the service has come to the present of this machine.
        assert.isTrue(served.some(({ time }) => time > "2026-10-01T00:01"))
        assert.isTrue(served.every(({ time }) => time < "2026-10-01T00:50"))
        assert.deepStrictEqual(held, served)
      }),
      3_600_000
    )
  )

  it.effect("holds nothing before its start where the clock of this machine is days behind the service", () =>
    inTime(
      Effect.gen(function* () {
        const to = yield* temporary
        yield* watchUntil(to, 2, "1 hour")
        const { held, served } = yield* heldAndServed(to)
        assert.strictEqual(held.length, served.length)
        assert.deepStrictEqual(held, served)
      }),
      -10 * 86_400_000
    )
  )

  it.effect.each([
    [Timeseries.marketQuotes, { markets: ["coinbase-btc-usd-spot"] }],
    [Timeseries.marketContractPrices, { markets: ["binance-ADAUSDT-future"] }]
  ] as const)("keeps records of HTTP alone where its live stream has others: %s", ([endpoint, { markets }]) =>
    inTime(
      Effect.gen(function* () {
        const to = yield* temporary
        const own = { ...params, markets: [...markets] }
        let changes = 0
        const watching = yield* Effect.forkScoped(
          Stream.runForEach(
            Dataset.watch({ endpoint, params: own, to, format: { as: "ndjson" }, lookBack: 0 }),
            ({ _tag }) =>
              Effect.sync(() => {
                if (_tag === "Changed") changes += 1
              })
          )
        )
        yield* pass(8000, () => changes >= 3)
        yield* Fiber.interrupt(watching)
        assert.isAtLeast(changes, 3)
        const held = yield* linesIn(to)
        const last = String((yield* Dataset.status(to))?.entities[0]?.last)
        const served = yield* Stream.runCollect(endpoint({ ...own, end_time: last }))
        assert.isAbove(held.length, 10)
        assert.deepStrictEqual(held, served.map((one) => JSON.stringify(one)).toSorted())
        assert.strictEqual((yield* (yield* Sandbox.Sandbox).stats).opened, 0)
      })
    )
  )

  it.effect("goes on where the catalog of its wildcards does not answer for minutes", () => {
    const { layer, out } = breakable()
    return Effect.andThen(
      TestClock.setTime(begin),
      Effect.gen(function* () {
        const to = yield* temporary
        const seen: Array<Dataset.Event> = []
        const asked = { assets: ["bt*"], metrics: ["PriceUSD"], frequency: "1d", start_time: "2026-09-20" } as const
        const watching = yield* Effect.forkScoped(
          Stream.runForEach(Dataset.watch({ endpoint: Timeseries.assetMetrics, params: asked, to }), (event) =>
            Effect.sync(() => seen.push(event))
          )
        )
        const of = (tag: Dataset.Event["_tag"]) => seen.filter(({ _tag }) => _tag === tag)
        yield* pass(600, () => of("Finished").length >= 1)
        out.http = true
        yield* pass(600, () => of("Failed").length >= 3)
        out.http = false
        yield* pass(600, () => of("Finished").length >= 2)
        assert.deepInclude(of("Failed")[0], { entities: ["bt*"], error: "Unavailable" })
        assert.isAtLeast(of("Finished").length, 2)
        yield* Fiber.interrupt(watching)
      }).pipe(Effect.provide(layer))
    )
  })

  it.effect.each([
    { clock: "right", offset: 0 },
    { clock: "set back", offset: -3_600_000 }
  ])("reads what neither side brought for minutes as soon as the HTTP side is back (clock: $clock)", ({ offset }) => {
    const { layer, out } = breakable()
    let ahead = 0
    const withWallClock = <A, E, R>(self: Effect.Effect<A, E, R>) =>
      Clock.clockWith((clock) => {
        const wall = WallClock.at(clock, () => clock.currentTimeMillisUnsafe() + ahead)
        return Effect.provideService(self, Clock.Clock, wall)
      })
    return Effect.andThen(
      TestClock.setTime(begin),
      Effect.gen(function* () {
        const to = yield* temporary
        const seen: Array<string> = []
        const job = { endpoint: Timeseries.marketTrades, params, to, format: { as: "ndjson" } } as const
        const watching = yield* Effect.forkScoped(
          withWallClock(
            Stream.runForEach(Dataset.watch({ ...job, lookBack: 0 }), ({ _tag }) => Effect.sync(() => seen.push(_tag)))
          )
        )
        const isThere = (tag: string, count: number) => () => seen.filter((one) => one === tag).length >= count
        // The second change is of the live stream.
        yield* pass(8000, isThere("Changed", 2))
        out.live = out.http = true
        const { live } = yield* Sandbox.Sandbox
        yield* live.end("drop")
        yield* pass(150)
        // The live stream comes back, but the hole cannot be read yet.
        out.live = false
        yield* pass(8000, isThere("Failed", 1))
        ahead = offset
        out.http = false
        yield* pass(2500, isThere("Finished", 2))
        assert.strictEqual(seen.filter((one) => one === "Finished").length, 2, seen.join())
        yield* Fiber.interrupt(watching)
        // By a clock that is an hour behind, the last hour has not come yet.
        if (ahead < 0) return
        const { held, served } = yield* heldAndServed(to)
        assert.isAbove(served.length, 20)
        assert.deepStrictEqual(held, served)
      }).pipe(Effect.provide(layer))
    )
  })
})

const jobInto = (to: Dataset.Store) => ({ endpoint: Timeseries.marketTrades, params, to, lookBack: "1 hour" }) as const

describe("a watch into a database that fails", () => {
  /** A place whose changes fail, and which cannot be opened, while `isOut`. */
  const failing = Effect.gen(function* () {
    const folder = yield* temporary
    const store = yield* FolderStore.make(folder, { format: { as: "ndjson" } })
    const out = { isOut: false }
    const gate = Effect.suspend(() =>
      out.isOut
        ? Effect.fail(new Dataset.StoreFailed({ dataset: "trades", operation: "connect", reason: "it restarts" }))
        : Effect.void
    )
    const to: Dataset.Store = {
      ...store,
      open: (setup) =>
        Effect.andThen(
          gate,
          Effect.map(store.open(setup), (opened) => ({
            ...opened,
            apply: (change: Dataset.Change) => Effect.andThen(gate, opened.apply(change))
          }))
        )
    }
    return { out, to, folder }
  })
  it.effect("goes on when it is there again, and ends where it fails at the start", () =>
    inTime(
      Effect.gen(function* () {
        const { folder, out, to } = yield* failing
        const seen: Array<Dataset.Event> = []
        const has = (tag: Dataset.Event["_tag"], count: number) => () =>
          seen.filter(({ _tag }) => _tag === tag).length >= count
        yield* Effect.forkScoped(
          Stream.runForEach(Dataset.watch(jobInto(to)), (event) => Effect.sync(() => seen.push(event)))
        )
        yield* pass(4_000, has("Changed", 2))
        out.isOut = true
        yield* pass(4_000, has("Failed", 3))
        const failures = seen.flatMap((event) => (event._tag === "Failed" ? [event] : []))
        assert.deepStrictEqual(failures[0], {
          _tag: "Failed",
          dataset: "trades",
          entities: [],
          error: "StoreFailed",
          reason: "cannot connect to the database of trades: it restarts"
        })
        out.isOut = false
        const before = seen.length
        yield* pass(4_000, () => seen.slice(before).some(({ _tag }) => _tag === "Finished"))
        const { held, served } = yield* heldAndServed(folder)
        assert.deepStrictEqual(held, served)

        const other = yield* failing
        other.out.isOut = true
        assert.strictEqual((yield* Effect.flip(Stream.runDrain(Dataset.watch(jobInto(other.to)))))._tag, "StoreFailed")
      }).pipe(Effect.scoped)
    )
  )
})
