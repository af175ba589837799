import * as fs from "node:fs"
import * as path from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { BlockchainJobs, BlockchainV2, Live, Metrics, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as Wait from "../../src/internal/observe/Wait.ts"
import * as FakeApi from "../FakeApi.ts"
import * as FakeLive from "../live/FakeLive.ts"
import * as Recorder from "../records/Recorder.ts"
import * as Virtual from "../Virtual.ts"
import * as TestLog from "../TestLog.ts"

const guide = fs.readFileSync(path.join(import.meta.dirname, "../../../../docs/observability.md"), "utf8")

/** The cells of the table with this first column, without its head. */
const table = (column: string): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = guide.slice(guide.indexOf(`\n| ${column} |`) + 1).split("\n")
  const rows = lines.slice(
    2,
    lines.findIndex((line) => !line.startsWith("|"))
  )
  return rows.map((row) =>
    row
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim())
  )
}

const codesOf = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)

const call = <A, E, R>(stream: Stream.Stream<A, E, R>) => Effect.exit(Stream.runDrain(stream))

const root = "http://localhost:8080/v4"

const trades = Live.marketTrades({ markets: "a-btc-usd-spot" })

/** A call of each kind, with and without failures, and what their spans and metrics are. */
const observed = Effect.gen(function* () {
  const recorder = Recorder.make()
  const headers = { ...FakeApi.limits("10, 10;w=6", 9, 6, "community"), "cf-ray": "8f1-FRA" }
  const file = "https://results.example.test/file?signature=s"
  const status = { id: "j", status: "completed", results: [{ url: file }] }
  const page = FakeApi.page([FakeApi.asset("a")])
  const lines = { body: FakeApi.lines(["a"]), headers }
  const damaged = { body: `{"data":[{"asset":7}]}` }
  const api = FakeApi.serve(({ method, url }) => {
    const { pathname, searchParams } = url
    if (method === "PUT") return Effect.succeed({ body: `{"job_id":"j"}` })
    if (pathname.endsWith("/jobs")) {
      return Effect.succeed(FakeApi.page([polls++ === 0 ? { id: "j", status: "running" } : status]))
    }
    if (url.host === "results.example.test") return Effect.succeed({ body: "[]" })
    if (!pathname.endsWith("/assets")) return Effect.succeed(FakeApi.refusal(404, "not_found", "no"))
    if (searchParams.get("format") === "json_stream") return Effect.succeed(lines)
    return Effect.succeed(
      pages++ === 0 ? FakeApi.refusal(503, "unavailable", "soon") : pages === 2 ? { ...page, headers } : damaged
    )
  })
  let [polls, pages] = [0, 0]
  const live = FakeLive.make([
    [{ fail: { code: "ECONNREFUSED" } }],
    [{ frame: FakeLive.trade("1", 1, 0) }, { close: 1011 }],
    [{ frame: FakeLive.trade("5", 5, 0) }]
  ])
  yield* Effect.gen(function* () {
    yield* call(ReferenceData.assets())
    yield* call(ReferenceData.assets())
    yield* call(ReferenceData.assets({ format: "json_stream" }))
    yield* call(ReferenceData.assetMetrics())
    yield* call(ReferenceData.assetMetrics({ format: "json_stream" }))
    yield* Effect.exit(BlockchainV2.block({ asset: "btc", block_hash: "0" }))
    yield* call(BlockchainJobs.accountBalances({ assets: ["btc"], accounts: ["a"], at_time: "2024-01-01T00:00:00Z" }))
    yield* Effect.provide(Stream.runDrain(Stream.take(trades, 6)), live.layer(api, {}, { root }))
  }).pipe(
    Effect.provide(api.layer({ root, apiKey: Redacted.make("key") })),
    recorder.record,
    Effect.provide(Logger.layer([])),
    Virtual.run
  )
  return { recorder, metrics: yield* recorder.metrics }
})

describe("the guide to observability", () => {
  it("lists every metric as it is", () => {
    const rows = table("metric")
    const listed = rows.map(([name, type, unit, description, attributes]) => ({
      name: codesOf(name)[0],
      type,
      unit: codesOf(unit)[0],
      description,
      attributes: codesOf(attributes)
    }))
    assert.deepStrictEqual<unknown>(listed, Metrics.all)
  })

  it("lists every cause of a wait", () => {
    assert.deepStrictEqual(
      table("`sluice.wait.cause`").map(([cause]) => codesOf(cause)[0]),
      [...Wait.causes]
    )
  })

  it.effect("lists every span and attribute that there is, and no other", () =>
    Effect.gen(function* () {
      const { recorder } = yield* observed
      const seen = new Map<string, Set<string>>()
      for (const { attributes, name } of recorder.all()) {
        const [kind = ""] = name.split(" ")
        const keys = seen.get(kind) ?? new Set()
        for (const key of Object.keys(attributes)) keys.add(key)
        seen.set(kind, keys)
      }
      const rows = table("span").map(
        ([names, , attributes]) => [codesOf(names), codesOf(attributes).toSorted()] as const
      )
      for (const [names, attributes] of rows) {
        const keys = new Set(names.flatMap((name) => [...(seen.get(name) ?? [])]))
        assert.deepStrictEqual([...keys].toSorted(), attributes, names.join(", "))
      }
      assert.deepStrictEqual([...seen.keys()].toSorted(), rows.flatMap(([names]) => names).toSorted())
    })
  )

  it.effect("says of the metrics which attributes there are, and no other", () =>
    Effect.gen(function* () {
      const { metrics } = yield* observed
      const known = new Map<string, ReadonlyArray<string>>(
        Metrics.all.map(({ attributes, name }) => [name, attributes])
      )
      for (const series of metrics.keys()) {
        const [, name = "", list = ""] = /^([^{]+)\{(.*)\}$/.exec(series) ?? []
        for (const pair of list.split(",")) assert.include(known.get(name) ?? [], pair.split("=")[0], series)
      }
    })
  )
})

/** The warnings of an effect. */
const warningsOf = <A, E, R>(self: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const log = TestLog.layer((text, level) => {
      if (level === "Warn") lines.push(text)
    })
    yield* Effect.provide(Effect.exit(self), log)
    return lines
  })

const failing = () => FakeApi.serve(() => Effect.succeed(FakeApi.refusal(503, "unavailable", "down")))

describe("a service that fails for a while", () => {
  it.effect("is warned of at the default level, once for all calls of a client", () =>
    Effect.gen(function* () {
      const calls = Effect.all(
        Array.from({ length: 5 }, () => Effect.exit(Stream.runDrain(ReferenceData.assets()))),
        { concurrency: "unbounded" }
      )
      const lines = yield* calls.pipe(Effect.provide(failing().layer()), warningsOf, Virtual.run)
      assert.lengthOf(lines, 1)
      assert.match(lines[0] ?? "", /^Waits \d+s and tries again, after \d failures in \d+s: .*: down$/)
    })
  )

  it.effect("is not warned of when it recovers soon, nor for waits that it asks for", () =>
    Effect.gen(function* () {
      const refusal = FakeApi.refusal(503, "unavailable", "soon")
      const asks = FakeApi.refusal(503, "unavailable", "later", { "retry-after": "60" })
      for (const script of [
        [refusal, refusal, refusal],
        [asks, asks]
      ]) {
        const api = FakeApi.make([...script, FakeApi.assets(["a"])])
        const lines = yield* Stream.runDrain(ReferenceData.assets()).pipe(
          Effect.provide(api.layer()),
          warningsOf,
          Virtual.run
        )
        assert.deepStrictEqual(lines, [])
      }
    })
  )
})
