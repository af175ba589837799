/**
 * `pnpm soak`: a service-like program under faults, for a few minutes; says whether its memory stayed, and whether anything is left
 * open. Its live connections break every 15 seconds, and one request in six meets a fault; two minutes of data pass in a second.
 */
import { Client, Retry } from "@sluice/core"
import { NodeClient, NodeLive } from "@sluice/node"
import { Fault, Simulation } from "@sluice/sandbox"
import { Cause, Clock, Console, Duration, Effect, Exit, Layer, Option, Redacted, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as Server from "../../benchmark/Server.ts"
import * as Tool from "../Tool.ts"
import * as Loops from "./Loops.ts"
import * as Vitals from "./Vitals.ts"

/** Faults that another attempt passes, but for those by which a call waits for a window, or for a body that drips. */
const faults = [...Simulation.transient, "cut-line=7", "error-line=7", "error-body", "blank-lines", "crlf"].filter(
  (fault) => !/429|drip/.test(fault)
)

/** Lets one request in six meet the next of the faults, at one byte or another. */
const disturbed = (http: HttpClient.HttpClient) => {
  let sent = 0
  return HttpClient.mapRequest(http, (request) => {
    sent += 1
    if (sent % 6 !== 0) return request
    const fault = faults[(sent / 6) % faults.length]!.replace("#", `${(sent * 7_919) % 180_000}`)
    return HttpClientRequest.setHeader(request, Fault.header, fault)
  })
}

/** Connections break not so often that what was delivered is always held for a look at what was missed. */
const liveFaults = "live-drop=15000ms,live-skip=900,live-repeat=5,live-again=11,live-warning=10"

/** A client of both ways. */
const client = (root: string) => {
  const options = {
    root,
    apiKey: Redacted.make("demo-key"),
    // Fewer than there are readers, so that some always have to wait.
    parallel: 3,
    // So many attempts that no run meets a fault with each of them by chance.
    retry: Retry.make({ base: "20 millis", times: 9 }),
    firstByte: "2 seconds",
    idle: "2 seconds"
  } as const
  const origin = new URL(root).origin.replace("http", "ws")
  const live = { retry: options.retry, root: `${origin}/fault/${encodeURIComponent(liveFaults)}/v4` }
  const http = Layer.effect(HttpClient.HttpClient, Effect.map(HttpClient.HttpClient, disturbed)).pipe(
    Layer.provideMerge(NodeClient.layerHttp(options))
  )
  return Layer.provideMerge(
    NodeLive.layerNoDeps({ ...live, silence: "10 seconds" }),
    Layer.provide(Client.layer(options), http)
  )
}

/** What is left open, of all kinds or of these; looks for ten seconds, for sockets and fibers take a moment to end. */
const whatIsLeft = (before: Vitals.Open, kinds?: Array<string>) =>
  // Counted rather than timed: a time limit would be a timer and a fiber more.
  Effect.repeat(
    Effect.map(Vitals.open, (after) => Vitals.left(before, after, kinds)),
    { until: (left) => left.length === 0, times: 100 }
  )

/** Lines of figures of a run at most. */
const lines = 40

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`

/** Lets the readers work for so long, and until they have read something, and prints figures meanwhile. */
const work = Effect.fnUntraced(function* (duration: Duration.Duration) {
  const seen: Loops.Seen = { records: 0 }
  const samples: Array<Vitals.Sample> = []
  const before = yield* Vitals.open
  const begun = yield* Clock.currentTimeMillis
  const sample = Effect.gen(function* () {
    const at = (yield* Clock.currentTimeMillis) - begun
    const { heap, rss } = yield* Vitals.memory
    samples.push({ at, heap, rss })
    const { sent } = yield* Client.quota
    const { fibers, sockets } = yield* Vitals.open
    const figures = [`${seen.records} records, ${sent} requests`, `RSS ${megabytes(rss)}, objects ${megabytes(heap)}`]
    yield* Console.log(
      `${(at / 1_000).toFixed(0)} s: ${[...figures, `${sockets} sockets, ${fibers} fibers`].join("; ")}`
    )
    return at >= Duration.toMillis(duration) && seen.records > 1_000
  })
  const every = Duration.max(Duration.divideUnsafe(duration, lines), Duration.millis(200))
  const watched = Effect.repeat(Effect.delay(sample, every), { until: (isEnough) => isEnough })
  const exit = yield* Effect.exit(Effect.raceFirst(Loops.run(seen), watched))
  // Sockets stay open for the next request.
  const left = yield* whatIsLeft(before, ["fibers"])
  return { samples, problems: [...(Exit.isFailure(exit) ? [Cause.pretty(exit.cause)] : []), ...left] }
})

const flags = {
  minutes: Flag.Finite("minutes").pipe(
    Flag.withSchema(Schema.Finite.check(Schema.isBetween({ minimum: 0.02, maximum: 10_000 }))),
    Flag.withDescription("How long the readers work; memory is judged from 1.5 minutes on"),
    Flag.withDefault(3)
  ),
  service: Flag.String("service").pipe(Flag.withDescription("A built stand-in in place of its source"), Flag.optional)
}

const command = Command.make(
  "soak",
  flags,
  Effect.fnUntraced(
    function* ({ minutes, service }) {
      const root = yield* Server.start([...Server.sandbox(Option.getOrUndefined(service)), "--speed", "120"])
      const problems: Array<string> = []
      // Such as too many listeners.
      process.on("warning", ({ message, name }) => problems.push(`${name}: ${message}`))
      const before = yield* Vitals.open
      const worked = yield* Effect.provide(work(Duration.minutes(minutes)), client(root))
      problems.push(...worked.problems, ...(yield* whatIsLeft(before)))
      const growth = Vitals.growth(worked.samples)
      for (const { text } of growth) yield* Console.log(text)
      problems.push(...growth.flatMap(({ isTooMuch, text }) => (isTooMuch ? [text] : [])))
      for (const problem of problems) yield* Console.log(`MISSED  ${problem}`)
      if (problems.length > 0) return yield* new Tool.Found()
      yield* Console.log("Stable: nothing is left open, and nothing has failed.")
    },
    Effect.scoped,
    Vitals.counted
  )
).pipe(Command.withDescription("Runs a service-like program under faults and says whether it stays stable"))

Tool.main(command)
