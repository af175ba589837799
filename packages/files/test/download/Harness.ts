import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client, Retry, Timeseries } from "@sluice/core"
import type { Download } from "@sluice/files"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/** Three assets over four months, in nine parts; 363 records. */
export const job = {
  endpoint: Timeseries.assetMetrics,
  params: {
    assets: ["btc", "eth", "ltc"],
    metrics: ["PriceUSD", "TxCnt"],
    start_time: "2024-01-01",
    end_time: "2024-05-01",
    end_inclusive: false
  },
  split: { by: "assets", every: "45 days" },
  format: { as: "ndjson" }
} as const satisfies Omit<Download.Job<typeof Timeseries.assetMetrics>, "to">

/** A client of the sandbox in memory, with the key everybody knows; at its paid root, or under a fault. */
export const memory = ({ fault, key = "demo-key", ...options }: Memory = {}) =>
  Layer.unwrap(
    Effect.map(Sandbox.Sandbox, (sandbox) =>
      Client.layer({
        root: fault === undefined ? sandbox.url : sandbox.faultUrl(fault),
        apiKey: Redacted.make(key),
        retry: Retry.none
      })
    )
  ).pipe(Layer.provideMerge(Layer.fresh(Sandbox.layerMemory(options))))

interface Memory extends Sandbox.Options {
  readonly fault?: string
  readonly key?: string
}

/** What most tests run on: the sandbox in memory and real files. */
export const world = Layer.merge(memory(), NodeServices.layer)

/** A folder of this test, removed with its scope. */
export const temporary = Effect.flatMap(FileSystem.FileSystem, (fs) =>
  fs.makeTempDirectoryScoped({ prefix: "sluice-" })
)

/** Every file below a folder by its path, with its content. */
export const picture = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  if (!(yield* fs.exists(folder))) return {}
  const names = yield* fs.readDirectory(folder, { recursive: true })
  const entries: Array<readonly [string, string]> = []
  for (const name of names.toSorted()) {
    const { mtime, type } = yield* fs.stat(path.join(folder, name))
    const content = type === "File" ? yield* fs.readFileString(path.join(folder, name), "latin1") : type
    entries.push([name, `${String(mtime)} ${content}`])
  }
  return Object.fromEntries(entries)
})

/** The data of a folder: its files by name, without the bookkeeping. */
export const data = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = (yield* fs.readDirectory(folder)).filter((name) => name !== ".sluice").toSorted()
  const contents = yield* Effect.forEach(names, (name) => fs.readFile(path.join(folder, name)))
  return Object.fromEntries(names.map((name, index) => [name, Buffer.from(contents[index]!).toString("latin1")]))
})

/** Runs a download to its end and keeps what it told. */
export const events = <A, E, R>(stream: Stream.Stream<A, E, R>) => Stream.runCollect(stream)
