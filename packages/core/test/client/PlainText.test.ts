import { assert, describe, it } from "@effect/vitest"
import { ApiError, PlainText, ReferenceData, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Observed from "../Observed.ts"

/** Clears the screen, sets the title (OSC), a C1 control, an override of direction, half a character, two lines. */
const hostile = "a\u001B[2Jb\u001B]0;t\u0007c\u009B31md\u202Ee\uD800f\nsluice: all is well\u2028\uFEFFg\u007F"

const shown = String.raw`a\x1b[2Jb\x1b]0;t\x07c\u009b31md\u202ee\ud800f sluice: all is well \ufeffg\x7f`

/** As much of it as a header can carry. */
const inHeader = "a\u001B[2Jb\u001B]0;t\u0007c\u009B31m"

const isSafe = (text: string) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text)

/** Everything an error says, its fields among it. */
const textsOf = (error: ApiError.ApiError) => [
  error.message,
  ...Object.values(error).flatMap((value) => (typeof value === "string" ? [value] : []))
]

describe("text of the service", () => {
  it("is one line in which nothing acts on a terminal", () => {
    assert.strictEqual(PlainText.harmless(hostile), shown)
    for (let code = 0; code <= 0xffff; code += 1) {
      assert.isTrue(isSafe(PlainText.harmless(String.fromCharCode(code))), code.toString(16))
    }
    assert.isTrue(isSafe(PlainText.harmless("\u{E0041}\u{1D173}")))
  })

  it("is left alone where it is text in any language", () => {
    for (const text of [
      "",
      "it's 100 % fine: {}[]\\/",
      "Zürich 東京 مرحبا שלום हिन्दी",
      "\u{1F680} \u{1F1E9}\u{1F1EA}"
    ]) {
      assert.strictEqual(PlainText.harmless(text), text)
    }
  })

  it("keeps its value in JSON, with nothing in it that acts on a terminal", () => {
    const value = { [hostile]: [hostile, 1], "\u{E0041}": "\u{1F680}\u200D" }
    for (const indent of [undefined, 2]) {
      const json = PlainText.harmlessJson(JSON.stringify(value, undefined, indent))
      assert.deepStrictEqual(JSON.parse(json), value)
      assert.isTrue(isSafe(json.replaceAll("\n", "")))
    }
    assert.strictEqual(PlainText.harmlessJson('{"a":1}\r\n{"a":2}\n'), '{"a":1}\r\n{"a":2}\n')
  })
})

describe("a name or an address that somebody gave", () => {
  it("is told from a key in a time that grows with its length alone", () => {
    const path = "ds/asset=btc/year=2026/v2/btc-2026-01.csv"
    assert.strictEqual(PlainText.quoted(path), `"${path}"`)
    for (const text of ["2026-01.", "1:12:12.", ":12."]) {
      assert.strictEqual(PlainText.quoted(`${text.repeat(2_000)}!`), '"<redacted>"')
    }
  })
})

describe("no error or warning of a hostile service carries it as it came:", () => {
  it.effect.each([400, 401, 403, 404, 410, 429, 503, 418])("a refusal with %d", (status) =>
    Effect.gen(function* () {
      const error = { type: hostile, message: `Bad parameter '${hostile}'. ${hostile}` }
      for (const body of [JSON.stringify({ error }), JSON.stringify({ error: hostile }), hostile]) {
        const headers = { "cf-ray": inHeader, "x-ratelimit-plan": inHeader, "content-type": "application/json" }
        const api = FakeApi.make([{ status, body, headers }])
        const layer = api.layer({ apiKey: Redacted.make("zebra"), retry: Retry.none })
        const failure = yield* Effect.flip(Stream.runDrain(ReferenceData.assets())).pipe(Effect.provide(layer))
        assert.isTrue(ApiError.isApiError(failure))
        if (ApiError.isApiError(failure)) {
          for (const text of textsOf(failure)) assert.isTrue(isSafe(text), JSON.stringify(text))
        }
      }
    })
  )

  it.effect("a warning of a page, in data and in the log", () =>
    Effect.gen(function* () {
      const warning = { type: hostile, message: hostile }
      const observed = Observed.make([FakeApi.page([FakeApi.asset("a")], undefined, { warning })])
      yield* observed.run(Stream.runDrain(ReferenceData.assets()))
      assert.deepStrictEqual(observed.said, [`Warn The service warns (${shown}): ${shown}`])
    })
  )

  it.effect("the successor that a header names, and the trace", () =>
    Effect.gen(function* () {
      const headers = { deprecation: "true", link: `</v4/${inHeader}>; rel="successor-version"`, "cf-ray": inHeader }
      const observed = Observed.make([{ ...FakeApi.page([FakeApi.asset("a")]), headers }])
      yield* observed.run(Stream.runDrain(ReferenceData.assets()))
      assert.strictEqual(observed.said.length, 1)
      for (const text of observed.said) assert.isTrue(isSafe(text), JSON.stringify(text))
    })
  )

  it.effect("a record that is not as described", () =>
    Effect.gen(function* () {
      const observed = Observed.make([FakeApi.page([{ asset: [hostile] }])])
      const failure = yield* observed.run(Effect.flip(Stream.runDrain(ReferenceData.assets())))
      for (const text of textsOf(failure)) assert.isTrue(isSafe(text), JSON.stringify(text))
    })
  )

  it.effect("while the token of a next page goes back as it came", () =>
    Effect.gen(function* () {
      const token = "t\u200B\u202E"
      const url = `${FakeApi.root}/reference-data/assets?next_page_token=${token}`
      const api = FakeApi.make([
        FakeApi.page([FakeApi.asset("a")], undefined, { next_page_url: url }),
        FakeApi.page([])
      ])
      yield* Stream.runDrain(ReferenceData.assets()).pipe(Effect.provide(api.layer()))
      assert.strictEqual(api.seen[1]?.url.searchParams.get("next_page_token"), token)
    })
  )
})
