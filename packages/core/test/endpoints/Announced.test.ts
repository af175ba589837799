import { assert, describe, it } from "@effect/vitest"
import { type ApiError, type Client, Endpoint, Params, Timestamp } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Observed from "../Observed.ts"
import * as Virtual from "../Virtual.ts"

const definition = {
  section: "4.1",
  params: Schema.Struct({ assets: Params.list, ...Params.paging, ...Params.format }),
  record: Schema.Struct({ asset: Schema.String })
}

const things = Endpoint.make("/things", definition)

const others = Endpoint.make("/others", definition)

const known = Endpoint.make("/known", { ...definition, deprecated: { replacement: ["/v2/known"] } })

const since = "2026-01-01T00:00:00.000000000Z"

const sunset = "2027-01-01T00:00:00.000000000Z"

/** The headers of a reply whose endpoint has been announced to end. */
const ending = {
  "cf-ray": "ray",
  deprecation: "@1767225600",
  sunset: "Fri, 01 Jan 2027 00:00:00 GMT",
  link: '</v5/things?api_key=s3cret>; rel="successor-version"'
}

const said =
  "Warn /things is deprecated since 2026-01-01, and stops answering on 2027-01-01; use /v5/things instead (trace ray)"

const page = (names: ReadonlyArray<string>, token?: string, headers: Record<string, string> = ending) => ({
  ...FakeApi.assets(names, token),
  headers
})

const lines = (names: ReadonlyArray<string>, headers: Record<string, string> = ending) => ({
  body: FakeApi.lines(names),
  headers
})

type Read = Stream.Stream<unknown, ApiError.ApiError, Client.Client>

/** The ways to read an endpoint, each with two records of a reply. */
const ways: ReadonlyArray<readonly [name: string, read: Read, script: ReadonlyArray<FakeApi.Script>, count: number]> = [
  ["records", things(), [page(["a"], "1"), page(["b"])], 2],
  ["pages", things.pages(), [page(["a"], "1"), page(["b"])], 2],
  ["json_stream", things({ format: "json_stream" }), [lines(["a", "b"])], 2]
]

describe("The announced end of an endpoint", () => {
  it.effect.each(ways)("is logged once, and the data delivered all the same: %s", ([, read, script, count]) =>
    Effect.gen(function* () {
      const observed = Observed.make([...script, ...script])
      const twice = Effect.all([Stream.runCollect(read), Stream.runCollect(read)])
      const [first, second] = yield* observed.run(twice)
      assert.strictEqual(first.length, count)
      assert.strictEqual(second.length, count)
      assert.deepStrictEqual(observed.said, [said])
    })
  )

  it.effect.each(ways)(
    "fails under the policy fail, is not asked again and closes its socket: %s",
    ([, read, script]) =>
      Effect.gen(function* () {
        const observed = Observed.make(script, { deprecated: "fail" })
        const seen: Array<unknown> = []
        const error = yield* observed.run(
          read.pipe(
            Stream.runForEach((one) => Effect.sync(() => seen.push(one))),
            Effect.flip
          )
        )
        assert.deepInclude(error, {
          _tag: "Deprecated",
          endpoint: "/things",
          since: Timestamp.make(since),
          sunset: Timestamp.make(sunset),
          replacement: ["/v5/things"],
          trace: "ray"
        } as const)
        assert.deepStrictEqual(seen, [])
        assert.strictEqual(observed.api.seen.length, 1)
        assert.strictEqual(yield* observed.api.open, 0)
        assert.deepStrictEqual(observed.said, [])
      })
  )

  it.effect.each(ways)("is not mentioned under the policy ignore: %s", ([, read, script, count]) =>
    Effect.gen(function* () {
      const observed = Observed.make(script, { deprecated: "ignore" })
      assert.strictEqual((yield* observed.run(Stream.runCollect(read))).length, count)
      assert.deepStrictEqual(observed.said, [])
    })
  )

  it.effect("fails on the page that announces it, after the records before it", () =>
    Effect.gen(function* () {
      const observed = Observed.make([page(["a"], "1", {}), page(["b"])], { deprecated: "fail" })
      const read: Array<unknown> = []
      const records = Stream.runForEach(things(), ({ asset }) => Effect.sync(() => read.push(asset)))
      const error = yield* observed.run(Effect.flip(records))
      assert.strictEqual(error._tag, "Deprecated")
      assert.deepStrictEqual(read, ["a"])
    })
  )

  it.effect("is said for each endpoint, and again when it has changed", () =>
    Effect.gen(function* () {
      const later = { ...ending, sunset: "Sat, 01 Jan 2028 00:00:00 GMT" }
      const observed = Observed.make([page(["a"]), page(["a"]), page(["a"], undefined, later), page(["a"])])
      yield* observed.run(
        Effect.forEach([things(), others(), things(), things()], (read) => Stream.runDrain(read), { discard: true })
      )
      assert.deepStrictEqual(observed.said, [said, said.replace("/things", "/others"), said.replace("2027", "2028")])
    })
  )

  it.effect("is said once, however often a request was sent for it", () =>
    Effect.gen(function* () {
      const broken = { headers: ending, body: [FakeApi.lines(["a"]), '{"ass', FakeApi.cut] }
      const busy = { status: 503, headers: ending }
      const observed = Observed.make([busy, page(["a"]), broken, lines(["a", "b"])])
      const both = Effect.all([Stream.runDrain(things()), Stream.runCollect(things({ format: "json_stream" }))])
      const [, records] = yield* observed.run(Virtual.run(both))
      assert.strictEqual(records.length, 2)
      assert.deepStrictEqual(observed.said, [said])
    })
  )

  it.effect("adds to what was known, and does not take the place of the published replacement", () =>
    Effect.gen(function* () {
      const observed = Observed.make([page(["a"])])
      yield* observed.run(Stream.runDrain(known()))
      assert.deepStrictEqual(observed.said, [
        "Warn /known is deprecated; use /v2/known instead",
        said.replace("/things", "/known").replace("/v5/things", "/v2/known")
      ])
    })
  )

  it.effect.each([
    ["the fact alone", { deprecation: "true" }, "Warn /things is deprecated"],
    ["since when", { deprecation: "Thu, 01 Jan 2026 00:00:00 GMT" }, "Warn /things is deprecated since 2026-01-01"],
    ["the end alone", { sunset: ending.sunset }, "Warn /things is deprecated, and stops answering on 2027-01-01"],
    ["dates that cannot be read", { deprecation: "@x", sunset: "soon" }, "Warn /things is deprecated"]
  ] as const)("is said with what the headers say: %s", ([, headers, expected]) =>
    Effect.gen(function* () {
      const observed = Observed.make([page(["a"], undefined, headers)])
      assert.strictEqual((yield* observed.run(Stream.runCollect(things()))).length, 1)
      assert.deepStrictEqual(observed.said, [expected])
    })
  )

  it.effect.each([
    ["denied", { deprecation: "?0" }],
    ["empty", { deprecation: "" }],
    ["an end that cannot be read", { sunset: "soon" }],
    ["a successor of something that has no end", { link: ending.link }]
  ] as const)("is not made up, under no policy: %s", ([, headers]) =>
    Effect.gen(function* () {
      for (const deprecated of ["warn", "fail", "ignore"] as const) {
        const observed = Observed.make([page(["a"], undefined, headers)], { deprecated })
        assert.strictEqual((yield* observed.run(Stream.runCollect(things()))).length, 1)
        assert.deepStrictEqual(observed.said, [])
      }
    })
  )

  it.effect.each([
    ["warn", things()],
    ["fail", things()],
    ["ignore", things()],
    ["ignore", things.pages()],
    ["warn", things({ format: "json_stream" })]
  ] as const)("comes with the error when the service says that it is gone, under every policy: %s", ([policy, read]) =>
    Effect.gen(function* () {
      const observed = Observed.make([{ status: 410, headers: ending }], { deprecated: policy })
      const error = yield* observed.run(Effect.flip(Stream.runDrain<unknown, ApiError.ApiError, Client.Client>(read)))
      assert.deepInclude(error, {
        _tag: "Deprecated",
        status: 410,
        since: Timestamp.make(since),
        sunset: Timestamp.make(sunset),
        replacement: ["/v5/things"],
        trace: "ray"
      } as const)
      assert.strictEqual(error.message, "/things is gone (410); use /v5/things instead (trace ray)")
      assert.strictEqual(observed.api.seen.length, 1)
      assert.deepStrictEqual(observed.said, [])
    })
  )

  it.effect.each(["warn", "fail"] as const)("names a successor without the key in its query: %s", (deprecated) =>
    Effect.gen(function* () {
      const key = "k3y+/=s3cr3t"
      for (const form of [key, encodeURIComponent(key)]) {
        const link = `<https://api.example.test/v5/things?api_key=${form}&x=1>; rel="successor-version"`
        const headers = { ...ending, "cf-ray": form, link }
        const observed = Observed.make([page(["a"], undefined, headers)], { deprecated, apiKey: Redacted.make(key) })
        const exit = yield* observed.run(Effect.exit(Stream.runDrain(things())))
        assert.strictEqual(Exit.isFailure(exit), deprecated === "fail")
        const text = `${observed.said.join()} ${JSON.stringify(exit)}`
        assert.match(text, /https:\/\/api\.example\.test\/v5\/things(?: instead|")/)
        for (const secret of [key, encodeURIComponent(key), "api_key"]) assert.notInclude(text, secret)
      }
    })
  )
})
