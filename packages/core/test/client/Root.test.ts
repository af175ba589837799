import { assert, describe, it } from "@effect/vitest"
import { Client, PlainText, Root, Taxonomy } from "@sluice/core"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"

const key = Redacted.make("s3cr3t")

const { http } = FakeApi.make([])

const build = (layer: ReturnType<typeof Client.layer>) => Effect.scoped(Layer.build(layer.pipe(Layer.provide(http))))

const within = (env: Record<string, string>) => Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))

describe("Root", () => {
  it.effect.each([
    ["http://localhost:8080", "http://localhost:8080", "optional"],
    ["http://localhost:8080/", "http://localhost:8080", "optional"],
    ["https://mirror.example.test/v4/", "https://mirror.example.test/v4", "optional"],
    ["https://mirror.example.test/deep/v4//", "https://mirror.example.test/deep/v4", "optional"],
    [new URL("https://mirror.example.test/v4"), "https://mirror.example.test/v4", "optional"],
    [Root.paid, Root.paid.url, "required"],
    [Root.community, Root.community.url, "unused"],
    [`${Root.paid.url}/`, Root.paid.url, "required"],
    [Root.community.url.toUpperCase().replace("V4", "v4"), Root.community.url, "unused"],
    [{ url: "https://mine.example.test/", key: "required" } as const, "https://mine.example.test", "required"]
  ] as const)("takes %s", ([input, url, needs]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Root.make(input), { url, key: needs })
    })
  )

  it.effect.each([
    ["", "absolute"],
    ["api.example.test/v4", "absolute"],
    ["/v4", "absolute"],
    ["ftp://api.example.test/v4", "ftp:"],
    ["wss://api.example.test/v4", "wss:"],
    [Root.websocket, "wss:"],
    ["file:///etc/passwd", "file:"],
    ["https://user:s3cr3t@api.example.test/v4", "credentials"],
    ["https://user@api.example.test/v4", "credentials"],
    ["https://api.example.test/v4?api_key=s3cr3t", "query"],
    ["https://api.example.test/v4#s3cr3t", "fragment"],
    ["not a url?api_key=s3cr3t", "absolute"],
    ["https://user:s3cr3t@api.example.test:99999/v4", "absolute"],
    ["https//user:s3cr3t@api.example.test/v4", "absolute"],
    ["api.example.test/v4&api_key=s3cr3t", "absolute"],
    ["api.example.test/v4%3Fapi_key%3Ds3cr3t", "absolute"],
    ["api.example.test/v4%253fapi%5fkey%253Ds3cr3t", "absolute"],
    ["s3cr3tS3cr3tS3cr3t", "absolute"],
    ["s3cr3t/S3cr3t+S3cr3t", "absolute"],
    ["S3cr3t.s3cr3t/S3cr3t==", "absolute"],
    [new URL("https://api.example.test/v4?api_key=s3cr3t"), "query"]
  ] as const)("refuses %s as misconfigured, and quotes no secret of it", ([input, word]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Root.make(input))
      assert.deepInclude(error, { _tag: "Misconfigured", setting: "root" } as const)
      assert.include(error.message, word)
      assert.notInclude(JSON.stringify(error) + error.message, "s3cr3t")
    })
  )
})

describe("text that quotes a pasted URL", () => {
  const url = "https://user:s3cr3t@api.example.test/v4/x?a=b&api_key=s3cr3t&c=d"

  it("loses key and credentials, and nothing else", () => {
    assert.strictEqual(
      PlainText.withoutKey(`there is no endpoint "${url}"; see https://api.example.test/v4`),
      'there is no endpoint "https://<redacted>@api.example.test/v4/x?a=b&api_key=<redacted>&c=d"; see https://api.example.test/v4'
    )
    assert.strictEqual(PlainText.withoutKey('{"api_key": "s3cr3t", "a": 1}'), '{"api_key": "<redacted>", "a": 1}')
    for (const text of [
      'invalid parameter "api_key": the key is set on the client',
      "a@b.c",
      "SLUICE_API_KEY, set it"
    ]) {
      assert.strictEqual(PlainText.withoutKey(text), text)
    }
  })

  it.effect("is that of a refused parameter too", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const read = Taxonomy.assets({ classification_start_time: url })
      const error = yield* Stream.runDrain(read).pipe(Effect.flip, Effect.provide(api.layer()))
      assert.deepInclude(error, { _tag: "InvalidRequest", parameter: "classification_start_time" } as const)
      assert.notInclude(JSON.stringify(error) + error.message, "s3cr3t")
      assert.include(error.message, "api.example.test")
    })
  )
})

/** What is logged while a client is made. */
const said = (root: Root.Input, apiKey: Redacted.Redacted | undefined = key) =>
  Effect.gen(function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${String(message)}`))
    yield* build(Client.layer({ root, apiKey })).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "Info")
    )
    return lines
  })

describe("a key for a root over http:", () => {
  it.effect("is warned of once, when the client is made", () =>
    Effect.gen(function* () {
      for (const host of ["api.example.test", "10.0.0.1:8080", "localhost.example.test", "127.0.0.1.example.test"]) {
        assert.deepStrictEqual(yield* said(`http://${host}/v4`), [
          `Warn The API key goes to ${host} over http:, where everybody on the way can read it; use https:`
        ])
      }
    })
  )

  it.effect("is not warned of on this machine, over https:, or where there is no key", () =>
    Effect.gen(function* () {
      const local = ["http://localhost:1/v4", "http://api.localhost/v4", "http://127.0.0.1:1/v4", "http://127.1/v4"]
      for (const root of [...local, "http://[::1]:1/v4", "https://api.example.test/v4"]) {
        assert.deepStrictEqual(yield* said(root), [])
      }
      assert.deepStrictEqual(yield* said("http://api.example.test/v4", Redacted.make(" ")), [])
    })
  )
})

describe("Client.layer", () => {
  it.effect.each([
    ["no key for the paid root", {}, "apiKey"],
    ["an empty key for the paid root", { apiKey: Redacted.make("") }, "apiKey"],
    ["a blank key for the paid root", { apiKey: Redacted.make("  ") }, "apiKey"],
    ["a root that is no URL", { root: "nowhere", apiKey: key }, "root"],
    ["no parallel request", { apiKey: key, parallel: 0 }, "parallel"],
    ["half a parallel request", { apiKey: key, parallel: 1.5 }, "parallel"],
    ["no time for the first byte", { apiKey: key, firstByte: 0 }, "firstByte"],
    ["no time between chunks", { apiKey: key, idle: "0 seconds" }, "idle"],
    ["a pace below nothing", { apiKey: key, minBytesPerSecond: -1 }, "minBytesPerSecond"],
    ["a pace that no body can keep", { apiKey: key, minBytesPerSecond: Infinity }, "minBytesPerSecond"],
    ["a pace that is no number", { apiKey: key, minBytesPerSecond: Number.NaN }, "minBytesPerSecond"],
    ["a wait below nothing", { apiKey: key, longestWait: -1 }, "longestWait"],
    // Type boundary: JavaScript may give the key as text, which the types forbid.
    ["a key that is plain text", { apiKey: "s3cr3t" as unknown as Redacted.Redacted }, "apiKey"],
    ["the WebSocket root", { root: Root.websocket, apiKey: key }, "root"]
  ] as const)("fails as misconfigured with %s", ([, options, setting]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(build(Client.layer(options)))
      assert.deepInclude(error, { _tag: "Misconfigured", setting } as const)
      assert.notInclude(String(error), "s3cr3t")
    })
  )

  it.effect.each([
    ["a key for the paid root", { apiKey: key }],
    ["no key for the community root", { root: Root.community }],
    ["no key for a root of one's own", { root: "http://localhost:1" }]
  ] as const)("can be built with %s", ([, options]) =>
    Effect.gen(function* () {
      assert.isTrue(Exit.isSuccess(yield* Effect.exit(build(Client.layer(options)))))
    })
  )
})

describe("Client.layerConfig", () => {
  it.effect("reads every setting from the environment", () =>
    Effect.gen(function* () {
      const { apiKey, ...options } = yield* Client.fromConfig()
      assert.strictEqual(apiKey && Redacted.value(apiKey), "s3cr3t")
      assert.deepStrictEqual(options, {
        root: "https://mirror.example.test/v4",
        plan: "download",
        deprecated: "fail",
        onDisorder: "ignore",
        firstByte: Duration.seconds(5),
        idle: Duration.minutes(2),
        minBytesPerSecond: 250,
        longestWait: Duration.hours(1),
        parallel: 3,
        limits: { maxPageBytes: 1_000_000, maxLineBytes: 2_000_000, maxEmptyPages: 5 }
      })
    }).pipe(
      within({
        SLUICE_BASE_URL: "https://mirror.example.test/v4",
        SLUICE_API_KEY: "s3cr3t",
        SLUICE_PLAN: "download",
        SLUICE_DEPRECATED: "fail",
        SLUICE_ON_DISORDER: "ignore",
        SLUICE_FIRST_BYTE_TIMEOUT: "5 seconds",
        SLUICE_IDLE_TIMEOUT: "2 minutes",
        SLUICE_MIN_BYTES_PER_SECOND: "250",
        SLUICE_LONGEST_WAIT: "1 hour",
        SLUICE_PARALLEL: "3",
        SLUICE_MAX_PAGE_BYTES: "1000000",
        SLUICE_MAX_LINE_BYTES: "2000000",
        SLUICE_MAX_EMPTY_PAGES: "5"
      })
    )
  )

  it.effect.each([
    [{}, { SLUICE_API_KEY: "k" }, Root.paid],
    [{}, { SLUICE_API_KEY: "k", SLUICE_BASE_URL: "paid" }, Root.paid],
    [{}, { SLUICE_BASE_URL: "community" }, Root.community],
    [{}, { SLUICE_BASE_URL: "http://localhost:1/v4/" }, { url: "http://localhost:1/v4", key: "optional" }],
    [{ root: Root.community }, { SLUICE_BASE_URL: "http://localhost:1" }, Root.community],
    [{ apiKey: key }, {}, Root.paid]
  ] as const)("options %j and environment %j give the root", ([options, env, root]) =>
    Effect.gen(function* () {
      const client = yield* Client.Client.pipe(Effect.provide(Client.layerConfig(options)), Effect.provide(http))
      assert.deepStrictEqual(client.account.root, root)
    }).pipe(within(env))
  )

  it.effect.each([
    ["LONGEST_WAIT", "longestWait", "600", "a duration such as 30 seconds, or Infinity"],
    ["LONGEST_WAIT", "longestWait", "-1 seconds", "a duration such as 30 seconds, or Infinity"],
    ["LONGEST_WAIT", "longestWait", "-Infinity", "a duration such as 30 seconds, or Infinity"],
    ["IDLE_TIMEOUT", "idle", "0 seconds", "a duration above zero such as 30 seconds, or Infinity"],
    ["FIRST_BYTE_TIMEOUT", "firstByte", "60", "a duration above zero such as 30 seconds, or Infinity"],
    ["MIN_BYTES_PER_SECOND", "minBytesPerSecond", "-1", "bytes a second, a number from 0 up"],
    ["MIN_BYTES_PER_SECOND", "minBytesPerSecond", "fast", "bytes a second, a number from 0 up"],
    ["PARALLEL", "parallel", "0", "a whole number from 1 up"],
    ["MAX_PAGE_BYTES", "limits.maxPageBytes", "1.5", "a whole number from 1 up"],
    ["MAX_LINE_BYTES", "limits.maxLineBytes", "8 MiB", "a whole number from 1 up"],
    ["MAX_EMPTY_PAGES", "limits.maxEmptyPages", "none", "a whole number from 1 up"],
    ["ON_DISORDER", "onDisorder", "maybe", "warn or fail or ignore"]
  ] as const)(
    "names SLUICE_%s when it is wrong, the option %s, and what it may be: %s",
    ([name, setting, value, may]) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(Client.fromConfig())
        assert.deepInclude(error, { _tag: "Misconfigured", setting } as const)
        assert.strictEqual(error.message, `SLUICE_${name}: expected ${may}`)
      }).pipe(within({ [`SLUICE_${name}`]: value }))
  )

  it.effect.each(["Infinity", "infinity", " INFINITY "])("reads %j as no bound", (text) =>
    Effect.gen(function* () {
      const { idle, longestWait } = yield* Client.fromConfig()
      assert.deepStrictEqual([idle, longestWait], [Duration.infinity, Duration.infinity])
    }).pipe(within({ SLUICE_IDLE_TIMEOUT: text, SLUICE_LONGEST_WAIT: text }))
  )

  it.effect.each([
    ["no key", {}, "Misconfigured"],
    ["a root that is no URL", { SLUICE_BASE_URL: "nowhere", SLUICE_API_KEY: "k" }, "Misconfigured"],
    ["a policy nobody knows", { SLUICE_API_KEY: "k", SLUICE_DEPRECATED: "maybe" }, "Misconfigured"],
    ["a timeout that is none", { SLUICE_API_KEY: "k", SLUICE_IDLE_TIMEOUT: "soon" }, "Misconfigured"]
  ] as const)("fails with %s", ([, env, tag]) =>
    Effect.gen(function* () {
      const error = yield* Client.Client.pipe(Effect.provide(Client.layerConfig()), Effect.provide(http), Effect.flip)
      assert.strictEqual(error._tag, tag)
    }).pipe(within(env))
  )
})
