/**
 * A backfill that several workers do, over the engine of a cluster: they come, leave and die, and a user pauses it, cancels it and
 * begins it again, also while a worker stands still as it takes the folder. When it has ended, its folder is free, and has what it says.
 */
import { Backfill, Worker } from "@sluice/cluster"
import { BackfillStore } from "@sluice/cluster/BackfillStore"
import { Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Clock, Effect, Exit, Fiber, Layer, Option, Stream } from "effect"
import {
  ClusterWorkflowEngine,
  MessageStorage,
  RunnerAddress,
  RunnerHealth,
  Runners,
  RunnerStorage,
  type ShardId,
  Sharding,
  ShardingConfig,
  Snowflake
} from "effect/cluster"
import { WebCrypto } from "effect/crypto/WebCrypto"
import { createHash } from "node:crypto"
import * as MemoryStore from "../../../cluster/src/internal/MemoryStore.ts"
import * as Auditor from "./Auditor.ts"
import * as Disk from "../../../files/test/storage/Disk.ts"
import * as Process from "./Process.ts"
import * as Reading from "./Reading.ts"

const job = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth"], metrics: ["PriceUSD"], start_time: "2024-01-01", end_time: "2024-03-31" },
  split: { by: "assets", every: "1 month" },
  format: { as: "ndjson" }
} as const

const parts = 6

// A digest by promise would take its time outside of the run.
const crypto = {
  subtle: { digest: (_: string, data: Uint8Array) => createHash("sha256").update(data).digest() }
}

const keyOf = ({ host, port }: RunnerAddress.RunnerAddress) => `${host}:${port}`

/** For how many milliseconds a runner is believed that has told nothing of itself. */
const believedFor = 35_000

/** The runners of a cluster, and which of them has which shard, as PostgreSQL has it: who dies loses its shards, and later its name. */
const makeRunners = Effect.fnUntraced(function* (isAlive: (address: RunnerAddress.RunnerAddress) => boolean) {
  const memory = yield* RunnerStorage.makeMemory
  const seen = new Map<string, number>()
  const holders = new Map<string, RunnerAddress.RunnerAddress>()
  const tells = (address: RunnerAddress.RunnerAddress) =>
    Effect.map(Clock.currentTimeMillis, (now) => void seen.set(keyOf(address), now))
  const held = (address: RunnerAddress.RunnerAddress, shards: Iterable<ShardId.ShardId>) =>
    [...shards].filter((shard) => {
      const holder = holders.get(String(shard))
      return holder !== undefined && keyOf(holder) === keyOf(address)
    })
  return RunnerStorage.RunnerStorage.of({
    ...memory,
    getRunners: Effect.zipWith(memory.getRunners, Clock.currentTimeMillis, (runners, now) =>
      runners.filter(([{ address }]) => now - seen.get(keyOf(address))! < believedFor)
    ),
    register: (runner, healthy) => Effect.andThen(tells(runner.address), memory.register(runner, healthy)),
    acquire: (address, shards) =>
      Effect.sync(() => {
        const all = [...shards]
        for (const shard of all) {
          const holder = holders.get(String(shard))
          if (holder === undefined || !isAlive(holder)) holders.set(String(shard), address)
        }
        return held(address, all)
      }),
    refresh: (address, shards) => Effect.map(tells(address), () => held(address, shards)),
    release: (address, shard) =>
      Effect.sync(() => {
        if (held(address, [shard]).length > 0) holders.delete(String(shard))
      }),
    releaseAll: (address) =>
      Effect.sync(() => {
        for (const [shard, holder] of holders) if (keyOf(holder) === keyOf(address)) holders.delete(shard)
      })
  })
})

/** A service each of whose members a process uses only while it lives, each time after a wait; what it does has its own clock. */
const while_ = <S extends object>({ alive, outside }: Process.Process, wait: Effect.Effect<void>, service: S): S => {
  const guarded = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.andThen(
      Effect.andThen(wait, alive),
      Effect.tap(outside(self), () => alive)
    )
  const members = Object.entries(service).map(([name, member]): readonly [string, unknown] => {
    if (Effect.isEffect(member)) return [name, guarded(member)]
    if (typeof member !== "function") return [name, member]
    const call = (...given: ReadonlyArray<unknown>): unknown => {
      const result: unknown = Reflect.apply(member, service, given)
      return Effect.isEffect(result) ? guarded(result) : result
    }
    return [name, call]
  })
  // Type boundary: the same members, of the same types.
  return Object.fromEntries(members) as S
}

/** What processes of a cluster share. */
const makeCluster = Effect.gen(function* () {
  const disk = Disk.make(Simulation.below, (yield* Simulation.below(2)) === 1)
  const runners = yield* makeRunners(({ port }) => disk.living.has(port))
  const { encoded } = yield* Effect.provide(
    MessageStorage.MemoryDriver,
    Layer.provide(MessageStorage.MemoryDriver.layer, ShardingConfig.layer())
  )
  const store = { ...MemoryStore.make(), isShared: true }
  /** Whether workers see in time what the user wants: none of them has a slow disk or stands still. */
  const isPrompt = (yield* Simulation.below(2)) === 1
  const processes: Array<Process.Process> = []
  /** The engine as a process sees it, which works where it has an address. It may stand still while it begins the backfill. */
  const engine = (process: Process.Process, number: number, isWorker: boolean, stops?: "before" | "after") => {
    processes.push(process)
    const change: typeof store.change = (...given) => {
      const changed = store.change(...given)
      if (given[3].parts === undefined || stops === undefined) return changed
      return stops === "before" ? Effect.andThen(process.standStill, changed) : Effect.tap(changed, () => process.stop)
    }
    const settings = ShardingConfig.layer({
      runnerAddress: isWorker ? Option.some(RunnerAddress.make("worker", number)) : Option.none(),
      shardsPerGroup: 4,
      runnerHealthCheckInterval: "10 seconds",
      entityMessagePollInterval: isPrompt ? "200 millis" : "2 seconds",
      entityTerminationTimeout: "5 seconds"
    })
    // A database takes its time, in which whoever writes a message begins to wait for its reply.
    const soon = Effect.sleep("1 millis")
    const messages = Layer.effect(
      MessageStorage.MessageStorage,
      MessageStorage.makeEncoded(while_(process, soon, encoded))
    )
    return ClusterWorkflowEngine.layer.pipe(
      Layer.provide(Sharding.layer),
      Layer.provide(Runners.layerNoop),
      Layer.provideMerge(Layer.provide(messages, Snowflake.layerGenerator)),
      Layer.provide([
        Layer.succeed(RunnerStorage.RunnerStorage, while_(process, Effect.void, runners)),
        Layer.succeed(RunnerHealth.RunnerHealth, {
          isAlive: ({ port }) => Effect.sync(() => disk.living.has(port))
        }),
        settings
      ]),
      Layer.provideMerge(
        Layer.succeed(BackfillStore, while_(process, process.isSlow ? Simulation.delay : soon, { ...store, change }))
      )
    )
  }
  return {
    disk,
    engine,
    isPrompt,
    requests: () => processes.reduce((sum, process) => sum + process.requests(), 0)
  }
})

type Cluster = Effect.Success<typeof makeCluster>

/** Lets a worker work for a time, or to the end of the run. */
const work = Effect.fnUntraced(function* ({ disk, engine, isPrompt }: Cluster, number: number, isLast: boolean) {
  const process = yield* Process.make(disk, number, { machine: `machine ${number}`, isFast: isPrompt })
  const worker = Worker.layer({ endpoints: [Timeseries.assetMetrics], concurrency: 2, name: `w${number}` })
  const stops = isPrompt ? undefined : ([undefined, "before", "after", "after"] as const)[yield* Simulation.below(4)]
  const life = Layer.launch(Layer.provide(worker, engine(process, number, true, stops)))
  const way = isLast ? 0 : yield* Simulation.below(4)
  if (way === 3) yield* process.strikeAnywhere()
  const fiber = yield* Effect.forkDetach(process.run(life))
  if (isLast) return fiber
  yield* Process.someTime
  if (way === 1) yield* Effect.forkDetach(Fiber.interrupt(fiber))
  if (way === 2) yield* process.kill
  return fiber
})

const ended = (id: string) => Stream.runLast(Backfill.watch(id, "100 millis")).pipe(Effect.flatMap(Effect.fromOption))

/** Seconds that a user waits: mostly none, or those in which workers hear of the backfill and take its folder. */
const pauses = [0, 1, 2, 3, 0.05, 0.4, 10, 60] as const

/** Seconds after which a user submits: before there are workers, or when they know which of them has what. */
const comes = [0, 0, 15, 60] as const

/** Waits until a worker has begun it, for a minute at most. */
const begun = (id: string) =>
  Backfill.watch(id, "20 millis").pipe(
    Stream.takeUntil(({ parts }) => parts !== null),
    Stream.runDrain,
    Effect.timeoutOption("1 minute"),
    Effect.catchTag("UnknownBackfill", () => Effect.void)
  )

type Refusal = Backfill.WrongState | Backfill.UnknownBackfill

/** What a user does now and then, mostly the first. What the backfill is not in a state for is refused. */
const actions: ReadonlyArray<
  (id: string, to: string) => Effect.Effect<void, Refusal | Backfill.SubmitError, Backfill.SubmitNeeds>
> = [
  Backfill.cancel,
  Backfill.retry,
  Backfill.retry,
  Backfill.forget,
  (_, to) => Effect.asVoid(Backfill.submit({ ...job, to })),
  Backfill.pause,
  Backfill.resume
]

const refused = { WrongState: () => Effect.void, UnknownBackfill: () => Effect.void }

/** What the folder has, its bookkeeping included. */
const contentOf = (disk: Disk.Disk) => [...disk.files()].map(([path, bytes]) => `${path} ${Buffer.from(bytes)}`).join()

/** Does a backfill, and tries afterwards whether its folder is free. */
export const make = Effect.map(Reading.truthOf(Timeseries.assetMetrics(job.params)), (truth) =>
  Effect.gen(function* () {
    const cluster = yield* makeCluster
    const { disk, engine } = cluster
    const user = yield* Process.make(disk, 100, { machine: "desk", isFast: cluster.isPrompt })
    /** A worker with a slow disk, or one that stands still, may still let the folder go. */
    const letsGo = Effect.sleep(cluster.isPrompt ? "10 seconds" : disk.isBucket ? "20 minutes" : "2 minutes")
    /** What has ended has nothing under way, and for some seconds nothing of it changes. */
    const rests = Effect.fnUntraced(function* ({ state }: { readonly state: string }) {
      const content = contentOf(disk)
      const requests = state === "cancelled" && cluster.isPrompt ? cluster.requests() : 0
      yield* Auditor.released({ "requests under way at its end": requests })
      yield* Effect.sleep("5 seconds")
      const moves = contentOf(disk) !== content && cluster.isPrompt
      yield* Auditor.released({ "changes after its end": moves ? 1 : 0 })
    })
    const workers = yield* Effect.forkChild(Effect.forEach([1, 2, 3], (number) => work(cluster, number, number === 3)))
    /** Waits until a worker asks the service, for a minute at most. */
    const asked = Effect.sleep("50 millis").pipe(
      Effect.repeat({ until: () => cluster.requests() > 0 }),
      Effect.timeoutOption("1 minute")
    )
    const life = Effect.gen(function* () {
      yield* Effect.sleep(`${comes[yield* Simulation.below(comes.length)]!} seconds`)
      const id = yield* Backfill.submit({ ...job, to: disk.folder })
      const cancels = yield* Simulation.below(4)
      if (cancels > 0) {
        if (cancels === 1) yield* begun(id)
        // At once, as whoever has begun it still takes the folder, or later.
        const pause = cancels === 1 ? (yield* Simulation.below(2)) * pauses.length : pauses.length
        yield* Effect.sleep(`${pauses[yield* Simulation.below(pause)] ?? 0} seconds`)
        if (cancels === 2) yield* asked
        yield* Effect.catchTags(Backfill.cancel(id), refused)
        // The next may be asked for before that has ended.
        const patience = (yield* Simulation.below(2)) === 1 ? "2 minutes" : 0
        const ending = yield* Effect.timeoutOption(Effect.option(ended(id)), patience)
        const end = Option.getOrUndefined(Option.flatten(ending))
        if (end !== undefined) yield* rests(end)
        if (end?.state === "cancelled") {
          yield* letsGo
          yield* Auditor.released({ "locks of what was cancelled": disk.locks().length })
        }
        if (end?.generation === 1 && end.parts === null) {
          yield* Effect.sleep(`${[0, 40][yield* Simulation.below(2)]!} seconds`)
          yield* Auditor.released({ "files of what was never begun": disk.files().size })
        }
      }
      const last = yield* Simulation.below(7)
      for (let count = 0; count < last; count++) {
        yield* Effect.sleep(`${pauses[yield* Simulation.below(pauses.length)]!} seconds`)
        const action = actions[yield* Simulation.below(actions.length)]!
        yield* Effect.catchTags(action(id, disk.folder), refused)
      }
      yield* Fiber.await(workers)
      // Told once more, as who asked first may have been too early; what paused itself waits for it.
      yield* Effect.catchTags(Backfill.resume(id), refused)
      // A retry reads what is gone.
      if ((yield* Simulation.below(2)) === 1) {
        yield* Effect.timeoutOption(Effect.ignore(ended(id)), "1 hour")
        yield* disk.damage(".ndjson", "removed")
        yield* Effect.catchTags(Backfill.retry(id), refused)
      }
      const { done, state } = yield* ended(id).pipe(
        Effect.timeoutOrElse({ duration: "1 hour", orElse: () => Backfill.status(id) }),
        Effect.catchTag("UnknownBackfill", () => Effect.succeed({ done: 0, state: "forgotten" }))
      )
      yield* rests({ state })
      if (state === "finished") {
        yield* Auditor.released({ "parts that are not done": parts - done })
        yield* Auditor.same(Disk.recordsOf(disk), truth)
      } else yield* Auditor.released({ [`state ${state}`]: ["cancelled", "forgotten"].includes(state) ? 0 : 1 })
    })
    const exit = yield* Effect.exit(user.run(Effect.provide(life, engine(user, 100, false), { local: true })))
    if (Exit.isFailure(exit)) return yield* exit
    yield* letsGo
    yield* (yield* Process.make(disk, 200, { machine: "other" })).run(
      Stream.runDrain(Download.run({ ...job, to: disk.folder }))
    )
    yield* Auditor.same(Disk.recordsOf(disk), truth)
  }).pipe(
    // Type boundary: of the interface the digest alone is used.
    Effect.provideService(WebCrypto, crypto as unknown as Crypto),
    Effect.provide(Sandbox.layerMemory()),
    Effect.scoped
  )
)
