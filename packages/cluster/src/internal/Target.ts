/**
 * Where the records of a backfill go, a folder, the folder of a dataset or a table, as one worker sees it; or what
 * keeps this worker from it.
 */
import type { ApiError } from "@sluice/core/ApiError"
import * as Client from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import type { CheckFailed } from "@sluice/files/Download"
import * as SharedDataset from "@sluice/datasets/SharedDataset"
import * as SharedFolder from "@sluice/files/SharedFolder"
import * as SharedTable from "@sluice/datasets/SharedTable"
import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { type Backfill, Unable } from "../BackfillStore.ts"
import * as Request from "./Request.ts"

/** This worker cannot do its share of a backfill, though others may. */
export class Unfit extends Schema.TaggedError<Unfit>()("Unfit", Unable.fields) {
  override get message() {
    return this.reason
  }
}

/** What a worker can do. */
export interface Options {
  readonly endpoints: ReadonlyArray<Endpoint.Any>
  readonly concurrency: number
  readonly worker: string
  /** Where tables are. */
  readonly database: Redacted.Redacted | undefined
  /** The folders of this process, where no other takes part. */
  readonly own?: SharedFolder.OwnFolders | undefined
}

/** A folder, the folder of a dataset, or a table. */
export interface Target {
  readonly identity: Schema.JsonObject
  readonly parts: number
  readonly fileOf: (part: number) => string
  readonly begin: Effect.Effect<
    SharedFolder.Found,
    CheckFailed | SharedTable.TableOccupied | TargetError,
    Client.Client
  >
  readonly find: (part: number) => Effect.Effect<SharedFolder.DonePart | undefined, TargetError>
  readonly read: (
    part: number
  ) => Effect.Effect<SharedFolder.DonePart, SharedFolder.PartError | SharedTable.PartError, Client.Client>
  /** What is left to do when all parts were tried. */
  readonly finish?: Effect.Effect<void, SharedDataset.PartError | TargetError, Client.Client>
  readonly end: Effect.Effect<void, TargetError>
}

type TargetError = Exclude<SharedFolder.PartError | SharedTable.PartError, ApiError>

const unfit = ({ worker }: Options, setting: Unfit["setting"], what: string) =>
  new Unfit({ worker, setting, reason: `the worker ${worker} ${what}` })

/** Another version may have written this backfill. */
export const unreadable = (reason: string, options: Options): Unfit =>
  unfit(options, "version", `cannot take part: ${reason}`)

const make = Effect.fnUntraced(function* (
  request: Request.Request,
  endpoint: Endpoint.Any,
  group: string,
  options: Options
) {
  const { concurrency, database, own } = options
  const { dataset, into } = request
  if (dataset !== undefined) {
    return yield* SharedDataset.make(Request.datasetJobOf(request, dataset, endpoint), group, own)
  }
  if (into === undefined) {
    const folder = yield* SharedFolder.make(Request.jobOf(request, endpoint), group, own)
    // Without the disk that the others share, its end would release nothing, without a word.
    return { ...folder, finish: folder.check }
  }
  const mine = database === undefined ? undefined : SharedTable.databaseOf(database)
  if (database === undefined || mine !== into.database) {
    return yield* unfit(options, "database", `writes tables into ${mine ?? "no database"}, not into ${into.database}`)
  }
  return yield* SharedTable.make(Request.tableJobOf(request, into, endpoint, database, concurrency), group)
})

/** The target of a backfill. Sends nothing and touches nothing. */
export const open = Effect.fnUntraced(function* ({ id, request }: Pick<Backfill, "id" | "request">, options: Options) {
  const { account } = yield* Client.Client
  const { url } = account.root
  const { version = 0 } = request
  if (version !== Request.version) {
    const what =
      version > Request.version
        ? "a newer version of Sluice has submitted it"
        : "an older version of Sluice has submitted it; cancel it and submit it again to go on with this one"
    return yield* unfit(options, "version", `cannot take part: ${what}`)
  }
  if (url !== request.root) return yield* unfit(options, "root", `reads from ${url}, not from ${request.root}`)
  const endpoint = options.endpoints.find(({ path }) => path === request.endpoint)
  if (endpoint === undefined) return yield* unfit(options, "endpoint", `does not know the endpoint ${request.endpoint}`)
  const target: Target = yield* make(request, endpoint, `backfill ${id}`, options).pipe(
    Effect.mapError((error) =>
      error instanceof Unfit ? error : unfit(options, "version", `cannot read it: ${account.scrub(error.message)}`)
    )
  )
  if (Request.idOf(Request.make(target.identity, request.folder)) !== id) {
    return yield* unfit(options, "version", "has another version of Sluice")
  }
  return target
})
