/**
 * DuckDB beside the store, as tests look into it and break it.
 */
import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api"
import { Data, Effect, FileSystem } from "effect"

/** The rows of a statement. */
export const query = (file: string, sql: string) =>
  Effect.acquireUseRelease(
    Effect.promise(() => DuckDBInstance.fromCache(file)),
    (instance) =>
      Effect.promise(async () => {
        const connection = await instance.connect()
        const rows = (await connection.runAndReadAll(sql)).getRowObjectsJson()
        connection.closeSync()
        return rows
      }),
    (instance) => Effect.sync(() => instance.closeSync())
  )

/** The name of a file that is removed with the scope. */
export const newFile = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return `${yield* files.makeTempDirectoryScoped()}/data.duckdb`
})

class Broken extends Data.TaggedError("Broken")<{ readonly message: string }> {}

/** Lets statements fail from one on, as if the process had ended there. Gives how many there were. */
export const breakingAt = <A, E, R>(at: number, effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const run = DuckDBConnection.prototype.runAndReadAll
    let count = 0
    DuckDBConnection.prototype.runAndReadAll = function (...args) {
      count++
      return count >= at ? Promise.reject(new Broken({ message: `broken at ${at}` })) : run.apply(this, args)
    }
    return Effect.exit(effect).pipe(
      Effect.map((exit) => ({ exit, count })),
      Effect.ensuring(Effect.sync(() => (DuckDBConnection.prototype.runAndReadAll = run)))
    )
  })
