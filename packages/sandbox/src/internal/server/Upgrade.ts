/**
 * Turns the handshake of a live stream into a connection, or a reply. The order of checks is that of docs/interface.md 7.5.
 */
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Streams from "../../endpoints/streams/Streams.ts"
import type * as Plan from "../../Plan.ts"
import * as LiveSpec from "../faults/LiveSpec.ts"
import * as Spec from "../faults/Spec.ts"
import * as Connection from "../live/Connection.ts"
import type { DataClock } from "../live/DataClock.ts"
import type { Feed } from "../live/Feed.ts"
import * as Frames from "../live/Frames.ts"
import * as JitteredFeed from "../live/JitteredFeed.ts"
import type { Journal } from "../live/Journal.ts"
import type * as Stream from "../../endpoints/streams/Stream.ts"
import * as Refusal from "../request/Refusal.ts"
import * as Reply from "../reply/Reply.ts"
import * as Offered from "../request/Offered.ts"
import * as Query from "../request/Query.ts"
import type { Settings } from "./Options.ts"
import * as Route from "./Route.ts"
import type { Counters } from "./Stats.ts"

/** The handshake of a live stream, independent of the server or client it came through. */
export interface Handshake {
  /** Path and query. */
  readonly url: string
  readonly address: string
  readonly fault: string | undefined
}

/** What a handshake leads to. */
export type Upgraded =
  | { readonly _tag: "Refused"; readonly reply: Reply.Reply }
  /** The socket is reset. */
  | { readonly _tag: "Reset" }
  /** Runs the connection until it has ended. */
  | { readonly _tag: "Accepted"; readonly run: (peer: Connection.Peer) => Effect.Effect<void> }

/** What handshakes share with requests. */
export interface Shared {
  readonly settings: Settings
  readonly clock: DataClock
  readonly journal: Journal
  readonly counters: Counters
  /** Adds the headers that every reply has. */
  readonly withHeaders: (reply: Reply.Reply, handshake: Handshake, query: Query.Query) => Effect.Effect<Reply.Reply>
}

/** How every open connection is ended at once. */
export type Ending = "restart" | "drop"

const settledBetween = (feed: Feed, from: number, to: number): ReadonlyArray<readonly [ms: number, record: string]> => {
  const found: Array<readonly [number, string]> = []
  // What was published before may have been settled later.
  for (let n = Math.max(0, feed.after(from) - 1); n <= feed.last; n++) {
    const { at, record } = feed.settled(n)
    if (at > to) break
    if (at > from) found.push([at, record])
  }
  return found
}

/** Makes the handshakes of a stand-in. */
export const make = ({ clock, counters, journal, settings, withHeaders }: Shared) => {
  const counter = Spec.makeCounter()
  const open = new Map<string, number>()
  const peers = new Set<Connection.Peer>()

  const admit = (handshake: Handshake) =>
    Result.gen(function* () {
      const [pathname, search] = Route.split(handshake.url)
      const query = Query.parse(search)
      const { fault, isCommunity, path } = yield* Route.parse(pathname)
      const stream = Streams.byPath.get(path)
      if (stream === undefined) return yield* Result.fail(Refusal.notFound(path))
      const keyName = query.get("api_key") ?? ""
      const key = settings.keys.get(keyName)
      const refusal = Route.refuse(handshake.url, isCommunity ? undefined : { name: keyName, key })
      if (refusal !== undefined) return yield* Result.fail(refusal)
      if (key === undefined || isCommunity) return yield* Result.fail(Refusal.forbidden)
      if ((open.get(keyName) ?? 0) >= settings.streams.connections) {
        return yield* Result.fail(Refusal.tooManyConnections)
      }
      const faults = counter(yield* LiveSpec.parse(LiveSpec.separate(fault, handshake.fault).live))
      return { stream, query, keyName, key, faults }
    })

  type Admitted = Result.Result.Success<ReturnType<typeof admit>>

  const accept = ({ faults, keyName, query, stream }: Admitted, feeds: ReadonlyArray<Feed>, isPretty: boolean) =>
    Effect.fnUntraced(function* (peer: Connection.Peer) {
      for (const fault of faults) counters.addTo("faults", fault.kind)
      const subscription: Connection.Subscription = {
        feeds,
        isBackfilled: query.get("backfill") !== "none",
        frames: Frames.make(faults, keyName, isPretty, settings.dialect.sequence),
        queue: settings.streams.queue,
        pingEvery: settings.streams.pingEvery
      }
      const writer = journal.open(yield* clock.now, stream.path, query)
      peers.add(peer)
      counters.add("opened")
      counters.add("connections")
      yield* Effect.ensuring(
        Connection.run(subscription, peer, clock, writer),
        Effect.sync(() => {
          peers.delete(peer)
          counters.add("connections", -1)
        })
      )
    })

  // A place is taken with the handshake, so that many at once cannot be more than are allowed.
  const takePlace = (keyName: string) => {
    const add = (count: number) => Effect.sync(() => open.set(keyName, (open.get(keyName) ?? 0) + count))
    return Effect.acquireRelease(add(1), () => add(-1))
  }

  const subscribe = Effect.fnUntraced(function* (asked: {
    readonly key: Plan.Key
    readonly query: Query.Query
    readonly stream: Stream.Endpoint
  }) {
    const { key, stream } = asked
    const operation = Offered.find(stream.path)
    if (settings.dialect.unknownParameters === "reject") {
      yield* Query.refuseUnknown(asked.query, Offered.known(operation))
    }
    const query = yield* Offered.read(operation, asked.query)
    const isPretty = Query.flag(query, "pretty")
    const licence = key.licence ?? {}
    if ((licence.withoutPaths ?? []).includes(stream.path)) return yield* Refusal.forbidden
    const { forks } = clock
    const feeds = yield* stream.open(query, { isCommunity: false, licence, dialect: settings.dialect, forks })
    const jitter = clock.jitter()
    return { isPretty, feeds: feeds.map((feed) => JitteredFeed.make(feed, jitter)) }
  })

  const refused = (handshake: Handshake, reply: Reply.Reply): Effect.Effect<Upgraded> =>
    Effect.map(withHeaders(reply, handshake, Query.parse(Route.split(handshake.url)[1])), (reply) => ({
      _tag: "Refused",
      reply
    }))

  const openOne = Effect.fnUntraced(function* (handshake: Handshake): Effect.fn.Return<Upgraded, never, Scope.Scope> {
    counters.add("requests")
    const admitted = admit(handshake)
    if (Result.isFailure(admitted)) return yield* refused(handshake, Reply.refused(admitted.failure, settings.dialect))
    const { faults, keyName } = admitted.success
    const quoted = Spec.find(faults, "live-echo-key") === undefined ? "" : ` (api_key=${keyName})`
    if (Spec.find(faults, "live-never") !== undefined) return yield* Effect.never
    const slow = Spec.find(faults, "live-slow")
    if (slow !== undefined) yield* Effect.sleep(slow.amount)
    if (Spec.find(faults, "live-reset") !== undefined) return { _tag: "Reset" }
    const status = Spec.find(faults, "live-status")
    if (status !== undefined) {
      const message = `The stand-in was asked for the status ${status.amount}.${quoted}`
      return yield* refused(handshake, Reply.error(status.amount, status.body, "sandbox_fault", message))
    }
    yield* takePlace(keyName)
    return yield* subscribe(admitted.success).pipe(
      Effect.map(({ feeds, isPretty }) => ({
        _tag: "Accepted" as const,
        run: accept(admitted.success, feeds, isPretty)
      })),
      Effect.catchTag("Refusal", (refusal) => refused(handshake, Reply.refused(refusal, settings.dialect, quoted)))
    )
  })

  return {
    /** Answers a handshake. The connection holds its place until the scope closes. */
    open: openOne,
    /** Ends every open connection; tells how many there were. */
    endAll: (ending: Ending) =>
      Effect.sync(() => {
        const all = [...peers]
        for (const peer of all) {
          if (ending === "restart") peer.close(1012, "restart")
          else peer.destroy()
        }
        return all.length
      }),
    /** What a stream has published after one instant and until another, without sequence ids. */
    series: Effect.fnUntraced(function* (url: string, from: number, to: number) {
      const [path, search] = Route.split(url)
      const stream = Streams.byPath.get(path)
      if (stream === undefined) return yield* Refusal.notFound(path)
      const { feeds } = yield* subscribe({ stream, query: Query.parse(search), key: { plan: "default" } })
      return feeds
        .flatMap((feed) => settledBetween(feed, from, to))
        .toSorted(([a], [b]) => a - b)
        .map(([, record]) => record)
    })
  }
}
