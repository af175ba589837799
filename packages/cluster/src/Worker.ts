/**
 * A worker: a process that does its share of every backfill of its cluster, for as long as it lives. Workers join and leave at
 * any time; what one had under way when it was killed, others take over.
 */
import type { Misconfigured } from "@sluice/core/ApiError"
import type * as Client from "@sluice/core/Client"
import * as Endpoint from "@sluice/core/Endpoint"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Settings from "@sluice/node/internal/options/Settings"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import type * as Path from "effect/Path"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import type { BackfillStore, BackfillStoreFailed } from "./BackfillStore.ts"
import * as Parts from "./internal/Parts.ts"
import * as Retention from "./internal/Retention.ts"
import * as Workflows from "./internal/Workflows.ts"
import { hostname } from "node:os"

/** Settings of {@link layer}. */
export interface Options {
  /** The endpoints that this worker can read, such as those of `@sluice/core/Endpoints`. */
  readonly endpoints: ReadonlyArray<Endpoint.Info>
  /** Parts that it reads at the same time. Default 10, as many as the service runs requests for one key. */
  readonly concurrency?: number | undefined
  /**
   * What status and logs call this worker. Default: the name of the machine and the number of the process, such as
   * `db1/4711`. Two workers should not have the same.
   */
  readonly name?: string | undefined
  /**
   * The PostgreSQL in which the tables of backfills are, as `postgres://user:password@host/database`. A backfill into a table of
   * another one it leaves to other workers. Absent, it does backfills into folders alone.
   */
  readonly database?: Redacted.Redacted | undefined
  /**
   * For how long the cluster keeps what it knows of a backfill that has ended. Then this worker forgets it, as `Backfill.forget` does.
   * Default 30 days; Infinity keeps all.
   */
  readonly keep?: Duration.Input | undefined
}

const isEndpoints = (value: unknown): value is ReadonlyArray<Endpoint.Info> =>
  Array.isArray(value) && value.every(Endpoint.isEndpoint)

const check = Settings.checker(
  Shape.of<Options>()({
    endpoints: Schema.declare(isEndpoints, {
      expected: "a list of endpoints of many records, such as [Timeseries.assetMetrics]"
    }),
    concurrency: Schema.optional(Kinds.count),
    name: Schema.optional(Kinds.text),
    database: Schema.optional(Kinds.redacted),
    keep: Schema.optional(Kinds.length)
  })
)

/** What a worker needs: a cluster, a client with the key from its own environment, and files. */
export type Needs = BackfillStore | Client.Client | FileSystem.FileSystem | Path.Path | WorkflowEngine.WorkflowEngine

/** The name of a worker that is given none. */
export const defaultName: Effect.Effect<string> = Effect.sync(() => `${hostname()}/${process.pid}`)

const partsOf = (options: Options) =>
  Layer.effect(
    Parts.Parts,
    Effect.gen(function* () {
      yield* check(options)
      const { concurrency = 10, database, endpoints, keep = "30 days", name } = options
      const parts = yield* Parts.make({
        // Type boundary: an endpoint whose parameters have types of its own is no `Endpoint.Any`. A request brings its
        // parameters as data, and `Bulk.split` checks them.
        endpoints: endpoints as ReadonlyArray<Endpoint.Any>,
        concurrency: Math.floor(concurrency),
        database,
        worker: name ?? (yield* defaultName)
      })
      yield* Effect.forkScoped(Retention.forgetting(parts.persistently, Duration.fromInputUnsafe(keep)))
      return parts
    })
  )

/**
 * Makes this process a worker until the scope closes.
 *
 * **Details**
 *
 * The folder of a backfill must have the same path on every worker. The files are written through the `FileSystem` of the
 * context, so a worker on another kind of storage provides its own.
 *
 * A backfill that was submitted with another root or database, for an endpoint that this worker does not know, or by
 * another version, it leaves to other workers: it says so once in the log, and `Backfill.status` names it and what is
 * different.
 *
 * Where the service does not accept its key, or it cannot write into the folder, it leaves the backfill to others for a
 * minute. Where no other worker is left that can do it, the backfill pauses and says why, as with all that the next
 * part would meet too; parts that fail on their own are noted, and the others are read.
 *
 * Fails with `Misconfigured` where an option is unknown or has none of its values.
 *
 * **Gotchas**
 *
 * Where PostgreSQL refuses what a worker notes, for lack of a right, say, no backfill can tell of it: the worker logs
 * an error once a minute, and goes on when that is mended. {@link run} ends instead.
 */
export const layer = (options: Options): Layer.Layer<never, Misconfigured, Needs> =>
  Layer.provide(Workflows.layer, partsOf(options))

/** Works as {@link layer} does, for a process that does nothing else. Fails when the store of backfills refuses something. */
export const run = (options: Options): Effect.Effect<never, BackfillStoreFailed | Misconfigured, Needs> =>
  Effect.flatMap(Parts.Parts, ({ refused }) => refused).pipe(
    Effect.provide(Layer.provideMerge(Workflows.layer, partsOf(options)))
  )
