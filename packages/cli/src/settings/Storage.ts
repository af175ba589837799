/**
 * The object storage of folders such as `s3://bucket/closes`, from the environment. It is loaded with the first of them.
 */
import { FileFailed } from "@sluice/files/internal/storage/FileError"
import { Objects } from "@sluice/files/internal/storage/Objects"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"

const load = Effect.gen(function* () {
  const { layerConfig } = yield* Effect.promise(() => import("@sluice/files/ObjectStorage"))
  const context = yield* Layer.build(layerConfig())
  const storage = Context.get(context, Objects)
  return storage === undefined ? yield* Effect.die(new Error("there is no storage in its layer")) : storage
})

/** Provides it to whatever reads and writes folders. */
export const layer = Layer.effect(
  Objects,
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const loaded = yield* Effect.cached(Effect.provideService(load, Scope.Scope, scope))
    const of = <A, R>(path: string, use: (objects: Objects) => Effect.Effect<A, FileFailed, R>) =>
      Effect.flatMap(
        Effect.mapError(loaded, (error) => {
          const reason =
            error._tag === "Misconfigured"
              ? `${error.setting === "endpoint" ? "AWS_ENDPOINT_URL" : error.setting} ${error.reason}`
              : "the environment lacks AWS_ACCESS_KEY_ID or AWS_SECRET_ACCESS_KEY"
          return new FileFailed({ operation: "open", path, reason })
        }),
        use
      )
    const objects: Objects = {
      head: (path) => of(path, ({ head }) => head(path)),
      get: (path, range) => of(path, ({ get }) => get(path, range)),
      put: (path, bytes, how) => of(path, ({ put }) => put(path, bytes, how)),
      copy: (from, to) => of(to, ({ copy }) => copy(from, to)),
      remove: (path) => of(path, ({ remove }) => remove(path)),
      list: (path) => of(path, ({ list }) => list(path)),
      upload: (path) => of(path, ({ upload }) => upload(path))
    }
    return objects
  })
)
