/**
 * A quota store in Redis or Valkey, which keep its state by compare-and-set, and on whose clock its time goes.
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
import * as QuotaStore from "./QuotaStore.ts"

/** Settings of {@link layer}. */
export interface Options {
  /**
   * The name under which the store keeps the quota of the account: the same for all that share it. It is a part of keys in the
   * server, so it must be no secret: `NodeQuota` takes a keyed hash of root and API key.
   */
  readonly account: string
  /** Where the server is, for messages. Must hold no password. Default `redis`. */
  readonly place?: string | undefined
}

/**
 * Compare-and-set. KEYS: the account. ARGV: nothing to read it, or the version to replace, the next with its text, the
 * milliseconds to keep it, and channels to publish on.
 */
const script = Redis.script((account: string, ...args: ReadonlyArray<string>) => [keyOf(account), ...args], {
  lua: `
local time = redis.call("TIME")
local kept = redis.call("HMGET", KEYS[1], "version", "text")
if ARGV[1] ~= (kept[1] or "") then return { kept[1] or "", kept[2] or "", time[1], time[2] } end
redis.call("HSET", KEYS[1], "version", ARGV[2], "text", ARGV[3])
redis.call("PEXPIRE", KEYS[1], ARGV[4])
for index = 5, #ARGV do redis.call("PUBLISH", ARGV[index], "") end
return { ARGV[2], "", time[1], time[2] }
`,
  numberOfKeys: 1
}).withReturnType<unknown>()

const keyOf = (account: string) => `sluice:{${account}}:quota`
const channelOf = (account: string, process: string) => `sluice:{${account}}:wake:${process}`

const isKept = Schema.is(Schema.Tuple([Schema.String, Schema.String, Schema.String, Schema.String]))

/** What is kept, and the time of the server in seconds and microseconds. */
const keptOf = (reply: unknown): QuotaStore.Kept | undefined => {
  if (!isKept(reply)) return undefined
  const [version, text, seconds, micros] = reply
  const now = Number(seconds) * 1_000 + Number(micros) / 1_000
  return Number.isFinite(now) && now > 0 ? { version, text, now } : undefined
}

/** The longest time for which Redis can keep anything, in milliseconds, with room to spare. */
const longestKept = 1e12

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
export const make = Effect.fnUntraced(function* ({ account, place = "redis" }: Options) {
  const redis = yield* Redis.Redis
  const scope = yield* Effect.scope
  const latches = new Map<string, Latch.Latch>()

  const unavailable = (reason: string) =>
    new QuotaStore.QuotaStoreUnavailable({
      place,
      reason: `the quota store ${place} cannot be used: ${reason}`,
      transient: !lasting.test(reason)
    })

  const strange = new QuotaStore.QuotaStoreUnavailable({
    place,
    reason: `the quota store ${place} cannot be used: what answers there is no Redis, or somebody has changed its data`,
    transient: false
  })

  const exchange = (next?: QuotaStore.Next) => {
    const keep = `${Math.ceil(Math.min(next?.keep ?? 0, longestKept))}`
    const channels = next?.wake.map((process) => channelOf(account, process)) ?? []
    const args = next === undefined ? [] : [next.before, next.version, next.text, keep, ...channels]
    return redis
      .eval(script)(account, ...args)
      .pipe(
        Effect.mapError((error) => unavailable(reasonOf(error.cause))),
        Effect.flatMap((reply) => {
          const kept = keptOf(reply)
          return kept === undefined ? Effect.fail(strange) : Effect.succeed(kept)
        }),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(unavailable(`no answer within ${patience}`))
        })
      )
  }

  // The channel of a process is subscribed to when it first waits. Messages are hints: a lost one costs one heartbeat.
  const listen = (process: string, latch: Latch.Latch) =>
    Effect.gen(function* () {
      const messages = yield* redis.subscribe(channelOf(account, process))
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

  return QuotaStore.over({ place, exchange, awaitWake })
})

/** Provides a store in Redis or Valkey. */
export const layer = (options: Options): Layer.Layer<QuotaStore.QuotaStore, never, Redis.Redis> =>
  Layer.effect(QuotaStore.QuotaStore, make(options))
