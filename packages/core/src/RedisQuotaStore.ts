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
import * as Schema from "effect/Schema"
import { harmless } from "./PlainText.ts"
import * as Script from "./internal/shared/Script.ts"
import type { Answer, Step } from "./internal/shared/Step.ts"
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
).withReturnType<unknown>()

/** Not `Number` alone, which takes nothing for 0. */
const numberOf = (text = ""): number => (text === "" ? NaN : Number(text))

const policiesOf = (text: string) =>
  text === ""
    ? []
    : text.split(",").map((policy) => {
        const [limit, window] = policy.split(";")
        return { limit: numberOf(limit), window: numberOf(window) }
      })

const holdOf = (text: string) => {
  if (text === "") return undefined
  const [until, by, limit] = text.split(" ")
  return { until: numberOf(until), by, limit: limit === "" ? undefined : numberOf(limit) }
}

const Size = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(0))
/** Milliseconds, or -1 for none that is known. */
const Wait = Schema.Finite.check(Schema.isGreaterThanOrEqualTo(-1))
const Windows = Schema.Array(Schema.Struct({ limit: Size, window: Size }))

const isAnswer = Schema.is(
  Schema.Struct({
    generation: Schema.NonEmptyString,
    isUnknown: Schema.Boolean,
    granted: Schema.Array(Schema.NonEmptyString),
    wait: Wait,
    cause: Schema.UndefinedOr(Schema.Literals(["permit", "window", "service"])),
    tooLong: Schema.UndefinedOr(
      Schema.Struct({
        until: Size,
        by: Schema.Literals(["window", "retryAfter", "refusal"]),
        limit: Schema.UndefinedOr(Size)
      })
    ),
    isAsked: Schema.Boolean,
    policies: Windows,
    plan: Schema.UndefinedOr(Schema.String),
    tightest: Schema.UndefinedOr(Schema.Struct({ limit: Size, window: Size })),
    remaining: Size,
    reset: Wait,
    inFlight: Size,
    waiting: Size,
    sent: Schema.Finite,
    rejected: Size,
    processes: Size
  })
)

const isReply = Schema.is(Schema.Array(Schema.String))

/** Reads the reply of the script; undefined where it is none. */
const read = (reply: unknown): Answer | undefined => {
  if (!isReply(reply)) return undefined
  const at = (index: number) => reply[index] ?? ""
  const answer = {
    generation: at(0),
    isUnknown: at(1) === "1",
    granted: at(2) === "" ? [] : at(2).split(" "),
    wait: numberOf(at(3)),
    cause: at(4) === "" ? undefined : at(4),
    tooLong: holdOf(at(5)),
    isAsked: at(6) === "1",
    policies: policiesOf(at(7)),
    plan: at(8) === "" ? undefined : at(8),
    tightest: policiesOf(at(9))[0],
    remaining: numberOf(at(10)),
    reset: numberOf(at(11)),
    inFlight: numberOf(at(12)),
    waiting: numberOf(at(13)),
    sent: numberOf(at(14)),
    rejected: numberOf(at(15)),
    processes: numberOf(at(16))
  }
  return isAnswer(answer) ? answer : undefined
}

/** The longest wait for the answer to a step. */
const patience = "2 seconds"

/** Between two subscriptions of a process. */
const pause = "1 second"

/** Refusals that come again however often one tries. */
const lasting = /\b(?:WRONGPASS|NOAUTH|NOPERM|invalid password|unknown command)/i

const reasonOf = (cause: unknown): string => {
  const text = cause instanceof Error ? (cause.message === "" ? cause.name : cause.message) : String(cause)
  return harmless(text.split("\n")[0]!.slice(0, 200))
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

  const strange = new QuotaStoreUnavailable({
    place,
    reason: `the quota store ${place} cannot be used: what answers there is no Redis, or somebody has changed its data`,
    transient: false
  })

  const step = (step: Step) =>
    Effect.flatMap(clock ?? Effect.succeed(undefined), (now) =>
      run(account, JSON.stringify(step), now === undefined ? "" : `${now}`)
    ).pipe(
      Effect.mapError((error) => unavailable(reasonOf(error.cause))),
      Effect.flatMap((reply) => {
        const answer = read(reply)
        return answer === undefined ? Effect.fail(strange) : Effect.succeed(answer)
      }),
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
    }).pipe(
      Effect.scoped,
      Effect.ignore,
      // Not at once: a server that ends each subscription would be asked for another without end.
      Effect.andThen(Effect.sleep(pause)),
      Effect.ensuring(Effect.sync(() => latches.delete(process)))
    )

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
