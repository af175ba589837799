/**
 * `sluice worker`: a process that does its share of the backfills of a cluster.
 */
import * as Cluster from "@sluice/cluster/Cluster"
import * as Worker from "@sluice/cluster/Worker"
import { all } from "@sluice/core/Endpoints"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Redacted from "effect/Redacted"
import * as ClusterUrl from "../settings/ClusterUrl.ts"
import * as Connection from "../settings/Connection.ts"
import { Screen } from "../terminal/Screen.ts"
import * as Place from "./Place.ts"

/** Flags of `worker`. */
export interface WorkerInput {
  readonly cluster: Option.Option<Redacted.Redacted>
  readonly into: Option.Option<string>
  readonly host: Option.Option<string>
  readonly port: Option.Option<number>
  readonly concurrency: Option.Option<number>
}

/** Works until it is stopped. */
export const run = Effect.fnUntraced(function* (input: WorkerInput) {
  const { say } = yield* Screen
  const url = yield* ClusterUrl.get(input.cluster)
  const cluster = Cluster.layerWorker({
    url,
    host: Option.getOrUndefined(input.host),
    port: Option.getOrUndefined(input.port)
  })
  const database = Option.isSome(input.into) ? yield* Place.postgres(input.into.value, "worker") : url
  const options = { endpoints: all, concurrency: Option.getOrUndefined(input.concurrency), database }
  return yield* say("Working for the cluster. Ctrl-C ends it, and others take over.\n").pipe(
    Effect.andThen(Worker.run(options)),
    Effect.provide(Layer.merge(cluster, Connection.layer))
  )
})
