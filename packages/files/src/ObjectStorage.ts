/**
 * Folders of downloads, datasets and backfills in an object storage that speaks S3: of Amazon, or of any other service with
 * conditional writes. Wherever a folder is named, `s3://bucket/folder` is one.
 *
 * **Example** (Downloading into a bucket)
 *
 * ```ts
 * Download.run({ ...job, to: "s3://market-data/closes" }).pipe(
 *   Stream.runDrain,
 *   Effect.provide(ObjectStorage.layerConfig())
 * )
 * ```
 *
 * **Details**
 *
 * A file is there as a whole or not at all, as on a disk. It is sent under another name first and copied to its own within the storage,
 * so a file of a download has 5 GB at most. A process that is killed may leave an upload in parts unfinished, which costs money until
 * a rule of the bucket ends it.
 *
 * The lock of a folder is a lease of a minute. A process that is suspended for longer, also within a request, may find that another has
 * the folder, and does no harm then: what says which files there are is written only where nobody else has written meanwhile
 * (`If-None-Match`, `If-Match`), files that are being written have names that no other process uses, and no name of a file of records
 * that was removed is used again in a dataset.
 *
 * This assumes of the service that a request takes effect at one moment, as a whole or not at all, and no later than a minute after its
 * sender has given it up; that a list, and what is read, has all that took effect before; and that it keeps the two headers. Where it
 * ignores them, lock files alone exclude a second process.
 */
import "@sluice/node/internal/runtime/NodeVersion"
import type { Misconfigured } from "@sluice/core/ApiError"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import type * as HttpClient from "effect/http/HttpClient"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Connections from "@sluice/node/internal/http/Connections"
import { Objects } from "./internal/storage/Objects.ts"
import * as S3 from "./internal/storage/S3.ts"

export type { Options } from "./internal/storage/S3.ts"

/** Provides the storage of all paths that begin with `s3://`, over an `HttpClient` of yours. */
export const layer = (options: S3.Options): Layer.Layer<never, Misconfigured, HttpClient.HttpClient> =>
  Layer.effect(Objects, S3.make(options))

const config = Config.all({
  endpoint: Config.option(
    Config.String("AWS_ENDPOINT_URL_S3").pipe(Config.orElse(() => Config.String("AWS_ENDPOINT_URL")))
  ),
  region: Config.option(Config.String("AWS_REGION").pipe(Config.orElse(() => Config.String("AWS_DEFAULT_REGION")))),
  accessKeyId: Config.String("AWS_ACCESS_KEY_ID"),
  secretAccessKey: Config.Redacted("AWS_SECRET_ACCESS_KEY"),
  sessionToken: Config.option(Config.Redacted("AWS_SESSION_TOKEN"))
})

/**
 * Provides the storage that the environment names: `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`, and where they are set
 * `AWS_SESSION_TOKEN`, `AWS_REGION` (or `AWS_DEFAULT_REGION`) and `AWS_ENDPOINT_URL_S3` (or `AWS_ENDPOINT_URL`). Files of profiles and
 * the credentials of machines are not read. Requests go through the proxies, and trust the certificates, of `NodeClient.layerHttpConfig`.
 */
export const layerConfig = (): Layer.Layer<never, Config.ConfigError | Misconfigured> =>
  Layer.provide(layerOfConfig, Connections.layerConfig(parallel))

/** Connections to the storage: some more than requests to the service run at once. */
const parallel = 32

const layerOfConfig = Layer.unwrap(
  Effect.map(config, ({ endpoint, region, sessionToken, ...keys }) =>
    layer({
      ...keys,
      endpoint: Option.getOrUndefined(endpoint),
      region: Option.getOrUndefined(region),
      sessionToken: Option.getOrUndefined(sessionToken)
    })
  )
)
