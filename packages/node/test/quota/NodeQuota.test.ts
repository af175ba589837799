import { assert, describe, it } from "@effect/vitest"
import { Account, Client, Quota, ReferenceData, Retry } from "@sluice/core"
import { NodeClient, NodeQuota } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { spawnSync } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as StoredState from "../../../core/src/internal/shared/StoredState.ts"
import * as StoredStep from "../../../core/src/internal/shared/StoredStep.ts"
import * as Transition from "../../../core/src/internal/shared/Transition.ts"
import * as RedisServer from "./RedisServer.ts"

const root = "http://localhost:1/v4"
const key = "key-that-nobody-may-see"

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "sluice-quota-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

const rootOf = (url: string) => ({ url, key: "optional" }) as const

/** A quota as a process of its own has it: with its own connection. */
const quotaAt = (store: string, options: NodeQuota.Options = {}) =>
  Effect.map(
    Layer.build(
      NodeQuota.layer({ quotaStore: Redacted.make(store), ...options }).pipe(
        Layer.provide(Account.layer({ root, apiKey: Redacted.make(key) })),
        Layer.provide(Logger.layer([]))
      )
    ),
    (context) => Context.get(context, Quota.Quota)
  )

const assets = (size: number) => Stream.runCount(Stream.take(ReferenceData.assets.pages({ page_size: size }), 1))

/** Two clients read through one store, with a plan of ten requests in six seconds that nobody may exceed. */
const shareWindow = (store: string) =>
  Effect.gen(function* () {
    const { stats, url } = yield* Sandbox.Sandbox
    const client = NodeClient.layer({
      root: url,
      apiKey: Redacted.make("demo-key"),
      quotaStore: Redacted.make(store),
      retry: Retry.none
    })
    const read = Effect.all([assets(1), assets(1), assets(1)], { concurrency: "unbounded" })
    yield* Effect.provide(read, client)
    const { plan, remaining, sent } = yield* Effect.provide(Effect.andThen(read, Client.quota), client)
    assert.deepStrictEqual({ plan, remaining, sent }, { plan: "trial", remaining: 4, sent: 6 })
    assert.strictEqual((yield* stats).rejected, 0)
  }).pipe(Effect.provide(Sandbox.layer({ plan: "trial" })))

const skip = RedisServer.program === undefined

describe("NodeQuota", () => {
  it("names an account by a hash that is keyed with the API key", () => {
    const name = NodeQuota.nameOf({ root: rootOf(root), apiKey: Redacted.make(key) })
    assert.match(name, /^[0-9a-f]{32}$/)
    assert.strictEqual(NodeQuota.nameOf({ root: rootOf(root), apiKey: Redacted.make(key) }), name)
    assert.notStrictEqual(NodeQuota.nameOf({ root: rootOf(root), apiKey: Redacted.make("other") }), name)
    assert.notStrictEqual(NodeQuota.nameOf({ root: rootOf(root), apiKey: undefined }), name)
    assert.notStrictEqual(NodeQuota.nameOf({ root: rootOf("https://a/v4"), apiKey: Redacted.make(key) }), name)
  })

  it.effect.each([
    ["redis://cache.example:6379", "redis://cache.example:6379"],
    ["rediss://user:secret@cache.example/2", "rediss://cache.example/2"],
    ["redis://:secret@10.0.0.1:7000/", "redis://10.0.0.1:7000"],
    ["unix:///run/redis/redis.sock", "unix:///run/redis/redis.sock"],
    ["local", "local"],
    ["local:/var/tmp/quota", "local:/var/tmp/quota"]
  ] as const)("tells where a store is without its password: %s", ([store, place]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* NodeQuota.placeOf(Redacted.make(store)), place)
    })
  )

  it.effect.each([
    ["http://cache.example"],
    ["redis://"],
    ["cache.example:6379"],
    ["redis://secret@h/a"],
    ["file"]
  ] as const)("refuses what is no address, and does not quote it: %s", ([store]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(NodeQuota.placeOf(Redacted.make(store)))
      assert.strictEqual(error._tag, "Misconfigured")
      assert.include(error.message, "SLUICE_QUOTA_STORE: expected redis://host:port")
      assert.notInclude(error.message, "secret")
    })
  )

  it.live("shares one window through a file of this machine", () =>
    Effect.flatMap(folder, (place) => shareWindow(`local:${place}`)).pipe(Effect.scoped)
  )

  it.live("refuses a folder that is none", () =>
    Effect.gen(function* () {
      const file = path.join(yield* folder, "file")
      fs.writeFileSync(file, "")
      const error = yield* Effect.flip(quotaAt(`local:${file}`))
      assert.include(error.message, "SLUICE_QUOTA_STORE: local:")
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(skip)(`shares one window through Redis${RedisServer.without}`, () =>
    Effect.gen(function* () {
      const { socket, store } = yield* RedisServer.start
      yield* shareWindow(store)
      const keys = spawnSync("redis-cli", ["-s", socket, "--scan"]).stdout.toString().trim().split("\n").toSorted()
      assert.strictEqual(keys.length, 1)
      assert.match(keys[0] ?? "", /^sluice:\{[0-9a-f]{32}\}:quota:1$/)
    }).pipe(Effect.scoped)
  )

  it.live("reads SLUICE_QUOTA_STORE, and a call names a store that is not there", () =>
    Effect.gen(function* () {
      const { url } = yield* Sandbox.Sandbox
      const environment = ConfigProvider.fromUnknown({
        SLUICE: {
          BASE_URL: url,
          API_KEY: "demo-key",
          QUOTA_STORE: "redis://user:secret@127.0.0.1:1",
          WHEN_UNAVAILABLE: "fail"
        }
      })
      const client = NodeClient.layerConfig({ retry: Retry.none }).pipe(
        Layer.provide(ConfigProvider.layer(environment)),
        Layer.provide(Logger.layer([]))
      )
      const error = yield* Effect.flip(Effect.provide(assets(1), client))
      assert.deepInclude(error, { _tag: "Unavailable", phase: "connect", kind: "quotaStore", transient: true } as const)
      assert.include(error.message, "the quota store redis://127.0.0.1:1 cannot be used")
      assert.include(error.message, "ECONNREFUSED")
      assert.notInclude(error.message, "secret")
    }).pipe(Effect.provide(Sandbox.layer()), Effect.scoped)
  )

  for (const joins of [false, true]) {
    const when = joins ? "in the middle of a step" : "before it has answered anything"
    it.live.skipIf(skip)(
      `ends, and can be interrupted, where Redis stops answering ${when}${RedisServer.without}`,
      () =>
        Effect.gen(function* () {
          const server = yield* RedisServer.start
          if (!joins) yield* server.stop
          yield* Effect.scoped(
            Effect.gen(function* () {
              const quota = yield* quotaAt(server.store)
              if (joins) yield* Effect.scoped(quota.acquire)
              yield* server.stop
              const call = yield* Effect.forkChild(Effect.scoped(quota.acquire))
              yield* Effect.sleep("100 millis")
              yield* Fiber.interrupt(call)
            })
          )
        }).pipe(Effect.scoped)
    )
  }

  it.live.skipIf(skip)(`says why the connection to Redis broke, where it did${RedisServer.without}`, () =>
    Effect.gen(function* () {
      const server = yield* RedisServer.start
      const quota = yield* quotaAt(server.store, { whenUnavailable: "fail" })
      const call = Effect.scoped(quota.acquire)
      yield* call
      yield* server.kill
      const error = yield* Effect.flip(Effect.forever(Effect.andThen(Effect.sleep("10 millis"), call)))
      assert.match(
        "reason" in error ? error.reason : "",
        /the quota store unix:\S+ cannot be used: (?:Socket closed unexpectedly|connect \w+)/
      )
    }).pipe(Effect.scoped)
  )

  it.live.skipIf(skip)(
    `goes on when Redis is killed, and returns to it with and without its data${RedisServer.without}`,
    () =>
      Effect.gen(function* () {
        const server = yield* RedisServer.start
        const quota = yield* quotaAt(server.store, { plan: "default", parallel: 4 })
        const call = Effect.scoped(quota.acquire)
        yield* call
        let isDone = false
        const running = yield* Effect.forkChild(
          Effect.scoped(
            Effect.gen(function* () {
              yield* quota.acquire
              yield* Effect.sleep("300 millis")
              isDone = true
            })
          )
        )
        yield* Effect.sleep("50 millis")
        yield* server.kill
        yield* call
        yield* Fiber.await(running)
        assert.isTrue(isDone)
        yield* server.restart(false)
        // The process has told the store of all it sent, and of nothing twice.
        const count = () => {
          const args = ["-s", server.socket, "--raw"]
          const [key] = spawnSync("redis-cli", [...args, "keys", "*:quota:*"])
            .stdout.toString()
            .trim()
            .split("\n")
          const list = spawnSync("redis-cli", [...args, "lrange", key ?? "", "0", "-1"]).stdout.toString()
          const [, text, ...entries] = list.split("\n")
          const steps = entries.flatMap((entry) => StoredStep.read(entry.slice(17)) ?? [])
          let state = StoredState.read(text ?? "")
          for (const step of steps) ({ state } = Transition.advance(state, step, 0))
          return state?.replies.totals.at(-1)
        }
        const back = Effect.gen(function* () {
          yield* call
          if ((count() ?? 0) < 4) return yield* Effect.fail("not yet")
        })
        yield* Effect.retry(back, { times: 100 })
        yield* server.kill
        yield* server.restart(true)
        yield* Effect.retry(back, { times: 100 })
      }).pipe(Effect.scoped)
  )
})
