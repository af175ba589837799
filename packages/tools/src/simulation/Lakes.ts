/** Datasets in folders whose versions a DuckLake catalog has, in a PostgreSQL whose connections break and whose server restarts. */
import { Effect, Redacted } from "effect"
import * as DuckLake from "../../../datasets/src/internal/postgres/DuckLake.ts"
import * as Auditor from "./Auditor.ts"
import * as Datasets from "./Datasets.ts"
import * as Days from "./Days.ts"
import * as Postgres from "./Postgres.ts"

// Nothing connects to it.
const url = Redacted.make("postgres://sluice@127.0.0.1/sluice")

/** What of a catalog is not of one transaction, and the paths of the current files. */
const current = `SELECT f.path, (SELECT count(*) FROM ducklake_snapshot FULL JOIN ducklake_snapshot_changes USING (snapshot_id)
    WHERE snapshot_time IS NULL OR changes_made IS NULL) AS halves
  FROM (SELECT) AS one LEFT JOIN ducklake_data_file AS f ON f.end_snapshot IS NULL`

/** Datasets with a catalog. The engine is started before the first run. */
export const make = Effect.as(
  Postgres.engine,
  Days.make(
    Effect.fnUntraced(function* (disk) {
      const server = yield* Postgres.make
      const files = Effect.gen(function* () {
        const found = yield* server.read("SELECT FROM pg_class WHERE relname = 'ducklake_data_file'")
        if (found.length === 0) return undefined
        const rows = yield* server.read(current)
        yield* Auditor.released({ "what is half of a snapshot": Number(rows[0]?.["halves"]) })
        return rows.flatMap(({ path }) => path ?? [])
      })
      const folder = yield* Datasets.place(disk, {
        lakeOf: (process) => DuckLake.over({ url }, (name) => server.connect(process, name)),
        files
      })
      return { ...folder, leave: server.notice, leaveAlone: server.leaveAlone }
    })
  )
)
