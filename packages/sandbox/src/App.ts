/**
 * The service itself, from a request to a reply: the order of checks is that of docs/interface.md 7.5.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Answer from "./Answer.ts"
import type { Cut } from "./Body.ts"
import type { Endpoint } from "./Endpoint.ts"
import * as Spec from "./faults/Spec.ts"
import * as Headers from "./faults/Headers.ts"
import * as Instead from "./faults/Instead.ts"
import * as Onset from "./faults/Onset.ts"
import * as Quotation from "./faults/Quotation.ts"
import * as Wire from "./faults/Wire.ts"
import * as Zip from "./faults/Zip.ts"
import * as Gate from "./Gate.ts"
import type { Settings } from "./Options.ts"
import type * as Plan from "./Plan.ts"
import * as Prepared from "./Prepared.ts"
import * as Query from "./Query.ts"
import * as RateHeaders from "./RateHeaders.ts"
import * as Refusal from "./Refusal.ts"
import * as Reply from "./Reply.ts"
import * as Route from "./Route.ts"
import * as Stats from "./Stats.ts"
import type { Standing, Window } from "./Window.ts"

/** A request, freed from the server or client it came through. */
export interface Incoming {
  readonly method: string
  /** Path and query. */
  readonly url: string
  /** Scheme and authority that the caller used, for `next_page_url`. */
  readonly origin: string
  /** The caller's network address. */
  readonly address: string
  readonly fault: string | undefined
  readonly wantsGzip: boolean
}

/** The service. */
export interface App {
  /** Answers a request; the scope is that of the request, and ends when its body has ended. */
  readonly handle: (incoming: Incoming) => Effect.Effect<Reply.Reply, Cut, Scope.Scope>
  readonly stats: Effect.Effect<Stats.Stats>
}

interface Visit {
  readonly endpoint: Endpoint
  readonly isCommunity: boolean
  readonly key: Plan.Key | undefined
  readonly faults: ReadonlyArray<Spec.Fault>
}

const longest = 10_000

const split = (url: string): readonly [pathname: string, search: string] => {
  const at = url.indexOf("?")
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)]
}

/** Makes the service. */
export const make = (settings: Settings): App => {
  const gates = Gate.make(settings.countRejected)
  const counter = Spec.makeCounter()
  const tally = Stats.make()
  const prepared = Prepared.make()
  let replies = 0

  // A caller without a valid key is held to the numbers of the community plan, per address.
  const gateOf = (isCommunity: boolean, keyName: string | undefined, address: string): Gate.Gate => {
    const key = isCommunity || keyName === undefined ? undefined : settings.keys.get(keyName)
    return key === undefined ? gates.of(`address ${address}`, "community") : gates.of(`key ${keyName}`, key.plan)
  }

  const admit = (
    incoming: Incoming,
    route: Result.Result<Route.Route, Refusal.Refusal>,
    query: Query.Query,
    window: Window,
    now: number
  ): Result.Result<readonly [Visit, Standing], Refusal.Refusal> => {
    if (incoming.method !== "GET") return Result.fail(Refusal.methodNotAllowed(incoming.method))
    if (Result.isFailure(route)) return Result.fail(route.failure)
    const { fault, isCommunity, path } = route.success
    const endpoint = Route.endpoints.get(path)
    if (endpoint === undefined) return Result.fail(Refusal.notFound(path))
    if (incoming.url.length > longest) return Result.fail(Refusal.uriTooLong)
    const keyName = query.get("api_key")
    const key = settings.keys.get(keyName ?? "")
    if (!isCommunity && (keyName === undefined || keyName === "")) return Result.fail(Refusal.unauthorized)
    if (!isCommunity && key === undefined) return Result.fail(Refusal.wrongCredentials)
    const standing = window.arrive(now)
    if (!standing.isAccepted) return Result.fail(Refusal.rateLimitExceeded)
    const spec = [fault, incoming.fault].filter((spec) => spec !== undefined && spec !== "").join(",")
    const faults = spec === "" ? Result.succeed([]) : Spec.parse(spec)
    return Result.map(faults, (faults) => [{ endpoint, isCommunity, key, faults: counter.due(faults) }, standing])
  }

  const enter = (gate: Gate.Gate): Effect.Effect<void, never, Scope.Scope> =>
    Effect.andThen(
      gate.places.takeScoped(1),
      Effect.acquireRelease(Effect.sync(tally.started), () => Effect.sync(tally.ended))
    )

  const finish = (
    reply: Reply.Reply,
    window: Window,
    standing: Standing,
    now: number,
    faults: ReadonlyArray<Spec.Fault> = []
  ): Reply.Reply => {
    tally.replied(reply.status)
    const isRejected = reply.status === 429
    const shown = isRejected ? { ...standing, remaining: 0, reset: Math.max(1, standing.reset) } : standing
    const form = faults.find(({ headers }) => headers !== undefined)?.headers ?? settings.rateLimitHeaders
    const asked = faults.find(({ retryAfter }) => retryAfter !== undefined)?.retryAfter
    const retryAfter = asked ?? (isRejected && settings.retryAfter ? String(shown.reset) : undefined)
    return {
      ...reply,
      headers: {
        ...reply.headers,
        "CF-RAY": Reply.ray(replies++),
        ...RateHeaders.make(window.plan, shown, now, form),
        ...(retryAfter === undefined ? {} : { "Retry-After": Headers.retryAfter(retryAfter, now) })
      }
    }
  }

  const wait = Duration.isZero(settings.latency) ? Effect.void : Effect.sleep(settings.latency)

  const serve = Effect.fnUntraced(function* (
    incoming: Incoming,
    pathname: string,
    query: Query.Query,
    visit: Visit,
    quotation: Quotation.Quotation
  ) {
    const { faults, isCommunity } = visit
    for (const fault of faults) tally.faulted(fault.kind)
    yield* Onset.apply(faults)
    const plain = (reply: Reply.Reply) => Zip.apply(Wire.apply(reply, faults), faults, false)
    const instead = Instead.make(faults, incoming.url, quotation)
    if (instead !== undefined) return yield* plain(instead)
    const request: Answer.Request = {
      endpoint: visit.endpoint,
      caller: { isCommunity, licence: visit.key?.licence ?? {}, catalogMarkets: settings.catalogMarkets },
      query,
      faults,
      quotation,
      pageUrl: `${incoming.origin}${pathname}`
    }
    const answer = Effect.flatMap(Answer.make(request, settings, tally.sent), (reply) =>
      Zip.apply(reply, faults, incoming.wantsGzip)
    )
    const reply = settings.prepared && faults.length === 0 ? prepared.serve(incoming, answer) : answer
    return yield* Effect.catchTag(reply, "Refusal", (refusal) =>
      plain(Reply.refused(refusal, settings, quotation.sentence))
    )
  })

  const handle = Effect.fnUntraced(function* (incoming: Incoming) {
    tally.requested()
    const now = yield* Clock.currentTimeMillis
    const [pathname, search] = split(incoming.url)
    const query = Query.parse(search)
    const route = Route.parse(pathname)
    const isCommunity = Result.isSuccess(route) && route.success.isCommunity
    const gate = gateOf(isCommunity, query.get("api_key"), incoming.address)
    const admitted = admit(incoming, route, query, gate.window, now)
    if (Result.isFailure(admitted)) {
      yield* wait
      return finish(Reply.refused(admitted.failure, settings), gate.window, gate.window.peek(now), now)
    }
    const [visit, standing] = admitted.success
    yield* enter(gate)
    yield* wait
    const quotation = Quotation.make(incoming.url, query, visit.faults)
    const reply = yield* serve(incoming, pathname, query, visit, quotation)
    return Headers.apply(finish(reply, gate.window, standing, now, visit.faults), visit.faults, quotation)
  })

  return { handle, stats: Effect.sync(tally.read) }
}
