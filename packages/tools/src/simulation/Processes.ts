/** Processes with one key and one quota, some of which die, against a stand-in with the plan of a trial. */
import { Account, Client, type Quota, QuotaStore, ReferenceData, SharedQuota } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Clock, Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http"
import * as MemoryJournal from "../../../core/test/quota/MemoryJournal.ts"
import * as Auditor from "./Auditor.ts"

/** Faults that leave the count of a request known. */
const faults = ["reset", "status=503", "stall", "slow=300", "reset-after=#"]

/** What the processes of a run share. */
export interface World {
  readonly journal: Effect.Effect<QuotaStore.Journal, QuotaStore.QuotaStoreUnavailable>
  /** The way of a process to the service, on which what it does passes through `while_` as long as it lives and is awake. */
  readonly http: (own: HttpClient.HttpClient, while_: While) => HttpClient.HttpClient
  /** Passes when the machine lets the process go on. */
  readonly awake?: Effect.Effect<void>
  readonly options?: SharedQuota.Options
  /** Whether now and then a message to the store arrives when nobody waits for its answer any more, behind the next one. */
  readonly isOvertaken?: boolean
}

type While = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** How long the answer of a store is awaited, as by the store in Redis. */
const patience = 2_000

/** Of a store that is out of reach. */
export const gone = new QuotaStore.QuotaStoreUnavailable({ place: "memory", reason: "it is gone", transient: true })

/** A page of one record. */
export const read = Stream.runCollect(ReferenceData.assets({ assets: "btc" }))

/** One process: its way to the service and to the store ends when it dies, as nothing of it goes on. */
export const make = Effect.fnUntraced(function* (world: World) {
  const { awake = Effect.void, http, isOvertaken = false, journal, options } = world
  const sandbox = yield* Sandbox.Sandbox
  const own = yield* HttpClient.HttpClient
  let isDead = false
  const alive = Effect.suspend(() => (isDead ? Effect.never : awake))
  const while_: While = (effect) =>
    Effect.andThen(
      alive,
      Effect.tap(effect, () => alive)
    )
  const toStore = <A, E>(use: (journal: QuotaStore.Journal) => Effect.Effect<A, E>) =>
    while_(Effect.flatMap(journal, use))
  let isHeldUp = false
  const append = Effect.fnUntraced(function* (next: QuotaStore.Next) {
    yield* Auditor.told(next.entry)
    const appended = toStore((journal) => journal.append(next))
    isHeldUp = isOvertaken && !isHeldUp && (yield* Simulation.below(3)) === 1
    if (isHeldUp) {
      yield* Effect.forkDetach(Effect.delay(appended, patience + 500))
      return yield* Effect.delay(gone, patience)
    }
    const began = yield* Clock.currentTimeMillis
    const found = yield* appended
    // A process that stood still finds its timer first, and the answer after it.
    return (yield* Clock.currentTimeMillis) - began < patience || awake === Effect.void ? found : yield* gone
  })
  const store = QuotaStore.over({
    place: "memory",
    append,
    wake: (processes) => Effect.ignore(toStore((journal) => journal.wake(processes))),
    awaitWake: (process) =>
      Effect.orElseSucceed(
        toStore((journal) => journal.awaitWake(process)),
        () => undefined
      )
  })
  const quota: Layer.Layer<Quota.Quota, unknown> = Layer.provide(
    SharedQuota.layer(options),
    Layer.succeed(QuotaStore.QuotaStore, store)
  )
  const client = Client.layerNoDeps().pipe(
    Layer.provide([
      Account.layer({ root: sandbox.url, apiKey: Redacted.make(Auditor.key) }),
      quota,
      Layer.succeed(HttpClient.HttpClient, http(own, while_))
    ])
  )
  return {
    run: <A, E>(program: Effect.Effect<A, E, Client.Client>) => Effect.provide(program, client, { local: true }),
    die: Effect.sync(() => {
      isDead = true
    })
  }
})

/** The stand-in of the processes. */
export const service = (plan: "trial" | "default") => Sandbox.layerMemory({ keys: { [Auditor.key]: { plan } } })

/** Long after the others have ended or died, none of their requests is taken to be under way. */
const released = Effect.fnUntraced(function* (isOvertaken: boolean) {
  yield* Effect.sleep("10 minutes")
  yield* read
  // Before the lease of the process ends, and with it what it holds.
  yield* Effect.sleep(isOvertaken ? "4 seconds" : "2 minutes")
  const { inFlight, waiting } = yield* Client.quota
  yield* Auditor.released({ inFlight, waiting })
})

/** Three processes that read a little under faults, of which some die: no 429, and nothing held afterwards. */
export const mortal = Effect.gen(function* () {
  const isOvertaken = (yield* Simulation.below(2)) === 1
  const short = Effect.flatMap(Simulation.below(3), (nth) => Effect.sleep([0, 10, 300][nth]!))
  const journal = Effect.succeed(MemoryJournal.make(isOvertaken ? short : Simulation.delay))
  const world: World = {
    journal,
    isOvertaken,
    http: (own, while_) => HttpClient.transform(Simulation.disturb(own, { faults }), while_)
  }
  const processes = yield* Effect.forEach([1, 2, 3], () => make(world))
  const work = Effect.forEach(Array.from({ length: 15 }), () => read, { concurrency: 6, discard: true })
  const haveEnded = yield* Deferred.make<void>()
  const afterwards = Effect.andThen(Deferred.await(haveEnded), released(isOvertaken))
  const last = yield* Effect.forkChild(processes[0]!.run(Effect.andThen(work, afterwards)))
  const fibers = yield* Effect.forEach(processes.slice(1), ({ run }) => Effect.forkChild(run(work)))
  // Those that die hold more permits together than the window has places.
  const killed = yield* Simulation.below(3)
  for (const { die } of processes.slice(1, 1 + killed)) {
    yield* Effect.sleep([1, 50, 2_000, 9_000][yield* Simulation.below(4)]!)
    yield* die
  }
  yield* Effect.forEach(fibers.slice(killed), Fiber.join)
  yield* Deferred.succeed(haveEnded, undefined)
  yield* Fiber.join(last)
  yield* Effect.sleep("2 minutes")
  const { rejected, running } = yield* Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats)
  yield* Auditor.released({ rejected, ...(killed > 0 ? {} : { running }) })
}).pipe(Effect.provide(service("trial")))
