/**
 * Several processes with one key and one quota, some of which die: the service must never refuse one of their requests.
 */
import { Account, Client, type Quota, QuotaStore, ReferenceData, SharedQuota } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Deferred, Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http"
import * as MemoryJournal from "../../../core/test/quota/MemoryJournal.ts"
import * as Auditor from "./Auditor.ts"

/** Faults that leave the count of a request known. */
const faults = ["reset", "status=503", "stall", "slow=300", "reset-after=#"]

/** Long after the others have ended or died, none of their requests is taken to be under way. */
const released = Effect.gen(function* () {
  yield* Effect.sleep("10 minutes")
  yield* Stream.runDrain(ReferenceData.assets({ assets: "btc" }))
  yield* Effect.sleep("2 minutes")
  const { inFlight, waiting } = yield* Client.quota
  yield* Auditor.released({ inFlight, waiting })
})

/** One process: its way to the service and to the store ends when it dies, as nothing of it goes on. */
const makeProcess = Effect.fnUntraced(function* (journal: QuotaStore.Journal) {
  const sandbox = yield* Sandbox.Sandbox
  const own = yield* HttpClient.HttpClient
  let isDead = false
  const alive = Effect.suspend(() => (isDead ? Effect.never : Effect.void))
  const while_ = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    Effect.andThen(
      alive,
      Effect.tap(effect, () => alive)
    )
  const http = HttpClient.transform(Simulation.disturb(own, { faults }), while_)
  const store = QuotaStore.over({
    place: journal.place,
    append: (next) => while_(journal.append(next)),
    wake: (processes) => while_(journal.wake(processes)),
    awaitWake: (process) => while_(journal.awaitWake(process))
  })
  const quota: Layer.Layer<Quota.Quota, unknown> = Layer.provide(
    SharedQuota.layer(),
    Layer.succeed(QuotaStore.QuotaStore, store)
  )
  const client = Client.layerNoDeps().pipe(
    Layer.provide([
      Account.layer({ root: sandbox.url, apiKey: Redacted.make("sandbox-trial") }),
      quota,
      Layer.succeed(HttpClient.HttpClient, http)
    ])
  )
  const read = Effect.forEach(
    Array.from({ length: 15 }),
    () => Stream.runCollect(ReferenceData.assets({ assets: "btc" })),
    { concurrency: 6, discard: true }
  )
  return {
    run: (afterwards: Effect.Effect<void, unknown, Client.Client>) =>
      Effect.provide(Effect.andThen(read, afterwards), client, { local: true }),
    die: Effect.sync(() => {
      isDead = true
    })
  }
})

/** A window of ten requests in six seconds, and three processes. */
export const make = Effect.succeed(
  Effect.gen(function* () {
    const journal = MemoryJournal.make(Simulation.delay)
    const processes = yield* Effect.forEach([1, 2, 3], () => makeProcess(journal))
    const haveEnded = yield* Deferred.make<void>()
    const last = yield* Effect.forkChild(processes[0]!.run(Effect.andThen(Deferred.await(haveEnded), released)))
    const fibers = yield* Effect.forEach(processes.slice(1), ({ run }) => Effect.forkChild(run(Effect.void)))
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
  }).pipe(Effect.provide(Sandbox.layerMemory()))
)
