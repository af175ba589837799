import { NodeRuntime } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Array, Config, Effect, Layer, Stream } from "effect"
import { SqlClient } from "effect/sql"

const tables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE IF NOT EXISTS prices (asset text, time timestamptz, usd numeric, PRIMARY KEY (asset, time))`
  // As the service writes it: a timestamptz would cut its nanoseconds.
  yield* sql`CREATE TABLE IF NOT EXISTS positions (asset text PRIMARY KEY, time text NOT NULL)`
})

/** Continues one asset after the last record that was kept. A batch and its position are kept together, or neither is. */
const loadAsset = Effect.fnUntraced(function* (asset: string) {
  const sql = yield* SqlClient.SqlClient
  const [last] = yield* sql<{ time: string }>`SELECT time FROM positions WHERE asset = ${asset}`
  yield* Timeseries.assetMetrics({
    assets: [asset],
    metrics: ["PriceUSD"],
    start_time: last?.time ?? "2026-01-01",
    start_inclusive: last === undefined,
    end_time: "2026-10-31"
  }).pipe(
    Stream.grouped(100),
    Stream.runForEach((batch) => {
      const rows = Array.map(batch, ({ asset, time, PriceUSD }) => ({ asset, time, usd: PriceUSD ?? null }))
      const position = { asset, time: Array.lastNonEmpty(batch).time }
      return sql.withTransaction(
        Effect.andThen(
          sql`INSERT INTO prices ${sql.insert(rows)} ON CONFLICT (asset, time) DO UPDATE SET usd = EXCLUDED.usd`,
          sql`INSERT INTO positions ${sql.insert(position)} ON CONFLICT (asset) DO UPDATE SET time = EXCLUDED.time`
        )
      )
    })
  )
})

/** Killed at any moment and started again, it goes on after the last whole batch: nothing is lost, and nothing is kept twice. */
export const load = Effect.andThen(
  tables,
  Effect.forEach(["btc", "eth", "sol"], loadAsset, { concurrency: 3, discard: true })
)

if (import.meta.main) {
  const database = PgClient.layerConfig({ url: Config.Redacted("DATABASE_URL") })
  load.pipe(Effect.provide(Layer.merge(NodeClient.layerConfig(), database)), NodeRuntime.runMain)
}
