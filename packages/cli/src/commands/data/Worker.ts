/**
 * `sluice worker`: a process that does its share of the backfills of a cluster, and with `--all` keeps datasets up to date.
 */
import * as Cluster from "@sluice/cluster/Cluster"
import * as Worker from "@sluice/cluster/Worker"
import { all } from "@sluice/core/Endpoints"
import { harmless } from "@sluice/core/PlainText"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as References from "effect/References"
import * as ClusterUrl from "../../settings/ClusterUrl.ts"
import * as LiveConnection from "../../settings/LiveConnection.ts"
import { Screen } from "../../terminal/Screen.ts"
import type { WorkerInput } from "../flags/BackfillFlags.ts"
import * as FirstRequest from "../doctor/FirstRequest.ts"
import * as BackfillMonitor from "./BackfillMonitor.ts"
import * as Monitor from "./Monitor.ts"
import * as SyncAll from "./SyncAll.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

export const run = Effect.fnUntraced(function* (input: WorkerInput) {
  const { say } = yield* Screen
  const url = yield* ClusterUrl.get(input.cluster)
  const cluster = Cluster.layerWorker({ url, secret: yield* ClusterUrl.secret, host: input.host, port: input.port })
  const database = input.into === undefined ? url : yield* PlaceFlags.ofWorker(input.into)
  const variable = yield* Config.option(Config.NonEmptyString("SLUICE_WORKER_NAME"))
  const name = (input.name || Option.getOrUndefined(variable)) ?? (yield* Worker.defaultName)
  const options = { endpoints: all, concurrency: input.concurrency, database, name, keep: input.keep }
  const monitor = yield* BackfillMonitor.make(name)
  const kept = input.all === undefined ? undefined : yield* SyncAll.open({ all: input.all, watch: true })
  yield* Monitor.serve(input.listen, kept === undefined ? monitor.health : withDatasets(monitor.health, kept.health))
  // Nobody reads what it would look for.
  const share = input.listen === undefined ? Worker.run(options) : Effect.raceFirst(Worker.run(options), monitor.follow)
  const working = Effect.andThen(
    say(`Working for the cluster as ${harmless(name)}. Ctrl-C ends it, and others take over.\n`),
    kept === undefined ? share : Effect.raceFirst(share, keep(kept))
  )
  return yield* FirstRequest.check.pipe(
    Effect.andThen(Effect.provide(working, cluster)),
    Effect.provide(LiveConnection.layer),
    // Nobody watches: its messages are a log.
    Effect.provideService(References.MinimumLogLevel, "Info")
  )
}, Effect.scoped)

/** Keeps datasets up to date. Those that cannot be kept are told of, and the backfills go on. */
const keep = (kept: Effect.Success<ReturnType<typeof SyncAll.open>>) =>
  SyncAll.keepAll(kept, { watch: true }).pipe(
    Effect.catchTag("DatasetsFailed", () => Effect.void),
    Effect.andThen(Effect.never)
  )

/** A worker is well whatever its datasets do: of several with the same file, one keeps a dataset and the others wait. */
const withDatasets = (ofWorker: Effect.Effect<Monitor.Health>, ofAll: Effect.Effect<Monitor.Health>) =>
  Effect.zipWith(ofWorker, ofAll, ({ isWell, state }, { state: datasets }) => ({
    isWell,
    state: { ...state, ...datasets }
  }))
