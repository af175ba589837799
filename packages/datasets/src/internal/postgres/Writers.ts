/**
 * Connections that write, each with its staging table.
 */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Pool from "effect/Pool"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Statements } from "../database/Statements.ts"
import type { Writer } from "../database/Session.ts"
import type { StoreFailed } from "../model/DatasetError.ts"
import type { Unwritable } from "@sluice/core/internal/columns/FormatError"
import * as CopyBinary from "./CopyBinary.ts"
import type { PostgresSession } from "./Session.ts"
import { clearStage, copy } from "./Statements.ts"

/** Opens connections when they are needed, so many at most. One that is lost, or still busy, is not used again. */
export const make = Effect.fnUntraced(function* (
  connect: Effect.Effect<PostgresSession, StoreFailed, Scope.Scope>,
  most: number
) {
  const pool = yield* Pool.makeWithTTL({
    acquire: Effect.map(connect, writerOf),
    min: 0,
    max: most,
    timeToLive: "1 minute"
  })
  return Effect.tap(Pool.get(pool), (writer) =>
    Effect.addFinalizer((exit) => (Exit.isSuccess(exit) ? Effect.void : Pool.invalidate(pool, writer)))
  )
})

const writerOf = (session: PostgresSession): Writer => {
  /** The statements whose staging table the connection has. */
  let staged: Statements | undefined

  /** Makes a staging table without rows. */
  const clear = Effect.fnUntraced(function* (statements: Statements) {
    const make = staged === statements ? [clearStage] : statements.stage
    staged = undefined
    for (const sql of make) yield* session.run("clear the staging table", sql)
    staged = statements
  })

  return {
    ...session,
    stage: Effect.fnUntraced(function* ({ statements, table }, records, see) {
      yield* clear(statements)
      const writer = CopyBinary.make(table)
      const sql = copy(table)
      const send = (rows: Uint8Array) => {
        see?.(rows)
        return session.copy("copy records", sql, rows)
      }
      let count = 0
      yield* Stream.runForEachArray(records, (some): Effect.Effect<void, StoreFailed | Unwritable> => {
        count += some.length
        // An array may be valid only until the next is pulled, so its rows are made at once.
        return Effect.flatMap(Effect.fromResult(writer.add(some)), Effect.forEach(send, { discard: true }))
      })
      yield* Effect.flatMap(Effect.fromResult(writer.end()), Effect.forEach(send, { discard: true }))
      return count
    })
  }
}
