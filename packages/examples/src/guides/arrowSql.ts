import { createDuckDB, NODE_RUNTIME, VoidLogger } from "@duckdb/duckdb-wasm/blocking"
import { NodeRuntime } from "@effect/platform-node"
import { Columns, Timeseries } from "@sluice/core"
import { Arrow } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"
import { createRequire } from "node:module"

/** DuckDB as WebAssembly, in memory, until the scope closes. Its declarations compile with `skipLibCheck`. */
const duckdb = Effect.promise(async () => {
  const { resolve } = createRequire(import.meta.url)
  const [mvp, eh] = (["mvp", "eh"] as const).map((name) => ({
    mainModule: resolve(`@duckdb/duckdb-wasm/dist/duckdb-${name}.wasm`),
    mainWorker: ""
  }))
  const database = await createDuckDB({ mvp: mvp!, eh: eh! }, new VoidLogger(), NODE_RUNTIME)
  await database.instantiate(() => undefined)
  return database
}).pipe(
  Effect.flatMap((database) =>
    Effect.acquireRelease(Effect.succeed(database), () => Effect.sync(() => database.reset()))
  ),
  Effect.map((database) => database.connect())
)

/** Volume, lowest and highest price of each market and hour, by SQL over trades of which no records are made. */
export const hours = (markets: ReadonlyArray<string>, start_time: string, end_time: string) =>
  Effect.gen(function* () {
    const connection = yield* duckdb
    const trades = Columns.stream(
      Timeseries.marketTrades,
      { markets, start_time, end_time, format: "json_stream" },
      { columns: ["market", "time", "price", "amount"] }
    )
    const ipc = Buffer.concat(yield* Stream.runCollect(Arrow.stream(trades)))
    connection.insertArrowFromIPCStream(ipc, { name: "trades" })
    const table = connection.query(`
      SELECT market, date_trunc('hour', time::TIMESTAMP) AS hour, sum(amount) AS volume, min(price) AS low, max(price) AS high
      FROM trades GROUP BY ALL ORDER BY ALL`)
    return table.toArray().map((row) => ({ ...row.toJSON() }))
  }).pipe(Effect.scoped)

const program = Effect.flatMap(
  hours(["coinbase-btc-usd-spot", "coinbase-eth-usd-spot"], "2026-10-01T00:00:00", "2026-10-01T02:59:59"),
  Effect.forEach((row) => Console.log(row), { discard: true })
)

if (import.meta.main) program.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
