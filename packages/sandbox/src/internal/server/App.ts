/** Turns a request into a reply. The order of checks is that of docs/interface.md 7.5. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Answer from "./Answer.ts"
import * as LiveSpec from "../faults/LiveSpec.ts"
import * as DataClock from "../live/DataClock.ts"
import * as Journal from "../live/Journal.ts"
import * as Upgrade from "./Upgrade.ts"
import * as Spec from "../faults/Spec.ts"
import * as HeaderFaults from "../faults/HeaderFaults.ts"
import * as ReplacedReply from "../faults/ReplacedReply.ts"
import * as HeadFaults from "../faults/HeadFaults.ts"
import * as EchoedText from "../faults/EchoedText.ts"
import * as GzipFaults from "../faults/GzipFaults.ts"
import * as JobServer from "./JobServer.ts"
import * as JobStore from "../jobs/JobStore.ts"
import * as Jobs from "../../endpoints/jobs/Jobs.ts"
import type { Settings } from "./Options.ts"
import * as PreparedReplies from "../reply/PreparedReplies.ts"
import * as Query from "../request/Query.ts"
import * as RateLimitHeaders from "../quota/RateLimitHeaders.ts"
import * as Refusal from "../request/Refusal.ts"
import * as Reply from "../reply/Reply.ts"
import * as Route from "./Route.ts"
import * as Stats from "./Stats.ts"
import * as SlidingWindow from "../quota/SlidingWindow.ts"

/** A request, independent of the server or client it came through. */
export interface Incoming {
  readonly method: string
  readonly url: string
  /** Scheme and authority that the caller used, for `next_page_url`. */
  readonly origin: string
  readonly address: string
  readonly fault: string | undefined
  readonly wantsGzip: boolean
  /** The body, read when it is needed. */
  readonly body: Effect.Effect<string>
  /** Whether it came to the other origin, at which the files of jobs are served. */
  readonly isForFile: boolean
}

export type App = ReturnType<typeof make>

/** Makes the service; the time of its data starts at an instant of the clock. */
export const make = (settings: Settings, started: number) => {
  const clock = DataClock.make(settings.live, started)
  const journal = Journal.make(settings.streams.journal)
  const limits = SlidingWindow.perCaller(settings.dialect.countRejected === "yes")
  const counter = Spec.makeCounter()
  const counters = Stats.make()
  const onRecords = (count: number) => counters.add("records", count)
  const prepared = PreparedReplies.make()
  let replies = 0
  const jobs = JobStore.make({ running: settings.jobTime, kept: settings.resultTime })
  let files = ""

  // A caller without a valid key gets the limits of the community plan, per address.
  const limitsOf = (isCommunity: boolean, keyName: string | undefined, address: string): SlidingWindow.CallerLimits => {
    const key = isCommunity || keyName === undefined ? undefined : settings.keys.get(keyName)
    return key === undefined ? limits(`address ${address}`, "community") : limits(`key ${keyName}`, key.plan)
  }

  const admit = (
    incoming: Incoming,
    route: Result.Result<Route.Route, Refusal.Refusal>,
    query: Query.Query,
    window: SlidingWindow.SlidingWindow,
    now: number
  ) =>
    Result.gen(function* () {
      const { method } = incoming
      const isPut = method === "PUT"
      if (method !== "GET" && !isPut) return yield* Result.fail(Refusal.methodNotAllowed(method))
      const { fault, isCommunity, path } = yield* route
      const start = Jobs.starts.get(path)
      const found = Route.find(path)
      if (isPut !== (start !== undefined) && (isPut ? found : start) !== undefined) {
        return yield* Result.fail(Refusal.methodNotAllowed(method))
      }
      // What a GET reads, or what a PUT starts.
      const operation = start === undefined ? found : { start }
      if (operation === undefined) return yield* Result.fail(Refusal.notFound(path))
      const keyName = query.get("api_key")
      const key = settings.keys.get(keyName ?? "")
      const refusal = Route.refuse(incoming.url, isCommunity ? undefined : { name: keyName, key })
      if (refusal !== undefined) return yield* Result.fail(refusal)
      const standing = window.add(now)
      if (!standing.isAccepted) return yield* Result.fail(Refusal.rateLimitExceeded)
      // Jobs start at the paid root alone.
      if (isPut && isCommunity) return yield* Result.fail(Refusal.forbidden)
      const step = isPut ? "start" : path === "/jobs" ? "status" : undefined
      const { http, live } = LiveSpec.separate(fault, incoming.fault)
      // How much later than others this request sees records, in milliseconds.
      const late = Spec.find(yield* LiveSpec.parse(live), "live-late")?.amount ?? 0
      const faults = counter(http === "" ? [] : yield* Spec.parse(http), step)
      return { operation, isCommunity, key, keyName, fault, now, faults, late, standing }
    })

  type Admitted = Result.Result.Success<ReturnType<typeof admit>>

  const takeSlot = (gate: SlidingWindow.CallerLimits): Effect.Effect<void, never, Scope.Scope> =>
    Effect.andThen(
      gate.slots.takeScoped(1),
      Effect.acquireRelease(
        Effect.sync(() => counters.add("running")),
        () => Effect.sync(() => counters.add("running", -1))
      )
    )

  const addHeaders = (
    reply: Reply.Reply,
    window: SlidingWindow.SlidingWindow,
    standing: SlidingWindow.WindowState,
    now: number,
    faults: ReadonlyArray<Spec.Fault> = []
  ): Reply.Reply => {
    counters.addTo("statuses", reply.status)
    const isRejected = reply.status === 429
    const shown = isRejected ? { ...standing, remaining: 0, reset: Math.max(1, standing.reset) } : standing
    const form = faults.find(({ headers }) => headers !== undefined)?.headers ?? settings.dialect.rateLimitHeaders
    const says = isRejected && settings.dialect.retryAfter === "yes"
    return {
      ...reply,
      headers: {
        ...reply.headers,
        "CF-RAY": Reply.ray(replies++),
        ...RateLimitHeaders.make(window.plan, shown, now, form),
        ...(says ? { "Retry-After": String(shown.reset) } : {})
      }
    }
  }

  const wait = Duration.isZero(settings.latency) ? Effect.void : Effect.sleep(settings.latency)

  /** A job is started before a fault strikes, so that an answer may be lost; not where another takes its place. */
  const serveStart = Effect.fnUntraced(function* (
    incoming: Incoming,
    pathname: string,
    { faults, key, keyName, now }: Admitted,
    start: Jobs.Start,
    quotation: EchoedText.EchoedText
  ) {
    const isForbidden = (key?.licence?.withoutPaths ?? []).includes(start.path)
    const instead = ReplacedReply.make(faults, incoming.url, quotation)
    const jobsUrl = `${incoming.origin}${pathname.replace(/\/blockchain-job\/.*$/, "/jobs")}`
    const started = isForbidden
      ? Effect.fail(Refusal.forbidden)
      : JobServer.start(jobs, { start, form: incoming.body, owner: keyName, jobsUrl, dialect: settings.dialect, now })
    const reply =
      instead ??
      (yield* Effect.catchTag(started, "Refusal", (refusal) =>
        Effect.succeed(Reply.refused(refusal, settings.dialect, quotation.sentence))
      ))
    yield* HeadFaults.apply(faults)
    return yield* GzipFaults.ofWhole(reply, faults)
  })

  /** Outside keys, windows and places: the files lie with somebody else. */
  const serveFile = Effect.fnUntraced(function* (
    incoming: Incoming,
    pathname: string,
    query: Query.Query,
    now: number
  ) {
    const [, spec = ""] = /^\/fault\/([^/]*)\//.exec(pathname) ?? []
    const faults = spec === "" ? Result.succeed([]) : Spec.parse(Route.decoded(spec))
    if (Result.isFailure(faults)) return Reply.refused(faults.failure, settings.dialect)
    const selected = counter(faults.success, "result")
    for (const fault of selected) counters.addTo("faults", fault.kind)
    const quotation = EchoedText.make(incoming.url, query, selected)
    const reply = yield* JobServer.file(jobs, {
      url: incoming.url,
      dialect: settings.dialect,
      faults: selected,
      quotation,
      now,
      onRecords
    })
    counters.addTo("statuses", reply.status)
    return yield* HeaderFaults.apply(reply, selected, quotation)
  })

  const serve = Effect.fnUntraced(function* (
    incoming: Incoming,
    pathname: string,
    query: Query.Query,
    visit: Admitted,
    quotation: EchoedText.EchoedText
  ) {
    const { faults, isCommunity, keyName, now, operation } = visit
    for (const fault of faults) counters.addTo("faults", fault.kind)
    if ("start" in operation) return yield* serveStart(incoming, pathname, visit, operation.start, quotation)
    yield* HeadFaults.apply(faults)
    const instead = ReplacedReply.make(faults, incoming.url, quotation)
    if (instead !== undefined) return yield* GzipFaults.ofWhole(instead, faults)
    const until = yield* clock.served(visit.late)
    const request: Answer.Request = {
      ...operation,
      caller: {
        isCommunity,
        licence: visit.key?.licence ?? {},
        dialect: settings.dialect,
        catalogMarkets: settings.catalogMarkets,
        until,
        jitter: clock.jitter(),
        forks: clock.forks,
        view: settings.history === undefined || until === undefined ? undefined : { ...settings.history, now: until },
        jobs: (ids) =>
          jobs.records(ids, {
            owner: isCommunity ? undefined : keyName,
            now,
            files: `${files}${visit.fault === undefined ? "" : `/fault/${encodeURIComponent(visit.fault)}`}/results`
          })
      },
      query,
      faults,
      quotation,
      pageUrl: `${incoming.origin}${pathname}`
    }
    const answer = Effect.flatMap(Answer.make(request, settings, onRecords), (reply) =>
      GzipFaults.apply(reply, faults, incoming.wantsGzip)
    )
    const reply =
      settings.prepared && settings.live === undefined && faults.length === 0
        ? prepared.serve(incoming, answer)
        : answer
    return yield* Effect.catchTag(reply, "Refusal", (refusal) =>
      GzipFaults.ofWhole(Reply.refused(refusal, settings.dialect, quotation.sentence), faults)
    )
  })

  const handle = Effect.fnUntraced(function* (incoming: Incoming) {
    counters.add("requests")
    const now = yield* Clock.currentTimeMillis
    const [pathname, search] = Route.split(incoming.url)
    const query = Query.parse(search)
    if (incoming.isForFile) return yield* serveFile(incoming, pathname, query, now)
    const route = Route.parse(pathname)
    const isCommunity = Result.isSuccess(route) && route.success.isCommunity
    const gate = limitsOf(isCommunity, query.get("api_key"), incoming.address)
    const admitted = admit(incoming, route, query, gate.window, now)
    if (Result.isFailure(admitted)) {
      yield* wait
      return addHeaders(Reply.refused(admitted.failure, settings.dialect), gate.window, gate.window.peek(now), now)
    }
    const visit = admitted.success
    yield* takeSlot(gate)
    yield* wait
    const quotation = EchoedText.make(incoming.url, query, visit.faults)
    const reply = yield* serve(incoming, pathname, query, visit, quotation)
    const headed = addHeaders(reply, gate.window, visit.standing, now, visit.faults)
    return yield* HeaderFaults.apply(headed, visit.faults, quotation)
  })

  const upgrades = Upgrade.make({
    settings,
    clock,
    journal,
    counters,
    withHeaders: (reply, { address }, query) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { window } = limitsOf(false, query.get("api_key"), address)
        return addHeaders(reply, window, window.peek(now), now)
      })
  })

  return {
    /** Answers a request. Its scope closes when the body has ended. */
    handle,
    /** Tells at which origin the files of jobs are served. */
    serveFilesAt: (origin: string) => {
      files = origin
    },
    stats: Effect.sync(counters.read),
    upgrades,
    clock,
    journal
  }
}
