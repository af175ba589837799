/**
 * Datasets in tables of PostgreSQL, whose connections break and whose server restarts; beside the processes of the days another one
 * tries to sync the same table now and then.
 */
import { Simulation } from "@sluice/sandbox"
import { Effect, Redacted } from "effect"
import * as PostgresStore from "../../../datasets/src/internal/postgres/PostgresStore.ts"
import * as Days from "./Days.ts"
import type { Fields } from "./Kept.ts"
import * as Postgres from "./Postgres.ts"

const table = "kept"

// Nothing connects to it.
const url = Redacted.make("postgres://sluice@127.0.0.1/sluice")

/** How long a server may believe that a process is there which was killed, in milliseconds. */
const believed = [0, 1_000, 60_000]

const place = Effect.gen(function* () {
  const server = yield* Postgres.make
  const numbers = (["double", "text"] as const)[yield* Simulation.below(2)]!
  // As a table with many more records has: a change ends within a reply.
  const most = 1 + (yield* Simulation.below(20))
  const exists = server.read(`SELECT FROM pg_class WHERE relname = '${table}'`)
  const rows = server.read(
    `SELECT row_to_json(t)::text AS record, to_char(t.time, 'YYYY-MM-DD"T"HH24:MI:SS.US') || '000Z' AS time, t.xmin::text AS state FROM ${table} t ORDER BY 1`
  )
  const all = Effect.flatMap(exists, (found) => (found.length === 0 ? Effect.succeed([]) : rows))
  const made: Days.Place = {
    job: (process) => ({
      to: {
        ...PostgresStore.over({ url, table, numbers, connections: 3 }, (name) => server.connect(process, name)),
        cut: { byEntity: true, period: undefined, rows: most }
      }
    }),
    isExact: false,
    isByDay: false,
    read: Effect.map(all, (rows) => rows.map(({ record, time }): Fields => ({ ...JSON.parse(record ?? "{}"), time }))),
    state: Effect.map(all, (rows) => JSON.stringify(rows)),
    leave: Effect.fnUntraced(function* (process) {
      const notice = Effect.delay(server.notice(process), believed[yield* Simulation.below(3)]!)
      yield* Effect.forkDetach(notice)
    }),
    disturb: Effect.succeed(false),
    leaveAlone: server.leaveAlone
  }
  return made
})

/** Datasets in tables. The engine is started before the first run. */
export const make = Effect.as(
  Postgres.engine,
  Days.make(() => place)
)
