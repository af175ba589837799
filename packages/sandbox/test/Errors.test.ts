import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Fault, Sandbox } from "@sluice/sandbox"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type Exchange, overSocket, under } from "./Exchange.ts"
import { fetch, refused } from "./Harness.ts"

const path = "/timeseries/asset-metrics?assets=btc&metrics=PriceUSD&paging_from=start&page_size=5&end_time=2010-07-31"

const read = (fault: string, query = path) => under(overSocket, fault, query)

const limits = ({ headers }: Exchange) => ["limit", "remaining", "reset"].map((name) => headers[`x-ratelimit-${name}`])

const page = (status: number, words: string) =>
  `<html>\r\n<head><title>${status} ${words}</title></head>\r\n<body>\r\n<center><h1>${status} ${words}</h1></center>\r\n` +
  `<hr><center>sandbox</center>\r\n</body>\r\n</html>\r\n`

describe("Errors on request", () => {
  it.live("429 with the usual headers, without any, with a wait in seconds, with HTML", () =>
    Effect.gen(function* () {
      const usual = yield* read("status=429")
      refused(usual, 429, "rate_limit_exceeded")
      assert.deepStrictEqual(limits(usual), ["6000, 6000;w=20", "0", "20"])
      assert.isUndefined(usual.headers["retry-after"])
      const bare = yield* read("status=429;headers=none;body=html")
      assert.strictEqual(bare.text, page(429, "Too Many Requests"))
      assert.strictEqual(bare.headers["content-type"], "text/html")
      assert.deepStrictEqual(
        Object.keys(bare.headers).filter((name) => /rate|retry/.test(name)),
        []
      )
      const waiting = yield* read("status=429;retry-after=2;headers=none;body=empty")
      assert.deepStrictEqual([waiting.headers["retry-after"], waiting.text], ["2", ""])
      assert.strictEqual(waiting.headers["content-length"], "0")
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("Retry-After as a date, ahead or past, and as what nobody can keep", () =>
    Effect.gen(function* () {
      for (const seconds of [90, -60]) {
        const before = yield* Clock.currentTimeMillis
        const { headers } = yield* read(`status=503;retry-after=date:${seconds}`)
        const date = headers["retry-after"] ?? ""
        assert.match(date, /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/)
        const began = Date.parse(date) - seconds * 1000
        // A date has no milliseconds.
        assert.isAbove(began, before - 1000)
        assert.isAtMost(began, (yield* Clock.currentTimeMillis) + 1000)
      }
      for (const wait of ["0", "-5", "1.5", "soon", "999999999999999999999"]) {
        const { headers } = yield* read(`status=503;retry-after=${wait}`)
        assert.strictEqual(headers["retry-after"], wait)
      }
      const good = yield* read("rate-headers=zero;retry-after=7")
      assert.deepStrictEqual([good.status, good.headers["retry-after"]], [200, "7"])
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("500, 502, 503 and 524, as JSON and as HTML", () =>
    Effect.gen(function* () {
      for (const [status, words] of [
        [500, "Internal Server Error"],
        [502, "Bad Gateway"],
        [503, "Service Temporarily Unavailable"],
        [524, "A Timeout Occurred"]
      ] as const) {
        const html = yield* read(`status=${status};body=html`)
        assert.deepStrictEqual([html.status, html.text], [status, page(status, words)])
        const json = yield* read(`status=${status}`)
        assert.strictEqual((JSON.parse(json.text) as { error: { message: string } }).error.message, words)
        assert.match(json.headers["cf-ray"] ?? "", /^[0-9a-f]{16}-[A-Z]{3}$/)
      }
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("401 and 403 in the middle of the pages", () =>
    Effect.gen(function* () {
      for (const [status, type] of [
        [401, "unauthorized"],
        [403, "forbidden"]
      ] as const) {
        assert.strictEqual((yield* read(`status=${status};after=2`)).status, 200)
        assert.strictEqual((yield* read(`status=${status};after=2`)).status, 200)
        refused(yield* read(`status=${status};after=2`), status, type)
      }
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("redirect: to an origin with what was asked for, or to a URL as it stands", () =>
    Effect.gen(function* () {
      const { faultUrl, url } = yield* Sandbox.Sandbox
      const origin = url.replace("/v4", "")
      for (const status of [301, 302, 303, 307, 308]) {
        const seen = yield* read(`redirect=${origin};status=${status}`)
        assert.strictEqual(seen.status, status)
        // The new place answers, and the redirect is over.
        assert.strictEqual(seen.headers["location"], `${url}${path}&api_key=demo-key`)
        assert.strictEqual((yield* fetch(seen.headers["location"] ?? "")).status, 200)
      }
      const whole = yield* read("redirect=http://elsewhere.invalid/there?now=1")
      assert.strictEqual(whole.headers["location"], "http://elsewhere.invalid/there?now=1")
      const inPath = yield* overSocket(
        `${faultUrl("redirect=http://elsewhere.invalid:8080")}/reference-data/assets?api_key=demo-key`
      )
      assert.strictEqual(
        inPath.headers["location"],
        "http://elsewhere.invalid:8080/v4/reference-data/assets?api_key=demo-key"
      )
    }).pipe(Effect.provide([Sandbox.layer(), NodeHttpClient.layerUndici]))
  )

  it.live("envelope: JSON that is none, and nothing at all", () =>
    Effect.gen(function* () {
      const forms = { null: "null", array: "[]", string: '"data"', number: "0", "no-data": "{}", nothing: "" }
      for (const [form, text] of Object.entries(forms)) {
        const seen = yield* read(`envelope=${form}`)
        assert.deepStrictEqual([seen.status, seen.text], [200, text])
        assert.strictEqual(seen.headers["content-type"], "application/json")
      }
    }).pipe(Effect.provide(Sandbox.layer()))
  )

  it.live("echo-key: the key in every error and in headers where nobody looks for it", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const key = "kéy+/&=%"
      const query = `${path}&api_key=${encodeURIComponent(key)}`
      const ask = (fault: string, more = "") => overSocket(`${url}${query}${more}`, { [Fault.header]: fault })
      const asked = `The request was '/v4${query}', its key '${key}'.`
      for (const fault of ["status=500,echo-key", "error-body,echo-key", "status=502;body=html,echo-key"]) {
        const seen = yield* ask(fault)
        assert.include(seen.text.replaceAll('\\"', '"'), asked)
        assert.strictEqual(seen.headers["cf-ray"], encodeURIComponent(key))
        assert.strictEqual(seen.headers["x-ratelimit-plan"], encodeURIComponent(key))
      }
      const refusal = yield* ask("echo-key", "&sort=colour")
      assert.strictEqual(refusal.status, 400)
      assert.include(refusal.text, `its key '${key}'.`)
      const line = yield* ask("error-line=3,echo-key", "&format=json_stream")
      assert.include(line.text.split("\n")[2] ?? "", `its key '${key}'.`)
      const good = yield* ask("echo-key")
      assert.deepStrictEqual([good.status, good.headers["cf-ray"]], [200, encodeURIComponent(key)])
    }).pipe(Effect.provide(Sandbox.layer({ keys: { "kéy+/&=%": { plan: "default" } } })))
  )

  it.live("rate-headers: every form, with a good reply and with a rejected one", () =>
    Effect.gen(function* () {
      const usual = "6000, 6000;w=20"
      const beyond = "999999999999999999999"
      // The window began with the first request of this test.
      const seconds = /^(?:20|1\d|\d)$/
      const forms: Readonly<Record<string, ReadonlyArray<string | RegExp | undefined>>> = {
        standard: [usual, /^59\d\d$/, seconds],
        plain: ["6000", /^59\d\d$/, seconds],
        policies: [`${usual}, 600000;w=86400;comment="a day"`, /^59\d\d$/, seconds],
        none: [undefined, undefined, undefined],
        malformed: ["many;;w=", "-?", "soon"],
        "malformed-limit": ["many;;w=", /^59\d\d$/, seconds],
        empty: ["", "", ""],
        doubled: [`${usual}, ${usual}`, /^(59\d\d), \1$/, /^(20|1\d|\d), \1$/],
        zero: [usual, "0", seconds],
        "zero-now": [usual, "0", "0"],
        "zero-limit": ["0, 0;w=20", "0", seconds],
        far: [usual, "0", "31536000"],
        absurd: [`${beyond}, ${beyond};w=${beyond}`, beyond, beyond],
        negative: ["-10, -10;w=-6", "-1", "-5"],
        fraction: [usual, "0.5", "1.5"],
        epoch: [usual, "0", /^\d{10}$/]
      }
      const form = Fault.table.find(({ kind }) => kind === "rate-headers")?.value?.form
      for (const [name, expected] of Object.entries(forms)) {
        const good = yield* read(`rate-headers=${name}`)
        assert.strictEqual(good.status, 200)
        const rejected = yield* read(`status=429;headers=${name}`)
        assert.strictEqual(rejected.status, 429)
        limits(good).forEach((value, n) => {
          const wanted = expected[n]
          if (wanted instanceof RegExp) assert.match(value ?? "", wanted, name)
          else assert.strictEqual(value, wanted, name)
        })
        assert.strictEqual(limits(rejected)[0], limits(good)[0])
        assert.strictEqual(good.headers["x-ratelimit-plan"], name === "none" ? undefined : "download")
        assert.isTrue(form?.test(name))
      }
      const before = yield* Clock.currentTimeMillis
      const epoch = Number(limits(yield* read("rate-headers=epoch"))[2]) * 1000
      // The window of twenty seconds began with an earlier request of this test.
      assert.isAbove(epoch, before - 1000)
      assert.isAtMost(epoch, (yield* Clock.currentTimeMillis) + 21_000)
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})
