/**
 * The soak, phase by phase: learn what is right, work under faults, stop, see what is left.
 */
import { Client, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Cause, Clock, Console, type Duration, Effect, Exit, Fiber, Layer, Random, Redacted, Schedule } from "effect"
import { HttpClient } from "effect/http"
import * as Server from "../../benchmark/Server.ts"
import * as Tool from "../Tool.ts"
import * as Loops from "./Loops.ts"
import * as RandomFaults from "./RandomFaults.ts"
import * as Verdict from "./Verdict.ts"
import * as Vitals from "./Vitals.ts"
import * as Window from "./Window.ts"

/** What one run does. */
export interface Settings {
  /** How long the loops run. */
  readonly duration: Duration.Input
  /** Which faults come, in which order. */
  readonly seed: number
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

/** Runs the soak on a stand-in service of its own, prints as it goes, and tells whether it was stable. */
export const run = Effect.fn("Soak.run")(function* ({ duration, every, faults, seed, service }: Settings) {
  const settings = options(yield* Server.start(Server.sandbox(service)))
  const windows = yield* Effect.provide(Window.readAll, NodeClient.layer({ ...settings, parallel: 10 }))
  yield* Console.log(`Seven loops on one client, faults at random with seed ${seed}, one request in ${faults}.`)
  const faulty = RandomFaults.make(seed, 1 / faults)
  const counts = Verdict.begin()
  const http = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, faulty.disturb)).pipe(
    Layer.provideMerge(NodeClient.layerHttp(settings))
  )
  const isEnough = (lines: number, sent: number) =>
    lines > 1 && sent > 10 && counts.records > 1_000 && counts.complete > 2
  const evidence = yield* observed(counts, Layer.provide(Client.layer(settings), http), () =>
    work({ duration, every, isEnough }, Random.withSeed(Loops.run(windows, counts), seed), counts)
  )
  yield* Console.log(`\nfaults: ${Tool.shown(faulty.counts)}`)
  return yield* Verdict.tell(counts, Verdict.of(evidence))
}, Effect.scoped)

/** Runs a program with a client, and looks at the process before the client is built and after it is closed. */
export const observed = Effect.fnUntraced(function* <R, E, A extends Worked, E2, R2>(
  counts: Verdict.Counts,
  client: Layer.Layer<R, E>,
  program: () => Effect.Effect<A, E2, R | R2>
) {
  const warnings = yield* nodeWarnings
  const before = yield* atRest((vitals) => (vitals.handles["TCPSocketWrap"] ?? 0) === 0)
  const worked = yield* Effect.provide(program(), client)
  const after = yield* atRest((after) => Verdict.isBack({ before, after }))
  return { ...worked, process: { before, after }, counts, warnings }
})

/** The time of a run, and what it must have shown by then. */
interface Extent extends Pick<Settings, "duration" | "every"> {
  /** Asked after each line of figures, with the number of lines and of requests. */
  readonly isEnough: (lines: number, sent: number) => boolean
}

/** What the loops have shown. */
type Worked = Omit<Verdict.Evidence, "process" | "counts" | "warnings">

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
    hasEnough = isEnough(heap.length, quota.sent)
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
