/**
 * The processor time of the command from its start to its end, beside Node.js that does nothing, and a fetch by hand.
 */
import { Data, Effect, Record, Schema, Struct } from "effect"
import { spawnSync } from "node:child_process"
import { dirname } from "node:path"
import * as Bundle from "./Bundle.ts"
import * as Report from "./Report.ts"
import * as Server from "./Server.ts"
import * as Workload from "./Workload.ts"

export class StartFailed extends Data.TaggedError("StartFailed")<{ readonly name: string }> {
  override get message() {
    return `${this.name} did not end well.`
  }
}

export type Name = "idle" | "fetch" | "version" | "get"

const path = "timeseries/asset-metrics"

const byHand = (root: string) =>
  `fetch("${root}/${path}?assets=btc&metrics=PriceUSD&limit_per_asset=1&api_key=${Workload.apiKey}")
    .then((reply) => reply.json()).then(({ data }) => console.log(JSON.stringify(data[0])))`

const Used = Schema.fromJsonString(Schema.Struct({ cpu: Schema.Finite }))

/** Runs a process to its end. Gives its processor time in seconds. */
const once = Effect.fnUntraced(function* (name: Name, folder: string, root: string, args: ReadonlyArray<string>) {
  const { output, status } = yield* Effect.sync(() =>
    spawnSync(process.execPath, ["--import", `${folder}/Probe.js`, ...args], {
      stdio: ["ignore", "ignore", "inherit", "pipe"],
      encoding: "utf8",
      env: {
        SLUICE_API_KEY: Workload.apiKey,
        SLUICE_BASE_URL: root,
        XDG_CONFIG_HOME: folder,
        // As a second start has it.
        NODE_COMPILE_CACHE: `${folder}/compiled`
      }
    })
  )
  if (status !== 0) return yield* new StartFailed({ name })
  return (yield* Schema.decodeEffect(Used)(output[3] ?? "")).cpu
})

/** The medians of alternating rounds, in seconds, after one that is not counted. */
export const measure = Effect.fnUntraced(function* (rounds: number) {
  const folder = dirname(yield* Bundle.write)
  const root = yield* Server.start(Server.sandbox())
  const command = `${folder}/command/main.js`
  const all: Readonly<Record<Name, ReadonlyArray<string>>> = {
    idle: ["-e", "0"],
    fetch: ["-e", byHand(root)],
    version: [command, "--version"],
    get: [command, "get", path, "--assets", "btc", "--metrics", "PriceUSD", "--limit-per-asset", "1"]
  }
  const seen = Record.map(all, (): Array<number> => [])
  for (let round = 0; round <= rounds; round++) {
    for (const name of Struct.keys(all)) {
      const seconds = yield* once(name, folder, root, all[name])
      if (round > 0) seen[name].push(seconds)
    }
  }
  return Record.map(seen, Report.median)
}, Effect.scoped)
