import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client, Retry, Timeseries } from "@sluice/core"
import type { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/** Two metrics of three assets since 2024. */
export const job = {
  endpoint: Timeseries.assetMetrics,
  params: { assets: ["btc", "eth", "ltc"], metrics: ["PriceUSD", "TxCnt"], start_time: "2024-01-01" },
  format: { as: "ndjson" }
} as const satisfies Omit<Dataset.Job<typeof Timeseries.assetMetrics>, "to">

/** A client of the sandbox in memory. */
export const memory = (options: Sandbox.Options = {}) =>
  Layer.unwrap(
    Effect.map(Sandbox.Sandbox, (sandbox) =>
      Client.layer({ root: sandbox.url, apiKey: Redacted.make("demo-key"), retry: Retry.none })
    )
  ).pipe(Layer.provideMerge(Layer.fresh(Sandbox.layerMemory(options))))

/** The sandbox in memory and real files. */
export const world = Layer.merge(memory(), NodeServices.layer)

/** A folder of this test, removed with its scope. */
export const temporary = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  fs.makeTempDirectoryScoped({ prefix: "sluice-" })
)

/** Every file of a dataset by its path, without the bookkeeping. */
export const data = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!(yield* fs.exists(folder))) return {}
  const names = (yield* fs.readDirectory(folder, { recursive: true })).filter((name) => !name.startsWith(".sluice"))
  const entries: Array<readonly [string, string]> = []
  for (const name of names.toSorted()) {
    const file = path.join(folder, name)
    if ((yield* fs.stat(file)).type === "File") entries.push([name, yield* fs.readFileString(file, "latin1")])
  }
  return Object.fromEntries(entries)
})

/** Runs a sync to its end and keeps what it told. */
export const events = <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.runCollect(stream)

/** A record without its nulls, which not every format keeps, and with its keys in one order. */
export const bare = (record: object) =>
  JSON.stringify(
    Object.fromEntries(
      Object.entries(record)
        .filter(([, value]) => value !== null)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
    )
  )

/** Records, each of them bare. */
export const collected = <A extends object, E, R>(records: Stream.Stream<A, E, R>) =>
  Effect.map(Stream.runCollect(records), (all) => all.map(bare))
