import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, ReferenceData, Timeseries } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as FakeWindow from "../quota/FakeWindow.ts"
import * as Recorder from "../records/Recorder.ts"
import * as Virtual from "../Virtual.ts"

const path = "/reference-data/assets"

/** The one span without a parent. */
const rootOf = (recorder: ReturnType<typeof Recorder.make>) => {
  const [root, ...others] = recorder.roots()
  assert.lengthOf(others, 0)
  assert.exists(root)
  return root
}

/** What is recorded of a call that is read to its end. */
const recorded = <E>(
  api: FakeApi.FakeApi,
  stream: Stream.Stream<unknown, E | ApiError.ApiError, Client.Client> = ReferenceData.assets(),
  options: Client.Options = {}
) =>
  Effect.gen(function* () {
    const recorder = Recorder.make()
    yield* Stream.runDrain(stream).pipe(Effect.provide(api.layer(options)), recorder.record, Virtual.run)
    return recorder
  })

describe("spans", () => {
  it.effect("of a refused request hold the tag of the error, and nothing of what it says", () =>
    Effect.gen(function* () {
      const refused = FakeApi.refusal(400, "bad_parameter", "Bad parameter 'assets'. Asset 'secretive' is unknown.")
      const api = FakeApi.make([refused])
      const recorder = Recorder.make()
      const error = yield* Stream.runDrain(ReferenceData.assets({ assets: ["secretive"] })).pipe(
        Effect.flip,
        Effect.provide(api.layer()),
        recorder.record,
        Virtual.run
      )
      assert.include(error.message, "secretive")
      const names = [`sluice.call ${path}`, `sluice.page ${path}`, `GET ${path}`]
      const ends = recorder.spans.map(({ attributes, name, status }) => {
        assert.strictEqual(attributes.get("error.type"), "InvalidRequest")
        return [name, status._tag === "Ended" ? status.exit : status]
      })
      assert.deepStrictEqual(
        ends,
        names.map((name) => [name, Exit.fail("InvalidRequest")])
      )
      assert.notInclude(JSON.stringify(recorder.all()), "secretive")
    })
  )

  it.effect("of pages: a call holds its pages, and a page the request that brought it", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a", "b"], "t"), FakeApi.assets(["c"])])
      const recorder = yield* recorded(api)
      const root = rootOf(recorder)
      assert.deepStrictEqual(Recorder.outline(root), [
        `sluice.call ${path} success`,
        `  sluice.page ${path} success`,
        `    GET ${path} 200 success`,
        `  sluice.page ${path} success`,
        `    GET ${path} 200 success`
      ])
      const bytes = root.children.map(({ children }) => Number(children[0]?.attributes["sluice.bytes"]))
      assert.deepStrictEqual(root.attributes, {
        "sluice.endpoint": path,
        "sluice.records": 3,
        "sluice.requests": 2,
        "sluice.bytes": bytes.reduce((a, b) => a + b)
      })
    })
  )

  it.effect("of a request: what OpenTelemetry names of HTTP, and plan, trace and bytes", () =>
    Effect.gen(function* () {
      const headers = { ...FakeApi.limits("10, 10;w=6", 9, 6, "community"), "cf-ray": "8f1-FRA" }
      const api = FakeApi.make([{ ...FakeApi.assets(["a"]), headers }])
      const recorder = yield* recorded(api, ReferenceData.assets({ assets: ["secretive"] }))
      const sent = recorder.all().find(({ name }) => name === `GET ${path}`)
      assert.deepStrictEqual(sent?.attributes, {
        "http.request.method": "GET",
        "http.response.status_code": 200,
        "server.address": "api.example.test",
        "url.template": path,
        "sluice.endpoint": path,
        "sluice.plan": "community",
        "sluice.trace": "8f1-FRA",
        "sluice.bytes": FakeApi.bytes(String(FakeApi.assets(["a"]).body)).length
      })
      // No value of a parameter is in any attribute.
      assert.notInclude(JSON.stringify(recorder.all()), "secretive")
    })
  )

  it.effect(
    "of a wait for the quota: the eleventh of ten in six seconds waits inside its page, not inside its request",
    () =>
      Effect.gen(function* () {
        const api = FakeWindow.make({ policies: [{ limit: 10, window: 6_000 }], latency: () => 100, pages: 11 })
        const recorder = yield* recorded(api, ReferenceData.assets(), { plan: "community" })
        const root = rootOf(recorder)
        const waiting = root.children.filter(({ children }) => children.length > 1)
        assert.lengthOf(waiting, 1)
        const [page] = waiting
        assert.exists(page)
        assert.deepStrictEqual(Recorder.outline(page), [
          `sluice.page ${path} success`,
          "  sluice.wait window success",
          `  GET ${path} 200 success`
        ])
        const [wait, sent] = page.children
        // Ten requests of 100 ms one after the other; the first place is free six seconds after its reply.
        assert.closeTo(wait?.took ?? 0, 5.16, 0.01)
        assert.closeTo(sent?.took ?? 0, 0.1, 0.01)
        const metrics = yield* recorder.metrics
        assert.deepStrictEqual(metrics.get("sluice.wait.duration{sluice.wait.cause=window}"), {
          count: 1,
          sum: wait?.took
        })
      })
  )

  it.effect(
    "of a retried 503: a failed attempt, the wait that the service asked for, and an attempt that succeeds",
    () =>
      Effect.gen(function* () {
        const refusal = FakeApi.refusal(503, "unavailable", "soon", { "retry-after": "3" })
        const api = FakeApi.make([refusal, FakeApi.assets(["a"])])
        const recorder = yield* recorded(api)
        const root = rootOf(recorder)
        assert.deepStrictEqual(Recorder.outline(root), [
          `sluice.call ${path} success`,
          `  sluice.page ${path} success`,
          `    GET ${path} 503 failure`,
          "    sluice.wait service success",
          `    GET ${path} 200 success`
        ])
        const [page] = root.children
        const [failed, wait, succeeded] = page?.children ?? []
        assert.strictEqual(failed?.attributes["error.type"], "Unavailable")
        assert.strictEqual(wait?.took, 3)
        assert.notProperty(succeeded?.attributes ?? {}, "error.type")
        assert.strictEqual(page?.attributes["sluice.attempts"], 2)
        const metrics = yield* recorder.metrics
        const counted = (outcome: string, status: number) =>
          metrics.get(
            `sluice.requests{http.response.status_code=${status},sluice.endpoint=${path},sluice.outcome=${outcome}}`
          )
        assert.strictEqual(counted("Unavailable", 503), 1)
        assert.strictEqual(counted("success", 200), 1)
        assert.strictEqual(metrics.get(`sluice.retries{error.type=Unavailable,sluice.endpoint=${path}}`), 1)
        assert.strictEqual(metrics.get(`sluice.calls{sluice.endpoint=${path},sluice.outcome=success}`), 1)
      })
  )

  it.effect("of a body that was received and cannot be read: its request failed", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([{ body: `{"data":[{"asset":` }, FakeApi.assets(["a"])])
      const recorder = yield* recorded(api)
      assert.deepStrictEqual(Recorder.outline(rootOf(recorder)), [
        `sluice.call ${path} success`,
        `  sluice.page ${path} success`,
        `    GET ${path} 200 failure`,
        "    sluice.wait backoff success",
        `    GET ${path} 200 success`
      ])
    })
  )

  it.effect("of a json_stream of many records: one call, one stream, one request, whatever the number of records", () =>
    Effect.gen(function* () {
      const series = "/timeseries/asset-metrics"
      const [chunks, perChunk] = [100, 1_000]
      const line = `${JSON.stringify({ asset: "btc", time: "2024-01-01T00:00:00.000000000Z", PriceUSD: "1" })}\n`
      const chunk = FakeApi.bytes(line.repeat(perChunk))
      const api = FakeApi.make([{ body: Array.from({ length: chunks }, () => chunk) }])
      const stream = Timeseries.assetMetrics({ assets: ["btc"], metrics: ["PriceUSD"], format: "json_stream" })
      const recorder = yield* recorded(api, stream, { onDisorder: "ignore" })
      const root = rootOf(recorder)
      assert.deepStrictEqual(Recorder.outline(root), [
        `sluice.call ${series} success`,
        `  sluice.stream ${series} success`,
        `    GET ${series} 200 success`
      ])
      assert.strictEqual(root.attributes["sluice.records"], 100_000)
      assert.strictEqual(root.attributes["sluice.bytes"], chunks * chunk.length)
      assert.isTrue(recorder.spans.every(({ events }) => events.length === 0))
      const metrics = yield* recorder.metrics
      assert.strictEqual(metrics.get(`sluice.records{sluice.endpoint=${series}}`), 100_000)
      assert.strictEqual(metrics.get(`sluice.received{sluice.endpoint=${series}}`), chunks * chunk.length)
    })
  )

  it.effect("of a json_stream that is cut: the request failed, the next one brings the rest", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        { body: [FakeApi.lines(["a", "b"]), FakeApi.cut] },
        { body: FakeApi.lines(["a", "b", "c"]) }
      ])
      const recorder = yield* recorded(api, ReferenceData.assets({ format: "json_stream" }))
      const root = rootOf(recorder)
      assert.deepStrictEqual(Recorder.outline(root), [
        `sluice.call ${path} success`,
        `  sluice.stream ${path} success`,
        `    GET ${path} 200 failure`,
        "    sluice.wait backoff success",
        `    GET ${path} 200 success`
      ])
      assert.strictEqual(root.attributes["sluice.records"], 3)
      assert.strictEqual(root.attributes["sluice.requests"], 2)
    })
  )

  it.effect("lasts to the last byte: a body that takes a minute is a request of a minute", () =>
    Effect.gen(function* () {
      const body = [FakeApi.lines(["a"]), Effect.sleep("25 seconds"), FakeApi.lines(["b"]), Effect.sleep("25 seconds")]
      const api = FakeApi.make([{ body: [...body, FakeApi.lines(["c"])] }])
      const recorder = yield* recorded(api, ReferenceData.assets({ format: "json_stream" }))
      assert.deepStrictEqual(
        recorder.all().map(({ took }) => took),
        [50, 50, 50]
      )
    })
  )

  it.effect("end when the program is interrupted, in a wait, in a request and in a body", () =>
    Effect.gen(function* () {
      const slow: FakeApi.Script = { body: [FakeApi.lines(["a"]), Effect.never] }
      const refusal = FakeApi.refusal(503, "unavailable", "soon", { "retry-after": "60" })
      for (const script of [refusal, Effect.never, slow]) {
        const api = FakeApi.make([script])
        const recorder = Recorder.make()
        const call = Effect.gen(function* () {
          const fiber = yield* Effect.forkChild(Stream.runDrain(ReferenceData.assets({ format: "json_stream" })))
          yield* Effect.sleep("5 seconds")
          yield* Fiber.interrupt(fiber)
        })
        yield* call.pipe(Effect.provide(api.layer()), recorder.record, Virtual.run)
        const ends = recorder.all().map(({ ended }) => ended)
        assert.isAtLeast(ends.length, 3)
        assert.strictEqual(ends.at(-1), "interrupted")
        assert.notInclude(ends, "never")
        assert.strictEqual(rootOf(recorder).ended, "interrupted")
        const metrics = yield* recorder.metrics
        assert.strictEqual(metrics.get(`sluice.calls{sluice.endpoint=${path},sluice.outcome=interrupted}`), 1)
      }
    })
  )

  it.effect("of a reader that has enough: the call succeeds with what it read", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a", "b"], "t")])
      const recorder = yield* recorded(api, Stream.take(ReferenceData.assets(), 1))
      const root = rootOf(recorder)
      assert.strictEqual(root.ended, "success")
      assert.strictEqual(root.attributes["sluice.requests"], 1)
    })
  )

  it.effect("of a call that fails name the error, and count it", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.refusal(403, "forbidden", "no"), { body: `{"data":[{"asset":7}]}` }])
      const recorder = Recorder.make()
      const call = Effect.exit(Stream.runDrain(ReferenceData.assets()))
      yield* Effect.andThen(call, call).pipe(Effect.provide(api.layer()), recorder.record, Virtual.run)
      const types = recorder.roots().map(({ attributes, ended }) => [attributes["error.type"], ended])
      assert.deepStrictEqual(types, [
        ["Forbidden", "failure"],
        ["Decode", "failure"]
      ])
      const metrics = yield* recorder.metrics
      assert.strictEqual(metrics.get(`sluice.calls{sluice.endpoint=${path},sluice.outcome=Forbidden}`), 1)
      assert.strictEqual(metrics.get(`sluice.decode.failures{sluice.endpoint=${path}}`), 1)
    })
  )

  it.effect("are none when tracing is off", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([FakeApi.assets(["a"])])
      const recorder = Recorder.make()
      yield* Stream.runDrain(ReferenceData.assets()).pipe(
        Effect.provide(api.layer()),
        Effect.withTracerEnabled(false),
        recorder.record,
        Virtual.run
      )
      assert.deepStrictEqual(recorder.all(), [])
    })
  )
})
