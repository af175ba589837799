/** What PostgreSQL did not do, as an error of the store. The engine has no error for it, and dies. */
import { harmless } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import type * as Schema from "effect/Schema"
import { isSqlError, type SqlError } from "effect/sql/SqlError"
import { BackfillStoreFailed } from "../BackfillStore.ts"

/**
 * What PostgreSQL will answer again. Others, such as that it stops, starts or has no connection left, come as `UnknownError`,
 * which SqlError's own `isRetryable` takes as lasting.
 */
const lasting: ReadonlySet<SqlError["reason"]["_tag"]> = new Set([
  "AuthenticationError",
  "AuthorizationError",
  "SqlSyntaxError",
  "UniqueViolation",
  "ConstraintError"
] as const)

/** The reason without the statement, whose parameters have the request. */
const reasonOf = ({ reason }: SqlError): string => harmless(`${reason._tag}: ${reason.message}`)

/** The error of the store for this one, of a row of a backfill where it is named. */
export const failed = (error: SqlError | Schema.SchemaError, backfill?: string): BackfillStoreFailed =>
  isSqlError(error)
    ? new BackfillStoreFailed({ reason: reasonOf(error), transient: !lasting.has(error.reason._tag) })
    : new BackfillStoreFailed({
        reason: `what it has of backfill ${backfill ?? ""} cannot be read: another version of Sluice wrote it, or somebody changed it`,
        transient: false,
        ...(backfill === undefined ? {} : { backfill })
      })

/** How deep the error of PostgreSQL is at most. */
const depth = 5

/** The error of PostgreSQL of which the engine has died; undefined where it died of something else. */
export const behind = (defect: unknown): SqlError | undefined => {
  let found = defect
  for (let level = 0; level < depth; level++) {
    if (isSqlError(found)) return found
    if (!Predicate.hasProperty(found, "cause")) return undefined
    found = found.cause
  }
  return undefined
}

export const asking = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E | BackfillStoreFailed, R> =>
  Effect.catchDefect(self, (defect) => {
    const error = behind(defect)
    return error === undefined ? Effect.die(defect) : Effect.fail(failed(error))
  })
