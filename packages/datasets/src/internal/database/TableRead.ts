/**
 * Reads records of a table back, in the order of the series: page by page by their times, in one transaction that sees one moment.
 */
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Queue from "effect/Queue"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { identifier } from "@sluice/files/internal/format/Ddl"
import type { StoreError } from "../model/DatasetError.ts"
import * as Moment from "../model/Moment.ts"
import type { HeldRange, HeldRecords, Time } from "../model/Store.ts"
import type { Dialect } from "./Dialect.ts"
import type { Row, Session } from "./Session.ts"
import * as Table from "./Table.ts"

/** Rows of a page. */
const pageSize = 10_000

/** Nanoseconds of 64 bits: from 1678 to 2261. No table has other times. */
const [earliest, latest] = [-9_200_000_000_000_000_000n, 9_200_000_000_000_000_000n]

const nanosOf = (time: Time): string => {
  const nanos = Moment.nanosOf(time) ?? earliest
  return String(nanos < earliest ? earliest : nanos > latest ? latest : nanos)
}

/** Makes of the text of a value what the service would have sent, with the digits that the column keeps. */
const valueOf = ({ kind, type }: Table.TableColumn): ((text: string) => unknown) => {
  switch (kind) {
    case "decimal":
    case "integer":
      // A database writes doubles in its own way.
      return type._tag === "Double" ? (text) => String(Number(text)) : (text) => text
    case "number":
      return Number
    case "boolean":
      return (text) => text === "true"
    case "json":
      return (text) => JSON.parse(text)
    case "text":
    case "timestamp":
      return (text) => text
  }
}

/** What is read of a table. */
interface Source {
  readonly dialect: Dialect
  readonly place: Table.TableAddress
  readonly table: Table.Table
}

/** The columns of a range, and the statement of a page: of `$1` an entity, from `$2` on and before `$3`, in nanoseconds. */
const statementOf = ({ dialect, place, table }: Source, { others }: HeldRange) => {
  const left = new Set(others)
  const columns = table.columns.filter(({ name }) => !left.has(name.replace(/-status(?:-time)?$/, "")))
  const texts = columns.map((column) => {
    const name = identifier(column.name)
    const text =
      column.name === table.time
        ? dialect.timeText(table.isGrid)
        : column.type._tag === "Time"
          ? dialect.timeText(true, column.name)
          : `${name}::text`
    return `${text} AS ${name}`
  })
  const key = (table.key ?? []).filter((name) => name !== table.entity && name !== table.time).map(identifier)
  const order = [...dialect.timeOrder(table.isGrid), ...key].join(", ")
  return {
    columns,
    sql: (limit: number) =>
      `SELECT ${texts.join(", ")} FROM ${Table.nameOf(place)} t
      WHERE ${identifier(table.entity)} = $1 AND ${dialect.timeWithin(table.isGrid, "$2", "$3")} ORDER BY ${order} LIMIT ${limit}`
  }
}

/** The records of a range. */
export const records = (
  source: Source,
  range: HeldRange,
  open: Effect.Effect<Session | undefined, StoreError, Scope.Scope>
): HeldRecords => {
  const { columns, sql } = statementOf(source, range)
  const readers = columns.map((column) => [column.name, valueOf(column)] as const)
  const recordOf = (row: Row): unknown => {
    const record: Record<string, unknown> = {}
    for (const [name, read] of readers) {
      const text = row[name]
      if (Predicate.isString(text)) record[name] = read(text)
    }
    return record
  }
  // A record of the others alone has none of the metrics that are asked for.
  const isAsked = (row: Row) =>
    range.others.length === 0 || range.metrics.some((name) => !Predicate.isNullish(row[name]))
  return Stream.callback<unknown, StoreError>(
    (queue) => {
      const ofEntity = Effect.fnUntraced(function* (session: Session, entity: string) {
        let from = range.from === undefined ? String(earliest) : nanosOf(range.from)
        const to = range.to === undefined ? String(latest) : nanosOf(range.to)
        let limit = pageSize
        while (true) {
          const rows = yield* session.run("read records", sql(limit), entity, from, to)
          const last = rows.at(-1)?.[source.table.time]
          const isWhole = rows.length < limit
          // Those of the last time may go on behind the page.
          const page = isWhole ? rows : rows.filter((row) => row[source.table.time] !== last)
          yield* Queue.offerAll(queue, page.filter(isAsked).map(recordOf))
          if (isWhole) return
          if (page.length === 0) limit *= 2
          else from = nanosOf(String(last))
        }
      })
      const all = Effect.flatMap(open, (session) =>
        session === undefined
          ? Effect.void
          : session.snapshot(Effect.forEach(range.entities, (entity) => ofEntity(session, entity), { discard: true }))
      )
      return Effect.matchCauseEffect(all, {
        onFailure: (cause) => Queue.failCause(queue, cause),
        onSuccess: () => Queue.end(queue)
      })
    },
    { bufferSize: pageSize, strategy: "suspend" }
  )
}
