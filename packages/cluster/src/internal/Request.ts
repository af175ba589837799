/** A backfill as data: what a worker on another machine needs to do its share. It does not contain the key. */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Dataset from "@sluice/datasets/Dataset"
import type * as Format from "@sluice/files/Format"
import type * as SharedDataset from "@sluice/datasets/SharedDataset"
import type * as SharedFolder from "@sluice/files/SharedFolder"
import * as SharedTable from "@sluice/datasets/SharedTable"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { createHash } from "node:crypto"

/**
 * The version of what a request means: into which parts it is split, and how workers share them. A change of either needs
 * another; a request that does not say which is older than all of them.
 */
export const version = 1

/** Schema of {@link Request}. */
export const Request = Schema.Struct({
  /** The version of what the rest means. A worker that knows another leaves the backfill to others. */
  version: Schema.optionalKey(Schema.Int),
  /** URL of the service, without a key. */
  root: Schema.String,
  /** Path of the endpoint. */
  endpoint: Schema.String,
  /** The whole request. */
  params: Schema.JsonObject,
  /** `by`, `size` (`all` for as many as fit) and `every` (milliseconds, or a period such as `1 month`), each if given. */
  split: Schema.JsonObject,
  /** How the files are written; absent where there are none. */
  format: Schema.optionalKey(Schema.JsonObject),
  /** The folder, by the path that it has on every worker; absent where records go into a table. */
  folder: Schema.optionalKey(Schema.String),
  /** How the folder's files are cut, where it is that of a dataset. */
  dataset: Schema.optionalKey(
    Schema.Struct({
      layout: Schema.Struct({ byEntity: Schema.Boolean, period: Schema.NullOr(Dataset.Period), rows: Schema.Int }),
      /** Milliseconds. */
      lookBack: Schema.Finite,
      onRemoved: Schema.Literals(["keep", "remove"])
    })
  ),
  /** The table, where records go into one. */
  into: Schema.optionalKey(
    Schema.Struct({
      /** The server and the database, without user and password, such as `db.example:5432/prices`. */
      database: Schema.String,
      schema: Schema.String,
      table: Schema.String,
      numbers: Schema.Literals(["double", "decimal", "text"]),
      statusColumns: Schema.Boolean
    })
  )
})
/** A backfill as data. */
export type Request = typeof Request.Type

/** Builds the request of a job that was prepared for this folder, or for a table. */
export const make = (identity: Schema.JsonObject, folder?: string): Request =>
  // Type boundary: the identity of a shared folder or table has these members; the schema checks it again.
  decode({ version, ...identity, ...(folder === undefined ? {} : { folder }) })

const decode = Schema.decodeUnknownSync(Request)

/**
 * The ID of a backfill: two jobs that write the same into one folder or table are one backfill, whichever version submits
 * them, since the lock of the folder or table names it.
 */
export const idOf = (request: Request): string =>
  createHash("sha256")
    .update(JSON.stringify(sorted(Struct.omit(request, ["version"]))))
    .digest("hex")
    .slice(0, 16)

const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .toSorted(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, inner]) => [key, sorted(inner)])
        )
      : value

/** The job of a request, for an endpoint of this program. */
export const jobOf = (request: Request, endpoint: Endpoint.Any): SharedFolder.Job => ({
  endpoint,
  params: request.params,
  ...fileOptions(request),
  to: request.folder ?? ""
})

/** The job of a request for the folder of a dataset. */
export const datasetJobOf = (
  request: Request,
  { onRemoved, layout, lookBack }: NonNullable<Request["dataset"]>,
  endpoint: Endpoint.Any
): SharedDataset.Job => ({
  endpoint,
  params: request.params,
  into: {
    folder: request.folder ?? "",
    layout: { ...layout, period: layout.period ?? "none" },
    format: fileOptions(request).format,
    lookBack,
    onRemoved
  }
})

/** The job of a request for a table, which is in the database of a URL. */
export const tableJobOf = (
  request: Request,
  into: NonNullable<Request["into"]>,
  endpoint: Endpoint.Any,
  url: Redacted.Redacted,
  connections: number
): SharedTable.Job => ({
  endpoint,
  params: request.params,
  split: fileOptions(request).split,
  into: { ...Struct.omit(into, ["database"]), url, connections }
})

/**
 * Type boundary: how to split and how to write came from another program as JSON. `Bulk.split` and `Format.encode` check them
 * before anything is read.
 */
const fileOptions = ({ format, split }: Request): Pick<SharedFolder.Job, "split" | "format"> => ({
  split: splitOf(split),
  format: format as { readonly as: Format.Name }
})

/** Where its records go, as messages name it. */
export const placeOf = ({ folder = "", into }: Request): string =>
  into === undefined ? folder : `${SharedTable.nameOf(into)} of ${into.database}`

const splitOf = ({ size, ...split }: Schema.JsonObject): object => ({
  ...split,
  ...(size === undefined ? {} : { size: size === "all" ? Infinity : size })
})
