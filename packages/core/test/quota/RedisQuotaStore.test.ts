import { assert, describe, it } from "@effect/vitest"
import { QuotaStore, RedisQuotaStore } from "@sluice/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redis from "effect/persistence/Redis"
import { step } from "./QuotaStep.ts"
import * as Virtual from "../Virtual.ts"

/** A server that answers every script like this; a test of its own runs the script in a real one. */
const storeOver = (reply: Effect.Effect<unknown, Redis.RedisError>) => {
  const unused = Effect.die(new Error("not used"))
  const redis = Redis.Redis.of({
    send: () => unused,
    subscribe: () => unused,
    // Type boundary: the store reads what the script returns, of which the service knows nothing.
    eval: () => () => reply as Effect.Effect<never, Redis.RedisError>,
    reserve: unused
  })
  const layer = RedisQuotaStore.layer({ account: "a", place: "redis://cache.example" }).pipe(
    Layer.provide(Layer.succeed(Redis.Redis, redis))
  )
  return Effect.map(Layer.build(layer), (context) => Context.get(context, QuotaStore.QuotaStore))
}

const failing = (message: string) => Effect.fail(new Redis.RedisError({ cause: new Error(message) }))

describe("RedisQuotaStore", () => {
  it.effect("fails after two seconds without an answer, and names the server", () =>
    Effect.gen(function* () {
      const store = yield* storeOver(Effect.never)
      const { elapsed, exit } = yield* Virtual.timed(Effect.flip(store.step(step)))
      assert.strictEqual(elapsed, 2_000)
      assert.include(
        exit._tag === "Success" ? exit.value.message : "",
        "the quota store redis://cache.example cannot be used: no answer within 2 seconds"
      )
    })
  )

  it.effect.each([
    ["nothing", []],
    ["no list", "OK"],
    ["no text", [1, 2]],
    ["null", null],
    ["no name", ["", null, ["1700000000000000 {}"]]],
    ["no entries", ["a", "", []]],
    ["entries that are no texts", ["a", "", [1]]]
  ])("fails where the server answers with something else: %s", ([, reply]) =>
    Effect.gen(function* () {
      const store = yield* storeOver(Effect.succeed(reply))
      const error = yield* Effect.flip(store.step(step))
      assert.deepInclude({ ...error }, { _tag: "QuotaStoreUnavailable", transient: false })
      assert.include(
        error.message,
        "the quota store redis://cache.example cannot be used: what answers there is no Redis"
      )
    })
  )

  it.effect.each([
    ["nothing", ""],
    ["no time", "{}"],
    ["a time that is no number", `soon ${JSON.stringify(step)}`],
    ["a step of nobody", '1700000000000000 {"want":1}']
  ])("fails where what it has written comes back as something else: %s", ([, line]) =>
    Effect.gen(function* () {
      const store = yield* storeOver(Effect.succeed(["a", "", [line]]))
      const error = yield* Effect.flip(store.step(step))
      assert.deepInclude({ ...error }, { _tag: "QuotaStoreUnavailable", transient: false })
      assert.include(error.message, "the quota store redis://cache.example cannot be used: what it gives back")
    })
  )

  it.effect("shows no character of the server that a terminal acts on", () =>
    Effect.gen(function* () {
      const store = yield* storeOver(failing("ERR \u001b[2J\u009b31m\u202e gone"))
      const error = yield* Effect.flip(store.step(step))
      assert.include(error.message, "ERR \\x1b[2J\\u009b31m\\u202e gone")
    })
  )

  it.effect.each([
    ["connect ECONNREFUSED 127.0.0.1:6379", true],
    ["LOADING Redis is loading the dataset in memory", true],
    ["WRONGPASS invalid username-password pair or user is disabled.", false],
    ["NOAUTH Authentication required.", false]
  ] as const)("tells whether trying again may help: %s", ([message, transient]) =>
    Effect.gen(function* () {
      const store = yield* storeOver(failing(message))
      const error = yield* Effect.flip(store.step(step))
      assert.deepInclude({ ...error }, { _tag: "QuotaStoreUnavailable", place: "redis://cache.example", transient })
      assert.include(error.message, message)
    })
  )
})
