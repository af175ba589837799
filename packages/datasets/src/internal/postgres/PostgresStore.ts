/**
 * A dataset as a table of PostgreSQL.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SqlStore from "../database/SqlStore.ts"
import * as StoreOptions from "../database/StoreOptions.ts"
import type * as Table from "../database/Table.ts"
import { type StoreFailed, StoreInUse } from "../model/DatasetError.ts"
import type { Store } from "../model/Store.ts"
import * as Ddl from "@sluice/files/internal/format/Ddl"
import * as Shape from "@sluice/node/internal/options/Shape"
import * as LoadTables from "./LoadTables.ts"
import * as Lock from "./Lock.ts"
import * as Session from "./Session.ts"
import * as Statements from "./Statements.ts"
import * as TargetOptions from "./TargetOptions.ts"
import * as Writers from "./Writers.ts"

const check = StoreOptions.checker(Shape.of<TargetOptions.Options>()(TargetOptions.fields))

/** Builds the store. Nothing is opened before it is used. */
export const make = (options: TargetOptions.Options): Store => over(options, (name) => Session.open(options, name))

/** Builds the store over connections that `connect` opens, given the name of the table for their errors. */
export const over = (
  options: TargetOptions.Options,
  connect: (name: string) => Effect.Effect<Session.PostgresSession, StoreFailed, Scope.Scope>
): Store => {
  const place: Table.TableAddress = { schema: options.schema ?? "public", table: options.table }
  const name = Ddl.qualified(place)
  const lock = Lock.ofTable(place)
  const session = connect(name)

  return SqlStore.make({
    name,
    place,
    options,
    dialect: Statements.dialect,
    check: check(options),
    connect: Effect.all({ main: session, writer: Writers.make(session, options.connections ?? 4) }),
    look: session,
    // For as long as the connection is open. No backfill may have it.
    take: Effect.fnUntraced(function* (main, kept) {
      yield* Effect.acquireRelease(
        Effect.filterOrFail(Lock.take(main, lock, "connection"), Boolean, () => new StoreInUse({ dataset: name })),
        // A server may notice the end of a connection later than its client.
        () => Lock.leave(main, lock).pipe(Effect.timeout("1 second"), Effect.ignore)
      )
      const load = yield* LoadTables.make(place, name, kept).read(main)
      if (load?.holder !== undefined) return yield* new StoreInUse({ dataset: name, by: load.holder })
    }),
    issues: Effect.fnUntraced(function* (session, { table }) {
      const key = yield* session.run("look for the primary key", Statements.primaryKey, place.schema, place.table)
      const columns = key.map(({ name }) => String(name)).toSorted()
      const expected = Statements.keyOf(table)?.toSorted()
      // It keeps records from being there twice.
      if (expected === undefined || columns.join() === expected.join()) return []
      return [key.length === 0 ? "its primary key was dropped" : "its primary key has other columns"]
    })
  })
}
