/**
 * A quota store in Redis or Valkey: each step is one run of a script in the server, on its clock.
 *
 * Needs the `Redis` service of Effect: `NodeRedis` of `@effect/platform-node` provides it. `NodeQuota` of
 * `@sluice/node` has both, with a connection that comes back by itself.
 */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Latch from "effect/Latch"
import * as Redis from "effect/persistence/Redis"
import * as Queue from "effect/Queue"
import type { Policy } from "./Quota.ts"
import * as Script from "./internal/shared/Script.ts"
import type { Answer, Hold, Step } from "./internal/shared/Step.ts"
import { QuotaStore, QuotaStoreUnavailable } from "./QuotaStore.ts"

/** Settings of {@link layer}. */
export interface Options {
  /**
   * The name under which the store keeps the quota of the account: the same for all that share it. It is a part of keys in the
   * server, so it must be no secret: `NodeQuota` takes a keyed hash of root and API key.
   */
  readonly account: string
  /** Where the server is, for messages. Must hold no password. Default `redis`. */
  readonly place?: string | undefined
  /** The time to take in place of the server's, in milliseconds. For tests. */
  readonly clock?: Effect.Effect<number> | undefined
}

const script = Redis.script(
  (account: string, step: string, now: string) => {
    const key = `sluice:{${account}}`
    return [`${key}:state`, `${key}:log`, step, now, `${key}:wake:`]
  },
  { lua: Script.lua, numberOfKeys: 2 }
).withReturnType<ReadonlyArray<string>>()

const policiesOf = (text: string): ReadonlyArray<Policy> =>
  text === ""
    ? []
    : text.split(",").map((policy) => {
        const [limit, window] = policy.split(";")
        return { limit: Number(limit), window: Number(window) }
      })

const holdOf = (text: string): Hold | undefined => {
  if (text === "") return undefined
  const [until, by, limit] = text.split(" ")
  return {
    until: Number(until),
    by: by === "window" ? by : by === "retryAfter" ? by : "refusal",
    limit: limit === "" || limit === undefined ? undefined : Number(limit)
  }
}

const causeOf = (text: string): Answer["cause"] =>
  text === "permit" || text === "window" || text === "service" ? text : undefined

/** Reads the reply of the script. */
const read = (reply: ReadonlyArray<string>): Answer => {
  const at = (index: number) => reply[index] ?? ""
  return {
    generation: at(0),
    isUnknown: at(1) === "1",
    granted: at(2) === "" ? [] : at(2).split(" "),
    wait: Number(at(3)),
    cause: causeOf(at(4)),
    tooLong: holdOf(at(5)),
    isAsked: at(6) === "1",
    policies: policiesOf(at(7)),
    plan: at(8) === "" ? undefined : at(8),
    tightest: policiesOf(at(9))[0],
    remaining: Number(at(10)),
    reset: Number(at(11)),
    inFlight: Number(at(12)),
    waiting: Number(at(13)),
    sent: Number(at(14)),
    rejected: Number(at(15)),
    processes: Number(at(16))
  }
}

/** The longest wait for the answer to a step. */
const patience = "2 seconds"

/** Refusals that come again however often one tries. */
const lasting = /\b(?:WRONGPASS|NOAUTH|NOPERM|invalid password|unknown command)/i

const reasonOf = (cause: unknown): string => {
  const text = cause instanceof Error ? (cause.message === "" ? cause.name : cause.message) : String(cause)
  return text.split("\n")[0]!.slice(0, 200)
}

/** Builds the store. */
export const make = Effect.fnUntraced(function* ({ account, clock, place = "redis" }: Options) {
  const redis = yield* Redis.Redis
  const scope = yield* Effect.scope
  const run = redis.eval(script)
  const latches = new Map<string, Latch.Latch>()

  const unavailable = (reason: string) =>
    new QuotaStoreUnavailable({
      place,
      reason: `the quota store ${place} cannot be used: ${reason}`,
      transient: !lasting.test(reason)
    })

  const step = (step: Step) =>
    Effect.flatMap(clock ?? Effect.succeed(undefined), (now) =>
      run(account, JSON.stringify(step), now === undefined ? "" : `${now}`)
    ).pipe(
      Effect.map(read),
      Effect.mapError((error) => unavailable(reasonOf(error.cause))),
      Effect.timeoutOrElse({
        duration: patience,
        orElse: () => Effect.fail(unavailable(`no answer within ${patience}`))
      })
    )

  // The channel of a process is subscribed to when it first waits. Messages are hints: a lost one costs one heartbeat.
  const listen = (process: string, latch: Latch.Latch) =>
    Effect.gen(function* () {
      const messages = yield* redis.subscribe(`sluice:{${account}}:wake:${process}`)
      // What was published before is lost, so the process asks once more.
      latch.openUnsafe()
      while (true) {
        yield* Queue.take(messages)
        latch.openUnsafe()
      }
    }).pipe(Effect.scoped, Effect.ignore, Effect.ensuring(Effect.sync(() => latches.delete(process))))

  const awaitWake = (process: string) =>
    Effect.suspend(() => {
      const known = latches.get(process)
      const latch = known ?? Latch.makeUnsafe(false)
      if (known === undefined) latches.set(process, latch)
      const listening = known === undefined ? Effect.forkIn(listen(process, latch), scope) : Effect.void
      return Effect.andThen(listening, Effect.tap(latch.await, latch.close))
    })

  return QuotaStore.of({ place, step, awaitWake })
})

/** Provides a store in Redis or Valkey. */
export const layer = (options: Options): Layer.Layer<QuotaStore, never, Redis.Redis> =>
  Layer.effect(QuotaStore, make(options))
