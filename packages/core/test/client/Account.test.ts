import { assert, describe, it } from "@effect/vitest"
import { Account, Catalog, Client, MemoryQuota, Quota, ReferenceData, Retry } from "@sluice/core"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

const { root } = FakeApi

const apiKey = Redacted.make("s3cr3t")

const read = Stream.runDrain(ReferenceData.assets())

/** A client over a quota of the program's own. */
const over = (api: FakeApi.FakeApi, quota: Quota.Quota["Service"]) =>
  Client.layerNoDeps({ retry: Retry.none }).pipe(
    Layer.provide([Account.layer({ root, apiKey }), Layer.succeed(Quota.Quota, quota), api.http])
  )

/** Gives every permit, or none, and notes what it is told. */
const store = (refusal?: Quota.WaitTooLong) => {
  const told: Array<string> = []
  const say = (text: string) => Effect.sync(() => void told.push(text))
  const acquire = Effect.gen(function* () {
    if (refusal !== undefined) return yield* refusal
    yield* say("acquired")
    yield* Effect.addFinalizer(() => say("released"))
    return {
      observe: ({ limit, plan, remaining, status }) => say(`${status} ${plan} ${remaining}/${limit}`)
    } satisfies Quota.Permit
  })
  const state: Quota.State = {
    plan: "shared",
    limit: 6_000,
    window: Duration.seconds(20),
    remaining: 5_000,
    reset: Duration.zero,
    inFlight: 3,
    waiting: 0,
    sent: 1_000,
    rejected: 0
  }
  const quota = Quota.Quota.of({
    acquire,
    state: Effect.succeed(state),
    changes: Stream.make(state),
    parallel: 10,
    longestWait: Duration.minutes(5)
  })
  return { quota, told, state }
}

describe("Account", () => {
  it.effect("stands without an HTTP client, and takes the key out of whatever the service says", () =>
    Effect.gen(function* () {
      const account = yield* Account.Account
      assert.strictEqual(account.root.url, root)
      assert.strictEqual(account.apiKey && Redacted.value(account.apiKey), "s3cr3t")
      assert.strictEqual(
        account.scrub("wss://here/?api_key=s3cr%33t\u001b[2J"),
        "wss://here/?api_key=<redacted>\\x1b[2J"
      )
    }).pipe(Effect.provide(Account.layer({ root, apiKey: Redacted.make(" s3cr3t\n") })))
  )

  it.effect("warns once of a deprecated endpoint, though several clients share it", () =>
    Effect.gen(function* () {
      const said: Array<string> = []
      const logger = Logger.make(({ message }) => void said.push(String(message)))
      const api = FakeApi.serve(() => Effect.succeed(FakeApi.page([])))
      const client = () => Layer.fresh(Client.layerNoDeps().pipe(Layer.provide([MemoryQuota.layer(), api.http])))
      const catalog = Stream.runDrain(Catalog.assets())
      yield* Effect.gen(function* () {
        yield* Effect.provide(catalog, client())
        yield* Effect.provide(catalog, client())
      }).pipe(Effect.provide([Account.layer({ root }), Logger.layer([logger])]))
      assert.strictEqual((yield* api.requests).length, 2)
      assert.strictEqual(said.filter((text) => text.includes("deprecated")).length, 1)
    })
  )
})

describe("Quota, of the program's own", () => {
  it.effect("is asked before each request, told of each reply, and given the permit back when the body has ended", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([
        { ...FakeApi.page([], "t1"), headers: FakeApi.limits("10, 10;w=6", 9, 6, "trial") },
        FakeApi.refusal(403, "forbidden", "no")
      ])
      const { quota, state, told } = store()
      yield* Effect.gen(function* () {
        const exit = yield* Effect.exit(read)
        assert.isTrue(Exit.isFailure(exit))
        assert.deepStrictEqual(yield* Client.quota, state)
      }).pipe(Effect.provide(over(api, quota)))
      assert.deepStrictEqual(told, [
        "acquired",
        "200 trial 9/10",
        "released",
        "acquired",
        "403 undefined undefined/undefined",
        "released"
      ])
    })
  )

  it.effect("fails a call as RateLimited where it refuses a permit, and nothing is sent", () =>
    Effect.gen(function* () {
      const api = FakeApi.make([])
      const refusal = new Quota.WaitTooLong({
        wait: Duration.hours(1),
        longest: Duration.minutes(5),
        plan: "shared",
        heldBy: "retryAfter",
        limit: undefined
      })
      const error = yield* Effect.flip(read).pipe(Effect.provide(over(api, store(refusal).quota)))
      assert.deepInclude(error, { _tag: "RateLimited", plan: "shared", heldBy: "retryAfter" } as const)
      assert.deepStrictEqual(yield* api.requests, [])
    })
  )

  it.effect("is shared by the clients it is provided to", () =>
    Effect.gen(function* () {
      const api = FakeApi.serve(() => Effect.as(Effect.sleep("1 second"), FakeApi.assets([])))
      const one = Layer.fresh(Client.layerNoDeps().pipe(Layer.provide(api.http)))
      const other = Layer.fresh(Client.layerNoDeps().pipe(Layer.provide(api.http)))
      const reads = Effect.all([read, read, read], { concurrency: 3 })
      yield* Virtual.run(
        Effect.all([Effect.provide(reads, one), Effect.provide(reads, other)], { concurrency: 2 }).pipe(
          Effect.provide([Account.layer({ root }), MemoryQuota.layer({ parallel: 1 })])
        )
      )
      assert.strictEqual(yield* api.most, 1)
      assert.strictEqual((yield* api.requests).length, 6)
    })
  )
})
