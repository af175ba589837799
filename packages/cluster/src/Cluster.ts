/** Where backfills run: in this process alone, or in a cluster of processes around a PostgreSQL. */
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import * as PgClient from "@effect/sql-pg/PgClient"
import * as ClusterWorkflowEngine from "effect/cluster/ClusterWorkflowEngine"
import * as RunnerAddress from "effect/cluster/RunnerAddress"
import * as ShardingConfig from "effect/cluster/ShardingConfig"
import * as SqlMessageStorage from "effect/cluster/SqlMessageStorage"
import * as SqlRunnerStorage from "effect/cluster/SqlRunnerStorage"
import type { Misconfigured } from "@sluice/core/ApiError"
import { harmless } from "@sluice/core/PlainText"
import * as Kinds from "@sluice/node/internal/options/Kinds"
import * as Settings from "@sluice/node/internal/options/Settings"
import * as Shape from "@sluice/node/internal/options/Shape"
import type { ConfigError } from "effect/Config"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import * as Schema from "effect/Schema"
import type { SocketServerError } from "effect/socket/SocketServer"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlErrorReason } from "effect/sql/SqlError"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import { hostname } from "node:os"
import { createServer } from "node:net"
import type { BackfillStore, BackfillStoreFailed } from "./BackfillStore.ts"
import * as MemoryStore from "./internal/MemoryStore.ts"
import * as SqlFailure from "./internal/SqlFailure.ts"
import * as SqlStore from "./internal/SqlStore.ts"
import * as Transport from "./internal/Transport.ts"

/** What a place for backfills offers. */
export type Services = BackfillStore | WorkflowEngine.WorkflowEngine

/**
 * This process alone, without PostgreSQL: the workflow engine is in memory. After a kill, the same job run again continues
 * from the bookkeeping in its folder.
 */
export const layerMemory: Layer.Layer<Services> = Layer.merge(MemoryStore.layer, WorkflowEngine.layerMemory)

/** The cluster cannot be joined. */
export class ClusterUnavailable extends Schema.TaggedError<ClusterUnavailable>()("ClusterUnavailable", {
  /**
   * What is wrong. `unreachable`: no PostgreSQL answers there. `login`: it does not accept the user or the password.
   * `noDatabase`: it has no database of this name. `refused`: it refuses something else, such as one more connection.
   */
  kind: Schema.Literals(["unreachable", "login", "noDatabase", "refused"]),
  /**
   * The SQLSTATE of PostgreSQL, such as `28P01`, or the code of the system, such as `ECONNREFUSED`; absent where there
   * is none.
   */
  code: Schema.optional(Schema.String),
  reason: Schema.String
}) {
  override get message() {
    return `cannot join the cluster: ${this.reason}`
  }
}

/** Everything that may go wrong while joining. */
export type JoinError = ClusterUnavailable | BackfillStoreFailed | ConfigError | Misconfigured | SocketServerError

/** Where the cluster is. */
export interface Options {
  /** The PostgreSQL around which it is, as `postgres://user:password@host/database`. */
  readonly url: Redacted.Redacted
  /**
   * What all workers of the cluster know, at least 16 characters: connections between them are encrypted with it, and whoever does
   * not know it is refused. Needed by workers that other machines reach, and then by whoever submits to them: without it they learn
   * of work some seconds later, from PostgreSQL.
   */
  readonly secret?: Redacted.Redacted | undefined
}

/** Where a worker is. */
export interface WorkerOptions extends Options {
  /**
   * The name or IP address under which other workers reach this one. Default: the name of this machine. Workers tell each other
   * of work over it; a worker that cannot be reached gets none. At an IP address, and at `localhost`, it listens there alone; with
   * another name, at all addresses of the machine.
   */
  readonly host?: string | undefined
  /** The port on which it listens. Default: a free one. */
  readonly port?: number | undefined
}

/** The shortest secret: as many characters as nobody tries all of. */
const shortest = 16

const client = {
  url: Kinds.redacted,
  secret: Schema.optional(
    Kinds.redacted.check(
      Schema.makeFilter((secret) => Redacted.value(secret).length >= shortest, {
        expected: `a Redacted of at least ${shortest} characters: Redacted.make(text)`
      })
    )
  )
}

const checkClient = Settings.checker(Shape.of<Options>()(client))

const checkWorker = Settings.checker(
  Shape.of<WorkerOptions>()({ ...client, host: Schema.optional(Kinds.text), port: Schema.optional(Kinds.whole) })
)

/** The tables of the engine begin with this, so that another cluster may have the same database. */
const prefix = "sluice"

/** How soon the work of a worker that was killed goes to others, against how often the database is asked. */
const sharding: Partial<ShardingConfig.ShardingConfig["Service"]> = {
  runnerHealthCheckInterval: "10 seconds",
  entityMessagePollInterval: "2 seconds",
  entityTerminationTimeout: "5 seconds"
}

/** A pool of connections, of which the first is tried: nothing else says so well why there is none. */
const database = ({ url }: Options) =>
  Layer.effectDiscard(Effect.flatMap(SqlClient.SqlClient, (sql) => sql`SELECT 1`)).pipe(
    Layer.provideMerge(PgClient.layer({ url, applicationName: "sluice", maxConnections: 5 })),
    Layer.catchTag("SqlError", ({ reason }) => Layer.effectContext(Effect.fail(unavailable(reason))))
  )

const unavailable = (reason: SqlErrorReason) => {
  const code = codeOf(reason)
  return new ClusterUnavailable({
    kind: kindOf(reason, code),
    ...(code === undefined ? {} : { code }),
    reason: harmless(`PostgreSQL: ${textOf(reason)}`)
  })
}

const kindOf = ({ _tag }: SqlErrorReason, code = ""): ClusterUnavailable["kind"] => {
  if (code === "3D000") return "noDatabase"
  if (code.startsWith("28") || _tag === "AuthenticationError") return "login"
  // Codes of the system begin with an E, and no SQLSTATE does.
  const isOfServer = /^(?!E)[\dA-Z]{5}$/.test(code)
  return isOfServer || _tag !== "ConnectionError" ? "refused" : "unreachable"
}

/**
 * The error of the server or the network. A name with several addresses fails with an error for each, and a text that
 * is empty.
 */
const firstOf = ({ cause }: SqlErrorReason): unknown => (cause instanceof AggregateError ? cause.errors[0] : cause)

const codeOf = (reason: SqlErrorReason): string | undefined => {
  const first = firstOf(reason)
  return Predicate.hasProperty(first, "code") && Predicate.isString(first.code) ? first.code : undefined
}

/** What the server or the network said, such as that there is no such database; the client's own message does not. */
const textOf = (reason: SqlErrorReason): string => {
  const { _tag, message } = reason
  const first = firstOf(reason)
  if (Predicate.isError(first) && first.message !== "") return first.message
  return message === "" ? _tag : `${_tag}: ${message}`
}

/** The tables of the engine, which dies of some errors of PostgreSQL. */
const engineStorage = Layer.merge(
  SqlMessageStorage.layerWith({ prefix }).pipe(Layer.provide(NodeCrypto.layerDigest)),
  SqlRunnerStorage.layerWith({ prefix })
).pipe(
  Layer.orDie,
  Layer.catchCause((cause) => {
    const error = SqlFailure.behind(Cause.squash(cause))
    return Layer.effectContext(error === undefined ? Effect.failCause(cause) : Effect.fail(unavailable(error.reason)))
  })
)

/** The tables of the engine, and ours. */
const storage = (config: Partial<ShardingConfig.ShardingConfig["Service"]>) =>
  Layer.merge(engineStorage, SqlStore.layer).pipe(Layer.provide(ShardingConfig.layer(config)))

/**
 * Joins a cluster as a worker, until the scope closes. `Worker.layer` says what it can do.
 *
 * **Details**
 *
 * The database has to exist. Makes its tables where they are missing: those of the engine, `sluice_messages`,
 * `sluice_replies`, `sluice_runners` and `sluice_locks` with the records of their migrations, and `sluice_backfills`,
 * `sluice_backfills_forgotten`, `sluice_backfill_parts` and `sluice_backfill_workers`. All of a backfill is in there
 * but its data and the key.
 *
 * A worker that is killed loses its connections to PostgreSQL, and with them its work: others have it some seconds later.
 *
 * Fails with `Misconfigured` where other machines could reach it and it has no secret to ask them for.
 */
export const layerWorker = (options: WorkerOptions): Layer.Layer<Services | SqlClient.SqlClient, JoinError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* checkWorker(options)
      const { host = hostname(), secret } = options
      yield* Transport.check(host, secret)
      const port = options.port ?? (yield* freePort)
      const listen = RunnerAddress.make(Transport.listensAt(host), port)
      const config = {
        ...sharding,
        runnerAddress: Option.some(RunnerAddress.make(host, port)),
        runnerListenAddress: Option.some(listen)
      }
      const level = yield* References.MinimumLogLevel
      return ClusterWorkflowEngine.layer.pipe(
        Layer.provide(Transport.layerWorker(config, listen, secret)),
        // The engine tells at "Info" where it listens, which no user asked.
        Layer.provide(Layer.succeed(References.MinimumLogLevel, level === "Info" ? "Warn" : level)),
        Layer.provideMerge(storage(config)),
        Layer.provideMerge(database(options))
      )
    })
  )

/** Joins a cluster without doing any of its work: to submit backfills, to watch and to control them. */
export const layerClient = (options: Options): Layer.Layer<Services | SqlClient.SqlClient, JoinError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      yield* checkClient(options)
      const config = { ...sharding, runnerAddress: Option.none() }
      return ClusterWorkflowEngine.layer.pipe(
        Layer.provide(Transport.layerClient(config, options.secret)),
        Layer.provideMerge(storage(config)),
        Layer.provideMerge(database(options))
      )
    })
  )

/** Finds a free port. Somebody else may take it before it is used; then the worker fails to start, and can be started again. */
const freePort: Effect.Effect<number> = Effect.callback<number>((resume) => {
  const server = createServer()
  server.listen(0, () => {
    const address = server.address()
    const port = typeof address === "object" && address !== null ? address.port : 0
    server.close(() => resume(Effect.succeed(port)))
  })
})
