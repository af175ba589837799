import { assert, describe, it } from "@effect/vitest"
import * as Sluice from "@sluice/promise"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { inspect } from "node:util"
import { days, folder, open, rejected, thrownBy } from "./Harness.ts"

describe("errors", () => {
  it("are thrown as instances of their classes, with their fields, and hold no key", async () => {
    const cases = [
      { settings: Sandbox.memory({ key: "zebra-key" }), is: (error: unknown) => error instanceof Sluice.Unauthorized },
      {
        settings: Sandbox.memory({ fault: "status=503" }),
        is: (error: unknown) => error instanceof Sluice.Unavailable
      },
      {
        settings: Sandbox.memory({ fault: "wrong-type=asset" }),
        is: (error: unknown) => error instanceof Sluice.Decode
      },
      { settings: Sandbox.memory({ fault: "status=404" }), is: (error: unknown) => error instanceof Sluice.NotFound }
    ]
    for (const { is, settings } of cases) {
      await using sluice = await open({ ...settings, retry: { times: 1, base: "1 millis" }, log: () => {} })
      const thrown = await thrownBy(sluice.referenceData.assets())
      assert.isTrue(is(thrown), String(thrown))
      assert.instanceOf(thrown, Error)
      assert.isTrue(Sluice.isApiError(thrown))
      assert.isTrue(is(await rejected(sluice.referenceData.assets().toArray())))
      const text = `${String(thrown)} ${JSON.stringify(thrown)} ${thrown.stack} ${inspect(thrown)}`
      assert.notInclude(text, settings.apiKey)
    }
  })

  it("of a setting are thrown by open", async () => {
    assert.instanceOf(await rejected(open({ root: "ftp://here" })), Sluice.Misconfigured)
    assert.instanceOf(await rejected(open({ root: "https://api.coinmetrics.io/v4", apiKey: "" })), Sluice.Misconfigured)
  })

  it("of a parameter in another style ask for the one that was meant", async () => {
    await using sluice = await open(Sandbox.memory())
    const cases = [
      [{ startTime: "2024-01-01" }, "startTime", "2024-01-01", '; did you mean "start_time"?'],
      [{ metric: "PriceUSD" }, "metric", "PriceUSD", '; did you mean "metrics"?'],
      // Nothing is like it.
      [{ zebra: ["a", "b"] }, "zebra", "a,b", "is not a parameter of this endpoint"]
    ] as const
    for (const [extra, parameter, value, end] of cases) {
      const wrong = { ...days, ...extra }
      const call = sluice.timeseries.assetMetrics(wrong)
      for (const error of [await thrownBy(call), await rejected(call.pages().toArray())]) {
        assert.instanceOf(error, Sluice.InvalidRequest)
        const { kind } = error
        assert.deepStrictEqual([kind, error.parameter, error.value], ["unknown", parameter, value])
        assert.isTrue(error.message.endsWith(end), error.message)
        assert.include(error.message, `"${parameter}" is not a parameter of this endpoint`)
      }
    }
  })

  it("of a part or of a split are those of Bulk", async () => {
    await using sluice = await open(Sandbox.memory())
    const all = sluice.timeseries.assetMetrics({ ...days, assets: "*" })
    assert.instanceOf(await thrownBy(all.split({ by: "assets" })), Sluice.BadSplit)
    const unknown = sluice.timeseries.assetMetrics({ ...days, assets: ["btc", "nothing"] })
    const failed = await thrownBy(unknown.split({ by: "assets" }))
    assert.instanceOf(failed, Sluice.PartFailed)
    assert.strictEqual(failed.error._tag, "InvalidRequest")
  })

  it("of a plan name what it would take, and nothing of it is sent", async () => {
    await using sluice = await open(Sandbox.memory())
    const prices = sluice.timeseries.assetMetrics({ ...days, assets: ["btc", "eth"] })
    const { total } = await prices.plan({ by: "assets", maxRequests: 4 })
    assert.isAtLeast(total.requests.expected ?? 0, 2)
    const refused = await rejected(prices.plan({ by: "assets", maxRequests: 1 }))
    assert.instanceOf(refused, Sluice.PlanExceeded)
    assert.deepInclude(refused, { option: "maxRequests", planned: 2, allowed: 1 })
  })

  it("are printed with name, message and stack, then their fields, and so are the errors within them", async () => {
    const to = await folder()
    const settings = Sandbox.memory({ fault: "status=404" })
    await using sluice = await open(settings)
    const prices = sluice.timeseries.assetMetrics(days)
    const thrown = [
      await thrownBy(prices),
      await rejected(prices.toArray()),
      await rejected(sluice.referenceData.assets().pages().toArray()),
      await thrownBy(prices.split({ by: "assets" })),
      await rejected(prices.download({ to, format: { as: "csv" } })),
      await rejected(open({ root: "ftp://here" }))
    ]
    for (const error of thrown) {
      assert.instanceOf(error, Error)
      const text = inspect(error)
      assert.include(text, `${error.name}: ${error.message}\n    at `)
      // First the line of the program that called.
      assert.match(
        error.stack?.split("\n").find((line) => line.startsWith("    at ")) ?? "",
        /promise\/test\/(?:Errors\.test|Harness)\.ts\b/
      )
      assert.include(text, `\n  _tag: '${error.name}'`)
      assert.notInclude(text, settings.apiKey)
    }
    assert.match(inspect(thrown[3]), /\n {2}error: NotFound: [^\n]*\n {6}at /)
    // The first and the last part are asked for before the download.
    await using later = await open(Sandbox.memory({ fault: "status=404;after=2" }))
    const parts = later.timeseries.assetMetrics(days).download({ to, format: { as: "csv" }, split: { by: "assets" } })
    const failed = await rejected(parts)
    assert.instanceOf(failed, Sluice.PartsFailed)
    assert.match(inspect(failed, { depth: 3 }), /\n {6}error: NotFound: [^\n]*\n {10}at /)
    // A way of printing that a program gave its own errors stays.
    const own = Object.assign(new Error("mine"), { [inspect.custom]: () => "as I like it" })
    assert.strictEqual(inspect(await rejected(sluice.run(Effect.fail(own)))), "as I like it")
  })

  it("that come late come after the records before them", async () => {
    await using sluice = await open({ ...Sandbox.memory({ fault: "wrong-type=asset;page=3" }), log: () => {} })
    let count = 0
    const thrown = await thrownBy(sluice.referenceData.assets({ page_size: 100 }), () => (count += 1))
    assert.instanceOf(thrown, Sluice.Decode)
    assert.isAtLeast(count, 200)
  })
})
