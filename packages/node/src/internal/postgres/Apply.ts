/**
 * One change of a dataset in PostgreSQL.
 *
 * Records are copied to a staging table of the connection as they come, outside of a transaction, so that none waits for the
 * network. One transaction then makes the table hold them and keeps the cursors with them.
 */
import type { ApiError } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Semaphore from "effect/Semaphore"
import * as Stream from "effect/Stream"
import * as Bookkeeping from "../database/Bookkeeping.ts"
import type { Table } from "../database/Table.ts"
import type { StoreFailed, StoreInUse, UnexpectedRecord } from "../dataset/DatasetError.ts"
import type { Applied, Change, Span } from "../dataset/Store.ts"
import type { Unwritable } from "../format/FormatError.ts"
import * as EpochNanos from "../format/EpochNanos.ts"
import * as CopyText from "./CopyText.ts"
import type { Session } from "./Session.ts"
import * as Statements from "./Statements.ts"

/** Characters of rows that are sent at once. */
const mostText = 1 << 20

/** A connection that writes, and the statements whose staging table it has. */
export interface Writer {
  readonly session: Session
  staged: Statements.Statements | undefined
}

/** What is kept beside the records of a change, in its transaction. */
export interface Bookkeeper {
  /** Fails where this process may not change the table any more. */
  readonly fence: (session: Session) => Effect.Effect<void, StoreFailed | StoreInUse>
  /** Keeps what happened to entities, and how many records the change has. */
  readonly keep: (
    session: Session,
    changes: ReadonlyArray<Bookkeeping.EntityChange>,
    records: number
  ) => Effect.Effect<unknown, StoreFailed>
  readonly forget: (session: Session, entities: ReadonlyArray<string>) => Effect.Effect<void, StoreFailed>
  /** Sees the rows that are copied, before they are. */
  readonly see?: ((rows: Uint8Array) => void) | undefined
}

/** What a change needs. */
export interface Options {
  readonly writer: Writer
  readonly table: Table
  readonly statements: Statements.Statements
  readonly bookkeeping: Bookkeeper
  /** Lets one change at a time take effect. */
  readonly inTurn: Semaphore.Semaphore
}

/** Applies a change, all or nothing. */
export const apply = Effect.fnUntraced(function* (
  options: Options,
  change: Change
): Effect.fn.Return<Applied, ApiError | UnexpectedRecord | StoreFailed | StoreInUse | Unwritable> {
  const { bookkeeping, inTurn, statements, writer } = options
  const { session } = writer
  yield* clearStage(writer, statements)
  const records = yield* stage(options, change)
  return yield* inTurn.withPermit(
    Effect.gen(function* () {
      const cursors = yield* change.cursors
      return yield* session.transaction(
        Effect.gen(function* () {
          yield* bookkeeping.fence(session)
          const spans = JSON.stringify(change.spans.map(boundsOf()))
          const removed = Bookkeeping.countsOf(yield* session.run("remove records", statements.remove, spans))
          const added = Bookkeeping.countsOf(yield* session.run("add records", statements.upsert))
          yield* bookkeeping.keep(session, Bookkeeping.changesOf(cursors, added, removed), records)
          if (change.forget.length > 0) yield* bookkeeping.forget(session, change.forget)
          // Staged rows that are not new have replaced others, unless all of a span were removed first.
          const same = records - Bookkeeping.sum(added)
          return { records, replaced: Bookkeeping.sum(removed) + same, written: [], deleted: [] }
        })
      )
    })
  )
})

/** Makes a staging table without rows. */
const clearStage = Effect.fnUntraced(function* (writer: Writer, statements: Statements.Statements) {
  const { session, staged } = writer
  if (staged === statements) return yield* session.run("clear the staging table", Statements.clearStage)
  writer.staged = undefined
  yield* session.run("remove the staging table", Statements.unstage)
  const made = yield* session.run("create a staging table", statements.stage)
  writer.staged = statements
  return made
})

/** Copies the records of a change to the staging table. Gives their number. */
const stage = Effect.fnUntraced(function* (options: Options, { records }: Change) {
  const { session } = options.writer
  const write = CopyText.make(options.table)
  let count = 0
  let text = ""
  const send = Effect.suspend(() => {
    const rows = Buffer.from(text)
    text = ""
    options.bookkeeping.see?.(rows)
    return session.copy("copy records", options.statements.copy, rows)
  })
  yield* Stream.runForEachArray(records, (some): Effect.Effect<void, StoreFailed | Unwritable> => {
    // An array may be valid only until the next is pulled, so its text is made at once.
    const lines = write(some)
    if (Result.isFailure(lines)) return Effect.fail(lines.failure)
    count += some.length
    text += lines.success
    return text.length < mostText ? Effect.void : send
  })
  if (text !== "") yield* send
  return count
})

/** A span as statements have it: bounds in whole microseconds, whether they are a microsecond later, and in nanoseconds. */
const boundsOf = () => {
  const read = EpochNanos.makeReader()
  const nanos = (time: string | undefined) => (time === undefined ? undefined : read(time)?.toString())
  return ({ entity, from, to }: Span) => ({
    entity,
    lo: from === undefined ? "-infinity" : microseconds(from),
    hi: to === undefined ? "infinity" : microseconds(to),
    lo_up: isBetween(from) ? 1 : 0,
    hi_up: isBetween(to) ? 1 : 0,
    lo_ns: nanos(from) ?? String(-(2n ** 63n)),
    hi_ns: nanos(to) ?? String(2n ** 63n - 1n)
  })
}

const fraction = /\.\d{9}Z$/

/** Without the digits that PostgreSQL would round. */
const microseconds = (time: string) => (fraction.test(time) ? `${time.slice(0, 26)}Z` : time)

/** Whether a time is between two microseconds. */
const isBetween = (time: string | undefined) => time !== undefined && fraction.test(time) && !time.endsWith("000Z")
