/**
 * The soak, phase by phase: work under faults, stop, see what is left.
 */
import { Client, LiveClient, Retry } from "@sluice/core"
import { NodeClient, NodeLive } from "@sluice/node"
import { Cause, Clock, Console, Duration, Effect, Exit, Fiber, Layer, Random, Redacted, Schedule } from "effect"
import { HttpClient } from "effect/http"
import { fileURLToPath } from "node:url"
import * as Server from "../../benchmark/Server.ts"
import * as LiveLoops from "./LiveLoops.ts"
import * as Loops from "./Loops.ts"
import * as RandomFaults from "./RandomFaults.ts"
import * as Verdict from "./Verdict.ts"
import * as Vitals from "./Vitals.ts"

/** What one run does. */
export interface Settings {
  /** How long the loops run. */
  readonly duration: Duration.Input
  /** Which faults come, in which order. */
  readonly seed: number
  /** Live streams instead of requests. */
  readonly isLive: boolean
  /** One request in so many meets a fault. */
  readonly faults: number
  /** Time between two lines. */
  readonly every: Duration.Input
  /** The file of the program that serves, where it is not to be the source. */
  readonly service?: string | undefined
}

const options = (root: string) =>
  ({
    root,
    apiKey: Redacted.make("demo-key"),
    // Fewer than there are loops, so that some always have to wait.
    parallel: 3,
    // So many attempts that no run meets a fault with each of them by chance.
    retry: Retry.make({ base: "20 millis", times: 9 }),
    firstByte: "2 seconds",
    idle: "2 seconds"
  }) satisfies NodeClient.Options

/** How long the loops may take to stop. */
const patience = "10 seconds"

/** How much longer they run where there is too little to judge by: a busy machine may do next to nothing in a second. */
const longest = "5 minutes"

/** Requests with faults at random. */
const requests = Effect.fnUntraced(function* ({ faults, seed, service }: Settings, counts: Verdict.Counts) {
  const settings = options(yield* Server.start(Server.sandbox(service)))
  yield* Console.log(`Seven loops on one client, faults at random with seed ${seed}, one request in ${faults}.`)
  const http = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, RandomFaults.make(seed, 1 / faults))
  ).pipe(Layer.provideMerge(NodeClient.layerHttp(settings)))
  return {
    client: Layer.provide(Client.layer(settings), http),
    loops: Loops.run(counts),
    isEnough: (sent: number) => sent > 10 && counts.records > 1_000 && counts.complete > 2,
    connections: Effect.succeed(0)
  }
})

/** Live streams over connections that break all the time, several times however short the run is. */
const streams = Effect.fnUntraced(function* ({ duration, seed, service }: Settings, counts: Verdict.Counts) {
  const root = yield* Server.start([service ?? fileURLToPath(new URL("LiveService.ts", import.meta.url)), `${seed}`])
  const drop = Math.round(Math.min(5_000, Duration.toMillis(duration) / 4))
  const faults = `live-drop=${drop}ms,live-skip=900,live-repeat=5,live-again=11,live-warning=10`
  yield* Console.log(
    `Six readers on one client; all connections meet ${faults}, and end at once now and then, seed ${seed}.`
  )
  const { retry, ...settings } = options(root)
  const origin = new URL(root).origin.replace("http", "ws")
  const live = { retry, root: `${origin}/fault/${encodeURIComponent(faults)}/v4`, silence: "10 seconds" } as const
  return {
    client: NodeLive.layer({ ...settings, retry, live }),
    loops: LiveLoops.run(counts),
    isEnough: () => counts.records > 0 && counts.complete > 1,
    connections: Effect.flatMap(LiveClient.LiveClient, ({ connections }) => connections)
  }
})

/** Who works, and on which client. */
interface Program<R, E> {
  readonly client: Layer.Layer<R | Client.Client, E>
  readonly loops: Effect.Effect<unknown, never, R | Client.Client>
  readonly isEnough: Extent["isEnough"]
  /** Live connections in use. */
  readonly connections: Effect.Effect<number, never, R>
}

/** Lets them work, and looks at the process before the client is built and after it is closed. */
const observed = Effect.fnUntraced(function* <R, E>(
  settings: Settings,
  counts: Verdict.Counts,
  { client, connections, isEnough, loops }: Program<R, E>
) {
  const warnings = yield* nodeWarnings
  const before = yield* atRest((vitals) => (vitals.handles["TCPSocketWrap"] ?? 0) === 0)
  const worked = yield* Effect.gen(function* () {
    const worked = yield* work({ ...settings, isEnough }, Random.withSeed(loops, settings.seed), counts)
    return { ...worked, connections: yield* connections }
  }).pipe(Effect.provide(client))
  const after = yield* atRest((after) => Verdict.isBack({ before, after }))
  return Verdict.of({ ...worked, process: { before, after }, counts, warnings })
})

/** Runs the soak on a stand-in service of its own, prints as it goes, and tells whether it was stable. */
export const run = Effect.fn("Soak.run")(function* (settings: Settings) {
  const counts = Verdict.begin()
  const checks = settings.isLive
    ? yield* observed(settings, counts, yield* streams(settings, counts))
    : yield* observed(settings, counts, yield* requests(settings, counts))
  return yield* Verdict.tell(counts, checks)
}, Effect.scoped)

/** The time of a run, and what it must have shown by then. */
interface Extent extends Pick<Settings, "duration" | "every"> {
  /** Asked after each line of figures, with the number of lines and of requests. */
  readonly isEnough: (sent: number) => boolean
}

/** What the loops have shown. */
type Worked = Omit<Verdict.Evidence, "process" | "counts" | "warnings" | "connections">

/** Runs the loops for so long, and until there is enough to judge by, with somebody watching, and stops them. */
export const work = Effect.fnUntraced(function* <R>(
  { duration, every, isEnough }: Extent,
  loops: Effect.Effect<unknown, never, R>,
  counts: Verdict.Counts
): Effect.fn.Return<Worked, never, R | Client.Client> {
  const before = yield* Vitals.look
  const begun = yield* Clock.currentTimeMillis
  const elapsed = Effect.map(Clock.currentTimeMillis, (now) => now - begun)
  const [rss, heap]: [Array<Verdict.Point>, Array<Verdict.Point>] = [[], []]
  let hasEnough = false
  const sample = Effect.gen(function* () {
    rss.push({ at: yield* elapsed, value: yield* Vitals.rss })
  })
  const line = Effect.gen(function* () {
    const at = yield* elapsed
    const vitals = yield* Vitals.look
    const quota = yield* Client.quota
    heap.push({ at, value: vitals.heap })
    yield* Console.log(Verdict.line(at, vitals, counts, quota))
    hasEnough = heap.length > 1 && isEnough(quota.sent)
  })
  const defects = yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.forkScoped(Effect.repeat(sample, Schedule.spaced("1 second")))
      yield* Effect.forkScoped(Effect.repeat(Effect.delay(line, every), Schedule.forever))
      const fiber = yield* Effect.forkChild(loops)
      yield* Effect.timeoutOption(Fiber.await(fiber), duration)
      const enough = Effect.repeat(Effect.sleep("100 millis"), { until: () => hasEnough })
      yield* Effect.timeoutOption(Effect.raceFirst(Fiber.await(fiber), enough), longest)
      const exit = fiber.pollUnsafe()
      const stopped = yield* Effect.timeoutOption(Fiber.interrupt(fiber), patience)
      return [
        ...(exit !== undefined && Exit.isFailure(exit) ? [Cause.pretty(exit.cause)] : []),
        ...(stopped._tag === "None" ? ["the loops did not stop when they were interrupted"] : [])
      ]
    })
  )
  const lasted = yield* elapsed
  const after = yield* atRest(({ fibers }) => fibers <= before.fibers)
  const { inFlight, waiting } = yield* Client.quota
  return { lasted, rss, heap, defects, client: { before, after, inFlight, waiting } }
})

/** Looks until it is as it should be, for sockets and fibers take a moment to end; at last gives what is there. */
const atRest = (isRest: (vitals: Vitals.Vitals) => boolean) =>
  // Counted rather than timed: a time limit would be a timer and a fiber more.
  Effect.repeat(Effect.delay(Vitals.look, "100 millis"), { until: isRest, times: 100 })

/** Keeps what Node.js warns of, such as too many listeners. */
const nodeWarnings = Effect.gen(function* () {
  const said: Array<string> = []
  const listen = ({ message, name }: Error) => said.push(`${name}: ${message}`)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("warning", listen)),
    () => Effect.sync(() => process.off("warning", listen))
  )
  return said
})
