/**
 * The soak, phase by phase: learn what is right, work under faults, stop, see what is left.
 */
import { Client, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Cause, Console, type Duration, Effect, Exit, Fiber, Layer, Random, Redacted } from "effect"
import { HttpClient } from "effect/http"
import * as Loops from "./Loops.ts"
import * as RandomFaults from "./RandomFaults.ts"
import * as Report from "./Report.ts"
import * as Server from "../../benchmark/Server.ts"
import * as Tally from "./Tally.ts"
import * as Verdict from "./Verdict.ts"
import * as Vitals from "./Vitals.ts"
import * as Watch from "./Watch.ts"
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

/** Whether the lines show that the loops were at work. */
const isEnough = ({ told }: Watch.Watched) => {
  const { records = 0, requests = 0 } = told.at(-1) ?? {}
  return told.length > 1 && records > 1_000 && requests > 10
}

/** Runs the soak on a stand-in service of its own, prints as it goes, and gives what it was judged by. */
export const run = Effect.fn("Soak.run")(function* ({ duration, every, faults, seed, service }: Settings) {
  const settings = options(yield* Server.start({ isPrepared: false, program: service }))
  const windows = yield* Effect.provide(Window.readAll, NodeClient.layer({ ...settings, parallel: 10 }))
  yield* Console.log(Report.introduction({ seed, faults, windows }))

  const warnings = yield* nodeWarnings
  const faulty = yield* RandomFaults.make(seed, 1 / faults)
  const tally = Tally.make()
  const http = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, faulty.disturb)).pipe(
    Layer.provideMerge(NodeClient.layerHttp(settings))
  )
  const before = yield* atRest((vitals) => (vitals.handles["TCPSocketWrap"] ?? 0) === 0)
  const { client, defects, watched } = yield* Effect.provide(
    work({ duration, every, isEnough }, Random.withSeed(Loops.run(windows, tally), seed), tally),
    Layer.provide(Client.layer(settings), http)
  )
  const after = yield* atRest((after) => Verdict.isBack({ before, after }))

  const counts = tally.read()
  yield* Console.log(Report.summary(counts, yield* faulty.asked))
  const checks = Verdict.of({ ...watched, process: { before, after }, client, counts, defects, warnings: warnings() })
  yield* Console.log(Report.verdict(checks))
  return { counts, checks }
}, Effect.scoped)

/** The time of a run, and what it must have shown by then. */
interface Extent extends Pick<Settings, "duration" | "every"> {
  readonly isEnough: (watched: Watch.Watched) => boolean
}

/** Runs the loops for so long, and until there is enough to judge by, with somebody watching, and stops them. */
export const work = Effect.fnUntraced(function* <R>(
  { duration, every, isEnough }: Extent,
  loops: Effect.Effect<unknown, never, R>,
  tally: Tally.Tally
) {
  const before = yield* Vitals.look
  const { defects, watched } = yield* Effect.scoped(
    Effect.gen(function* () {
      const watch = yield* Watch.start(tally, every)
      const fiber = yield* Effect.forkChild(loops)
      yield* Effect.timeoutOption(Fiber.await(fiber), duration)
      const enough = Effect.repeat(Effect.delay(watch, "100 millis"), { until: isEnough })
      yield* Effect.timeoutOption(Effect.raceFirst(Fiber.await(fiber), enough), longest)
      const exit = fiber.pollUnsafe()
      const stopped = yield* Effect.timeoutOption(Fiber.interrupt(fiber), patience)
      return {
        watched: yield* watch,
        defects: [
          ...(exit !== undefined && Exit.isFailure(exit) ? [Cause.pretty(exit.cause)] : []),
          ...(stopped._tag === "None" ? ["the loops did not stop when they were interrupted"] : [])
        ]
      }
    })
  )
  const after = yield* atRest(({ fibers }) => fibers <= before.fibers)
  const { inFlight, waiting } = yield* Client.quota
  return { watched, defects, client: { before, after, inFlight, waiting } }
})

/** Looks until it is as it should be, for sockets and fibers take a moment to end; at last gives what is there. */
export const atRest = (isRest: (vitals: Vitals.Vitals) => boolean) =>
  // Counted rather than timed: a time limit would be a timer and a fiber more.
  Effect.repeat(Effect.delay(Vitals.look, "100 millis"), { until: isRest, times: 100 })

/** Keeps what Node.js warns of, such as too many listeners. */
export const nodeWarnings = Effect.gen(function* () {
  const said: Array<string> = []
  const listen = ({ message, name }: Error) => said.push(`${name}: ${message}`)
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("warning", listen)),
    () => Effect.sync(() => process.off("warning", listen))
  )
  return () => said
})
