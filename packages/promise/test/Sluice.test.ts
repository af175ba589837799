import { assert, describe, it } from "@effect/vitest"
import { Endpoints, ReferenceData, Timeseries, type Parameter } from "@sluice/core"
import * as Sluice from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as fs from "node:fs/promises"
import { withClient } from "../../node/test/Harness.ts"
import { json, pagesOf, serve } from "../../node/test/Server.ts"
import { days, folder, lines, open, over, rejected, thrownBy } from "./Harness.ts"

describe("endpoints without Effect", () => {
  it("give the same records in a loop, in groups, by page and at once as a stream does", async () => {
    const expected = await Effect.runPromise(
      withClient(Stream.runCollect(Timeseries.assetMetrics(days))).pipe(Effect.provide(Sandbox.layer()))
    )
    assert.strictEqual(expected.length, 120)
    await using sluice = await open(Sandbox.memory())
    const records = sluice.timeseries.assetMetrics({ ...days, page_size: 50 })
    const looped: Array<unknown> = []
    for await (const record of records) looped.push(record)
    const grouped: Array<unknown> = []
    for await (const batch of records.batches()) grouped.push(...batch)
    const pages = await records.pages().toArray()
    assert.deepStrictEqual(looped, expected)
    assert.deepStrictEqual(grouped, expected)
    assert.deepStrictEqual(
      pages.map(({ data, next_page_token }) => [data.length, next_page_token !== undefined]),
      [
        [50, true],
        [50, true],
        [20, false]
      ]
    )
    assert.deepStrictEqual(
      pages.flatMap(({ data }) => data),
      expected
    )
    assert.deepStrictEqual(await records.toArray(), expected)
    assert.deepStrictEqual(
      await sluice.timeseries.assetMetrics({ ...days, ...lines }, { checkEnd: true }).toArray(),
      expected
    )
    assert.deepStrictEqual(await records.split({ by: "assets", every: "30 days", order: "parts" }).toArray(), expected)
  })

  it("give columns in one call", async () => {
    await using sluice = await open(Sandbox.memory())
    const call = sluice.timeseries.assetMetrics({ ...days, page_size: 50 })
    const records = await call.toArray()
    const { columns, length } = await call.columns()
    assert.strictEqual(length, 120)
    assert.deepStrictEqual(
      [...columns.PriceUSD.values],
      records.map(({ PriceUSD }) => Number(PriceUSD))
    )
    const exact = await call.columns({ columns: ["time", "PriceUSD"], numbers: "text" })
    assert.deepStrictEqual(
      [...exact.rows()].map(({ PriceUSD }) => PriceUSD),
      records.map(({ PriceUSD }) => PriceUSD ?? null)
    )
    const error = await rejected(call.columns({ columns: ["Price" as "PriceUSD"] }))
    assert.instanceOf(error, Sluice.BadFormat)
    // @ts-expect-error: it has no such option.
    assert.instanceOf(await rejected(call.columns({ column: ["time"] })), Sluice.Misconfigured)
  })

  it("are all there, by section and name, and give one record as a promise", async () => {
    await using sluice = await open(Sandbox.memory())
    const sections = new Map(Object.entries(sluice).map(([name, section]) => [name, section as object]))
    for (const { name, section } of [...Endpoints.entries, ...Endpoints.singleEntries]) {
      const own = sections.get(`${section.charAt(0).toLowerCase()}${section.slice(1)}`)
      assert.typeOf(Reflect.get(own ?? {}, name), "function", `${section}.${name}`)
    }
    for await (const { block_hash } of sluice.blockchainV2.blocks({ asset: "btc", page_size: 1 })) {
      const block = await sluice.blockchainV2.block({ asset: "btc", block_hash })
      assert.strictEqual(block.block_hash, block_hash)
      break
    }
  })

  it("start jobs and read their results, whole and by halves, and throw their errors as classes", async () => {
    await using sluice = await open(Sandbox.memory({ jobTime: "5 millis" }))
    const { balanceUpdates } = sluice.blockchainJobs
    const updates = { assets: "btc", accounts: "treasury-btc", start_height: 700_000, end_height: 700_004 }
    const poll = { base: "5 millis" } as const
    const whole = await balanceUpdates(updates, { poll }).toArray()
    assert.strictEqual(whole.length, 5)
    const { id } = await balanceUpdates.submit(updates)
    assert.deepStrictEqual(await balanceUpdates.results(id, { poll }).toArray(), whole)
    const [state] = await sluice.jobs.list({ ids: [id] }).toArray()
    assert.deepInclude(state, { id, status: "completed" } as const)
    const error = await thrownBy(balanceUpdates.results("sandbox-expired"))
    assert.instanceOf(error, Sluice.JobExpired)
    assert.isTrue(Sluice.isJobError(error))
  })

  it("read nothing before the first value is asked for, and pages only as far as they are", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(10))
      yield* Effect.promise(async () => {
        await using sluice = await over(server.url)
        const assets = sluice.referenceData.assets()
        assert.strictEqual(server.requests.length, 0)
        const read: Array<string> = []
        for await (const { asset } of assets) {
          read.push(asset)
          if (read.length === 3) break
        }
        assert.deepStrictEqual(read, ["asset0", "asset1", "asset2"])
        assert.strictEqual(server.requests.length, 3)
        // Each loop begins at the start.
        for await (const { asset } of assets) {
          assert.strictEqual(asset, "asset0")
          break
        }
      })
    }).pipe(Effect.scoped, Effect.runPromise))

  it("answer calls of next that do not wait for each other in their order", async () => {
    await using sluice = await open(Sandbox.memory())
    const records = sluice.timeseries.assetMetrics({ ...days, page_size: 50 })
    const iterator = records[Symbol.asyncIterator]()
    const asked = await Promise.all(Array.from({ length: 122 }, () => iterator.next()))
    const given = asked.flatMap((result) => (result.done === true ? [] : [result.value]))
    assert.deepStrictEqual(given, await records.toArray())
    assert.deepStrictEqual(await iterator.next(), { done: true, value: undefined })
  })
})

describe("dates", () => {
  it("are sent as moments in UTC, in every parameter that takes a time", () =>
    Effect.gen(function* () {
      const server = yield* serve((_, response) => json(response, { data: [] }))
      yield* Effect.promise(async () => {
        await using sluice = await over(server.url)
        const start_time = new Date("2026-01-01T01:00:00+02:00")
        const { end_time } = { end_time: new Date(Date.UTC(2026, 1, 1)) }
        await sluice.timeseries.assetMetrics({ assets: "btc", metrics: "PriceUSD", start_time, end_time }).toArray()
        await sluice.taxonomy.assets({ classification_start_time: start_time }).toArray()
        const sent = server.requests.map(({ url = "" }) => new URL(url, "http://here").searchParams)
        assert.strictEqual(sent[0]?.get("start_time"), "2025-12-31T23:00:00.000Z")
        assert.strictEqual(sent[0]?.get("end_time"), "2026-02-01T00:00:00.000Z")
        assert.strictEqual(sent[1]?.get("classification_start_time"), "2025-12-31T23:00:00.000Z")
      })
    }).pipe(Effect.scoped, Effect.runPromise))

  it("may stand wherever an endpoint takes a time, and only in names that the types know", () => {
    const kinds = [...Endpoints.all, ...Endpoints.singles].flatMap(({ parameters, path }) =>
      [...parameters].map(([name, { kind }]: readonly [string, Parameter.Parameter]) => ({ path, name, kind }))
    )
    assert.isAbove(kinds.filter(({ kind }) => kind === "time").length, 50)
    for (const { kind, name, path } of kinds) {
      // `at_time` takes `now` as well as a time.
      assert.strictEqual(name.endsWith("_time"), kind === "time" || name === "at_time", `${path} ${name}`)
    }
  })

  it("that name no moment, or beside another time zone, are refused by the name of the parameter", async () => {
    await using sluice = await open(Sandbox.memory())
    const request = { assets: "btc", metrics: "PriceUSD" } as const
    const invalid = await thrownBy(sluice.timeseries.assetMetrics({ ...request, start_time: new Date("no date") }))
    assert.instanceOf(invalid, Sluice.InvalidRequest)
    assert.deepInclude(invalid, { kind: "malformed", parameter: "start_time" })
    const zoned = await thrownBy(
      sluice.timeseries.assetMetrics({ ...request, end_time: new Date(0), timezone: "America/New_York" })
    )
    assert.instanceOf(zoned, Sluice.InvalidRequest)
    assert.deepInclude(zoned, { kind: "excluded", parameter: "end_time" })
  })
})

describe("a client", () => {
  it("begins nothing after it is closed or the signal aborted, and closes twice", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(1))
      yield* Effect.promise(async () => {
        const sluice = await over(server.url)
        const signal = AbortSignal.abort(new Error("before"))
        assert.deepInclude(await thrownBy(sluice.referenceData.assets({}, { signal })), { message: "before" })
        await sluice.close()
        await sluice.close()
        assert.instanceOf(await thrownBy(sluice.referenceData.assets()), Sluice.Closed)
        assert.instanceOf(await rejected(sluice.referenceData.assets().toArray()), Sluice.Closed)
        assert.strictEqual(server.requests.length, 0)
      })
    }).pipe(Effect.scoped, Effect.runPromise))

  it("asks for one page more at most while a loop is busy with a record", () =>
    Effect.gen(function* () {
      const server = yield* serve(pagesOf(5))
      yield* Effect.promise(async () => {
        await using sluice = await over(server.url)
        let seen = 0
        for await (const _ of sluice.referenceData.assets()) {
          seen += 1
          // Long enough for a request that is on its way to arrive.
          await fetch(`${server.url}/mine`)
          const asked = server.requests.filter(({ url }) => url !== "/v4/mine").length
          assert.include([seen, seen + 1], asked)
        }
        assert.strictEqual(seen, 5)
      })
    }).pipe(Effect.scoped, Effect.runPromise))

  it("tells its warnings to a function, without the key", async () => {
    const said: Array<Sluice.LogLine> = []
    await using sluice = await open({ ...Sandbox.memory(), log: (line) => said.push(line) })
    await sluice.catalog.assets().toArray()
    assert.strictEqual(said.length, 1)
    assert.strictEqual(said[0]?.level, "Warn")
    assert.match(said[0]?.message ?? "", /^\/catalog\/assets is deprecated/)
  })

  it("tells what there is to read, and of its quota", async () => {
    await using sluice = await open(Sandbox.memory({ plan: "trial" }))
    const metrics = await sluice.discover.metrics("btc")
    assert.isTrue(metrics.some(({ metric }) => metric === "PriceUSD"))
    const markets = await sluice.discover.markets({ exchange: "coinbase", type: "spot" })
    assert.isTrue(markets.every(({ exchange }) => exchange === "coinbase"))
    const quota = await sluice.quota()
    assert.deepInclude(quota, { plan: "trial", inFlight: 0, reset: 0 })
    assert.strictEqual(quota.window, 6_000)
    const limited = new Sluice.RateLimited({ endpoint: "/a", attempts: 1, retryAfter: Duration.seconds(2) })
    assert.strictEqual(Sluice.retryAfterMillis(limited), 2_000)
    assert.isUndefined(Sluice.retryAfterMillis(new Sluice.RateLimited({ endpoint: "/a", attempts: 1 })))
  })

  it("reads streams and runs effects of the parts of a program that use Effect", async () => {
    await using sluice = await open(Sandbox.memory())
    const assets = ReferenceData.assets({ assets: ["btc", "eth"] })
    assert.deepStrictEqual(
      (await sluice.read(assets).toArray()).map(({ asset }) => asset),
      ["btc", "eth"]
    )
    assert.strictEqual(await sluice.run(Stream.runCount(assets)), 2)
  })
})

describe("a download without Effect", () => {
  it("resolves when all files are there, and tells of each on its way", async () => {
    const to = await folder()
    await using sluice = await open(Sandbox.memory())
    const events: Array<string> = []
    const prices = sluice.timeseries.assetMetrics({ ...days, start_time: new Date("2024-01-01") })
    const job = { to, format: { as: "csv" }, split: { by: "assets" } } as const
    const finished = await prices.download({ ...job, onEvent: ({ _tag }) => events.push(_tag) })
    assert.deepInclude(finished, { files: 2, records: 120 })
    assert.deepStrictEqual([events[0], events.at(-1)], ["Started", "Finished"])
    assert.strictEqual(events.filter((tag) => tag === "PartDone").length, 2)
    assert.strictEqual((await fs.readdir(to)).filter((name) => name.endsWith(".csv")).length, 2)
    // The same call again finds nothing to do.
    assert.deepInclude(await prices.download(job), { files: 2, records: 120 })
    assert.instanceOf(await rejected(prices.download({ ...job, format: { as: "ndjson" } })), Sluice.OtherJob)
  })

  it("ends with what its callback throws, or with the reason of its signal, and can be resumed", async () => {
    const to = await folder()
    await using sluice = await open(Sandbox.memory())
    const prices = sluice.timeseries.assetMetrics(days)
    const job = { to, format: { as: "ndjson" }, split: { by: "assets" }, concurrency: 1 } as const
    const mine = new Error("mine")
    const onEvent = ({ _tag }: { readonly _tag: string }) => {
      if (_tag === "PartDone") throw mine
    }
    assert.strictEqual(await rejected(prices.download({ ...job, onEvent })), mine)
    const controller = new AbortController()
    const stopped = prices.download({ ...job, signal: controller.signal, onEvent: () => controller.abort() })
    assert.deepInclude(await rejected(stopped), { name: "AbortError" })
    assert.deepInclude(await prices.download(job), { files: 2, records: 120 })
  })
})
