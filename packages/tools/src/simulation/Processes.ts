/**
 * Several processes with one key and one quota, some of which die: the service must never refuse one of their requests.
 */
import { Account, Client, type Quota, QuotaStore, ReferenceData, SharedQuota } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect, Fiber, Layer, Redacted, Stream } from "effect"
import { HttpClient } from "effect/http"
import * as MemoryJournal from "../../../core/test/quota/MemoryJournal.ts"
import * as Auditor from "./Auditor.ts"

/** Faults that leave the count of a request known. */
const faults = ["reset", "status=503", "stall", "slow=300", "reset-after=#"]

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
    run: Effect.provide(read, client, { local: true }),
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
    const fibers = yield* Effect.forEach(processes, ({ run }) => Effect.forkChild(run))
    // Those that die hold more permits together than the window has places.
    const killed = yield* Simulation.below(3)
    for (const { die } of processes.slice(0, killed)) {
      yield* Effect.sleep([1, 50, 2_000, 9_000][yield* Simulation.below(4)]!)
      yield* die
    }
    yield* Effect.forEach(fibers.slice(killed), Fiber.join)
    yield* Effect.sleep("2 minutes")
    const { rejected, running } = yield* Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats)
    yield* Auditor.released({ rejected, ...(killed > 0 ? {} : { running }) })
  }).pipe(Effect.provide(Sandbox.layerMemory()))
)
