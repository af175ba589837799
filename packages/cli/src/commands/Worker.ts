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
import type * as Redacted from "effect/Redacted"
import * as ClusterUrl from "../settings/ClusterUrl.ts"
import * as Connection from "../settings/Connection.ts"
import { Screen } from "../terminal/Screen.ts"
import * as FirstRequest from "./FirstRequest.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

/** Flags of `worker`. */
export interface WorkerInput {
  readonly cluster: Option.Option<Redacted.Redacted>
  readonly into: Option.Option<string>
  readonly name: Option.Option<string>
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
    secret: yield* ClusterUrl.secret,
    host: Option.getOrUndefined(input.host),
    port: Option.getOrUndefined(input.port)
  })
  const database = Option.isSome(input.into) ? yield* PlaceFlags.ofWorker(input.into.value) : url
  const variable = yield* Config.option(Config.NonEmptyString("SLUICE_WORKER_NAME"))
  const given = Option.filter(input.name, (name) => name !== "").pipe(Option.orElse(() => variable))
  const name = Option.isSome(given) ? given.value : yield* Worker.defaultName
  const options = { endpoints: all, concurrency: Option.getOrUndefined(input.concurrency), database, name }
  const working = Effect.andThen(
    say(`Working for the cluster as ${harmless(name)}. Ctrl-C ends it, and others take over.\n`),
    Worker.run(options)
  )
  return yield* FirstRequest.check.pipe(
    Effect.andThen(Effect.provide(working, cluster)),
    Effect.provide(Connection.layer)
  )
})
