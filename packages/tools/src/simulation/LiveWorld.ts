/** A service whose live connections break and whose HTTP side lags, and a reader of one of its streams. */
import { Client, LiveClient } from "@sluice/core"
import { Dialect, Sandbox, Simulation } from "@sluice/sandbox"
import { type DateTime, Duration, Effect, Fiber, Layer, Stream } from "effect"

export const one = <const A>(choices: readonly [A, ...ReadonlyArray<A>]): Effect.Effect<A> =>
  Effect.map(Simulation.below(choices.length), (chosen) => choices[chosen]!)

/** The words of a question about the service, one of them. */
export const word = <const Name extends Dialect.Name>(name: Name) => {
  // Type boundary: the words of a question are those of its dialect.
  const words = Dialect.questions[name].words as unknown as readonly [Dialect.Dialect[Name]]
  return one(words)
}

/** Faults of connections; `#` stands for a number of frames. Of each one or two connections have it, which leave time for it. */
const faults = [
  "live-drop=#",
  "live-close=#",
  "live-silence=#",
  "live-stall=#",
  "live-garbage=#",
  "live-time=#",
  "live-status=503",
  "live-reset",
  "live-never",
  "live-slow=9000",
  "live-repeat=#",
  "live-again=#",
  "live-warning=#",
  "live-binary=#",
  "live-number",
  "live-extra"
] as const

/** Draws when connections have a fault: one or two of them, or only one. */
export const drawFault = Effect.fnUntraced(function* (fault: string, most = 2) {
  if (fault === "") return ""
  const frames = 1 + (yield* Simulation.below(30))
  const after = yield* Simulation.below(4)
  return `${fault.replace("#", `${frames}`)};after=${after};times=${1 + (yield* Simulation.below(most))}`
})

/** Draws up to three faults of connections. */
export const drawFaults = Effect.gen(function* () {
  const drawn = new Set<string>()
  for (let count = yield* Simulation.below(4); count > 0; count--) drawn.add(yield* one(faults))
  return (yield* Effect.forEach(drawn, (fault) => drawFault(fault))).join(",")
})

interface Options {
  readonly faults: string
  readonly dialect?: Partial<Dialect.Dialect>
  readonly from: DateTime.DateTime.Input
  /** How late live records come, in seconds, at most. */
  readonly jitter?: number
  /** How many blocks a chain leaves at once, at most. */
  readonly forks?: number
}

export const layer = ({ dialect = {}, faults, forks = 1, from, jitter = 0 }: Options) => {
  const live = { from, forks, jitter: `${jitter} seconds`, httpJitter: "4 seconds" } as const
  const root = Effect.map(Sandbox.Sandbox, ({ streamFaultUrl, streamUrl }) =>
    faults === "" ? streamUrl : streamFaultUrl(faults)
  )
  const client = Layer.unwrap(Effect.map(root, (root) => LiveClient.layer({ root })))
  return Layer.provideMerge(client, Simulation.layerClient(Client.layer, { live, dialect }))
}

/**
 * Reads a stream while connections break and HTTP lags, and then for five minutes in peace, where a slow reader does not pause any
 * more. The truth is what was published until these began.
 */
export const read = Effect.fnUntraced(function* <M, E, R>(
  stream: Stream.Stream<M, E, R>,
  {
    pause = Effect.void,
    quiet = Duration.zero,
    seconds
  }: {
    /** For how many seconds connections break. */
    readonly seconds: number
    /** How long none does before. */
    readonly quiet?: Duration.Input
    /** How long the reader takes for a message meanwhile. */
    readonly pause?: Effect.Effect<void> | undefined
  }
) {
  const { live } = yield* Sandbox.Sandbox
  const messages: Array<M> = []
  let isCalm = false
  const take = (message: M) => {
    messages.push(message)
    return isCalm ? Effect.void : pause
  }
  const fiber = yield* Effect.forkChild(Stream.runForEach(stream, (message) => Effect.suspend(() => take(message))))
  yield* Effect.sleep(quiet)
  for (let left = seconds; left > 0;) {
    const next = yield* one([60, 1, 7, 20, 45])
    left -= next
    yield* Effect.sleep(`${next} seconds`)
    if ((yield* Simulation.below(4)) === 1)
      yield* live.setHttpLag(yield* one(["2 seconds", "20 seconds", "30 minutes"]))
    const way = yield* Simulation.below(3)
    if (way > 0) yield* live.end(way === 1 ? "drop" : "restart")
  }
  yield* live.setHttpLag("2 seconds")
  const until = yield* live.now
  isCalm = true
  yield* Effect.sleep("5 minutes")
  const ended = fiber.pollUnsafe()
  if (ended !== undefined) yield* ended
  yield* Fiber.interrupt(fiber)
  return { messages, until }
})
