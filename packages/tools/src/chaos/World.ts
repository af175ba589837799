/**
 * Runs schedules, in memory on the virtual clock or over real sockets.
 */
import { Client, FastReader, ReferenceData, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { Clock, Effect, Layer, Logger, Metric, Option, Random, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { apiKey } from "./Expected.ts"
import * as Reader from "./Reader.ts"
import type { Schedule } from "./Schedule.ts"

/** What was seen of a schedule. */
export interface Observed {
  readonly streams: ReadonlyArray<Reader.Observed>
  /** Leaked permits, sockets and fibers, excessive time, and logged errors. */
  readonly leaks: ReadonlyArray<string>
  /** Milliseconds until the last stream ended, on the clock it ran on. */
  readonly elapsed: number
}

const optionsOf = ({ client: { retry, root, ...options } }: Schedule, service: Sandbox.Sandbox["Service"]) => ({
  ...options,
  root: root === "paid" ? service.url : service.communityUrl,
  apiKey: root === "paid" ? apiKey : undefined,
  retry: Retry.make({ ...retry, within: "1 day" })
})

const connectionOf = ({ client: { gzip, parallel } }: Schedule) => ({ gzip, parallel })

/** A client of the schedule's own, and the service it reads. */
const layer = (schedule: Schedule): Layer.Layer<Sandbox.Sandbox | Client.Client> => {
  const service: Layer.Layer<Sandbox.Sandbox | HttpClient.HttpClient> =
    schedule.world === "memory"
      ? Layer.merge(Sandbox.layerMemory(schedule.sandbox), FastReader.layer)
      : Layer.orDie(Layer.merge(Sandbox.layer(schedule.sandbox), NodeClient.layerHttp(connectionOf(schedule))))
  const client = Layer.effect(
    Client.Client,
    Effect.gen(function* () {
      const http = Reader.addFaults(yield* HttpClient.HttpClient)
      const sandbox = yield* Sandbox.Sandbox
      return yield* Effect.provideService(Client.make(optionsOf(schedule, sandbox)), HttpClient.HttpClient, http)
    }).pipe(Effect.orDie)
  )
  return Layer.provideMerge(client, service)
}

/** Sends as many requests as may run at once: a client that lost its permits would not end them. */
const readAgain = Effect.fnUntraced(function* ({ client }: Schedule) {
  const request = Stream.runCollect(
    ReferenceData.assets({ assets: "btc" }, { retry: Retry.make({ times: 5, base: 1 }) })
  )
  const replies = yield* Effect.forEach(Array.from({ length: client.parallel }), () => Effect.result(request), {
    concurrency: "unbounded"
  })
  return replies.flatMap((reply) =>
    reply._tag === "Failure" ? [`a request afterwards failed: ${reply.failure.message}`] : []
  )
})

const unreleased = Effect.gen(function* () {
  const { inFlight, waiting } = yield* Client.quota
  const { running } = yield* Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats)
  return Object.entries({ inFlight, waiting, running }).flatMap(([name, count]) =>
    count === 0 ? [] : [`${name} is ${count} after all streams ended`]
  )
})

/** Waits until there are no leaks, and returns those that remain after a timeout. */
const settled = (left: Effect.Effect<ReadonlyArray<string>>): Effect.Effect<ReadonlyArray<string>> =>
  left.pipe(
    Effect.delay("2 millis"),
    Effect.repeat({ until: (left) => left.length === 0 }),
    Effect.timeoutOption("30 seconds"),
    Effect.flatMap(Option.match({ onSome: Effect.succeed, onNone: () => left }))
  )

/** No schedule may take longer, on the clock it runs on. */
const longest = { memory: "1 hour", wire: "90 seconds" } as const

/** Runs a program to its end, or stops it when it takes longer than any schedule may. */
const inTime = <A>(world: Schedule["world"], program: Effect.Effect<A>): Effect.Effect<Option.Option<A>> =>
  world === "wire"
    ? Effect.timeoutOption(program, longest.wire)
    : Effect.gen(function* () {
        // Begins by a sleep, for the clock waits only for the work of fibers it has woken itself.
        const fiber = yield* Effect.forkDetach(Effect.delay(program, 1), { startImmediately: true })
        yield* TestClock.adjust(longest.memory)
        const exit = fiber.pollUnsafe()
        // What hangs may not even let itself be interrupted: it is not waited for.
        if (exit === undefined) fiber.interruptUnsafe()
        return exit === undefined ? Option.none() : Option.some(yield* exit)
      })

/** Reads all streams of a schedule on one client, and checks for leaks. */
const readAll = Effect.fnUntraced(function* (schedule: Schedule, streams: ReadonlyArray<Reader.Observed>) {
  const { world } = schedule
  const services = yield* Effect.context<Client.Client | Sandbox.Sandbox>()
  // A service tells some times since 1970, and none of them is to be near.
  if (world === "memory") yield* TestClock.setTime(Date.UTC(2026, 10, 1))
  const start = yield* Clock.currentTimeMillis
  const all = Effect.forEach(schedule.streams, (reading, index) => Reader.read(reading, streams[index]!), {
    concurrency: "unbounded",
    discard: true
  })
  const end = yield* inTime(world, Effect.provideContext(Effect.andThen(all, Clock.currentTimeMillis), services))
  if (Option.isNone(end)) return { elapsed: 0, leaks: [`still running after ${longest[world]}`] }
  const now = Effect.provideContext(unreleased, services)
  const leaks = yield* world === "wire" ? settled(now) : now
  const after = yield* inTime(world, Effect.provideContext(readAgain(schedule), services))
  return {
    elapsed: end.value - start,
    leaks: [...leaks, ...Option.getOrElse(after, () => ["requests afterwards never ended"])]
  }
})

/** Sockets of this process, at either end. */
const sockets = () => process.getActiveResourcesInfo().filter((name) => name === "TCPSocketWrap").length

/** Runs a schedule. */
export const run = (schedule: Schedule): Effect.Effect<Observed> =>
  Effect.suspend(() => {
    const streams = schedule.streams.map(Reader.empty)
    const before = sockets()
    const errors: Array<string> = []
    let fibers = 0
    const counted: Metric.FiberRuntimeMetricsService = {
      recordFiberStart: () => void fibers++,
      recordFiberEnd: () => void fibers--
    }
    const logger = Logger.make(({ logLevel, message }) => {
      if (logLevel === "Error" || logLevel === "Fatal") errors.push(`logged: ${String(message)}`)
    })
    const program = readAll(schedule, streams).pipe(
      Effect.provide(layer(schedule), { local: true }),
      Effect.provide(Logger.layer([logger])),
      Random.withSeed(schedule.seed),
      Effect.provideService(Metric.FiberRuntimeMetrics, counted)
    )
    const open = Effect.sync(() => [
      ...(fibers === 0 ? [] : [`${fibers} fibers are left`]),
      ...(schedule.world === "memory" || sockets() === before ? [] : [`${sockets() - before} sockets are left`])
    ])
    return Effect.gen(function* () {
      const { elapsed, leaks } = yield* program
      return {
        streams,
        elapsed,
        leaks: [...leaks, ...errors, ...(yield* schedule.world === "wire" ? settled(open) : open)]
      }
    }).pipe(
      schedule.world === "memory"
        ? Effect.provide(TestClock.layer({ warningDelay: "1 minute" }), { local: true })
        : (same) => same
    )
  })
