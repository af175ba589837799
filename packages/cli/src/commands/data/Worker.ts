/**
 * `sluice worker`: a process that does its share of the backfills of a cluster.
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
import * as Connection from "../../settings/Connection.ts"
import { Screen } from "../../terminal/Screen.ts"
import type { WorkerInput } from "../flags/BackfillFlags.ts"
import * as FirstRequest from "../doctor/FirstRequest.ts"
import * as BackfillMonitor from "./BackfillMonitor.ts"
import * as Monitor from "./Monitor.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

/** Works until it is stopped. */
export const run = Effect.fnUntraced(function* (input: WorkerInput) {
  const { say } = yield* Screen
  const url = yield* ClusterUrl.get(input.cluster)
  const cluster = Cluster.layerWorker({
    url,
    secret: yield* ClusterUrl.secret,
    host: input.host,
    port: input.port
  })
  const database = input.into === undefined ? url : yield* PlaceFlags.ofWorker(input.into)
  const variable = yield* Config.option(Config.NonEmptyString("SLUICE_WORKER_NAME"))
  const name = (input.name || Option.getOrUndefined(variable)) ?? (yield* Worker.defaultName)
  const options = { endpoints: all, concurrency: input.concurrency, database, name, keep: input.keep }
  const monitor = yield* BackfillMonitor.make(name)
  yield* Monitor.serve(input.listen, monitor.health)
  const working = Effect.andThen(
    say(`Working for the cluster as ${harmless(name)}. Ctrl-C ends it, and others take over.\n`),
    // Nobody reads what it would look for.
    input.listen === undefined ? Worker.run(options) : Effect.raceFirst(Worker.run(options), monitor.follow)
  )
  return yield* FirstRequest.check.pipe(
    Effect.andThen(Effect.provide(working, cluster)),
    Effect.provide(Connection.layer),
    // Nobody watches: its messages are a log.
    Effect.provideService(References.MinimumLogLevel, "Info")
  )
}, Effect.scoped)
