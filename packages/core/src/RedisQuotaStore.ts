/**
 * A quota store in Redis or Valkey, which keep its steps in a list, and on whose clock its time goes.
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
 * Appends to a list, which begins with the name of the base and its text. KEYS: the list. ARGV: the base, the number of entries and the
 * time up to which it was read; the entry, the milliseconds to keep it all; the name of the next base, its text, and how many entries it
 * stands for, or nothing.
 */
const script = Redis.script((account: string, ...args: ReadonlyArray<string>) => [keyOf(account), ...args], {
  lua: `
local key, count = KEYS[1], ARGV[2]
local time = redis.call("TIME")
local base = redis.call("LINDEX", key, 0)
local last = redis.call("LINDEX", key, 1 + count) or ""
local isRead = base == ARGV[1] and last:sub(1, #ARGV[3]) == ARGV[3]
if not base or (isRead and ARGV[8] ~= "") then
  if base then redis.call("LTRIM", key, 2 + ARGV[8], -1) end
  redis.call("LPUSH", key, base and ARGV[7] or "", ARGV[6])
  base, isRead = ARGV[6], false
end
redis.call("RPUSH", key, string.format("%d%06d ", time[1], time[2]) .. ARGV[4])
redis.call("PEXPIRE", key, ARGV[5])
local found = redis.call("LRANGE", key, isRead and 2 + count or 2, -1)
return { base, not isRead and redis.call("LINDEX", key, 1), found }
`,
  numberOfKeys: 1
}).withReturnType<unknown>()

const keyOf = (account: string) => `sluice:{${account}}:quota:${QuotaStore.version}`
const channelOf = (account: string, process: string) => `sluice:{${account}}:wake:${process}`

const isReply = Schema.is(
  Schema.Tuple([Schema.NonEmptyString, Schema.NullOr(Schema.String), Schema.NonEmptyArray(Schema.String)])
)

/** An entry, after its time in 16 digits. */
const entryOf = (line: string): QuotaStore.Entry => ({ at: line.slice(0, 16), text: line.slice(17) })

const foundOf = (reply: unknown): QuotaStore.Found | undefined => {
  if (!isReply(reply)) return undefined
  const [base, text, lines] = reply
  return { base, text: text ?? undefined, entries: lines.map(entryOf) }
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

  const append = ({ base, entry, keep, name, read }: QuotaStore.Next) => {
    const kept = `${Math.ceil(Math.min(keep, longestKept))}`
    const next = [name, base?.text ?? "", `${base?.count ?? ""}`]
    const args = [read.base, `${read.count}`, read.at, entry, kept, ...next]
    return redis
      .eval(script)(account, ...args)
      .pipe(
        Effect.mapError((error) => unavailable(reasonOf(error.cause))),
        Effect.flatMap((reply) => {
          const found = foundOf(reply)
          return found === undefined ? Effect.fail(strange) : Effect.succeed(found)
        }),
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(unavailable(`no answer within ${patience}`))
        })
      )
  }

  const wake = (processes: ReadonlyArray<string>) =>
    Effect.forEach(processes, (process) => redis.send("PUBLISH", channelOf(account, process), ""), {
      concurrency: "unbounded",
      discard: true
    }).pipe(Effect.ignore)

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

  return QuotaStore.over({ place, append, wake, awaitWake })
})

/** Provides a store in Redis or Valkey. */
export const layer = (options: Options): Layer.Layer<QuotaStore.QuotaStore, never, Redis.Redis> =>
  Layer.effect(QuotaStore.QuotaStore, make(options))
