/**
 * The processor time of downloads in warm processes: `node rounds.ts [rounds] [case ...]` reads the same 500,000 records four times
 * a round, in turns with the page loop, after two reads that do not count.
 *
 * The bounds of `bench` are of a first run, which compiles what it runs. This shows what a change does to the work itself.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Effect } from "effect"
import { isName } from "./Cases.ts"
import * as Measure from "./Measure.ts"
import * as Parts from "./Parts.ts"
import * as Report from "./Report.ts"
import * as Server from "./Server.ts"

const [rounds = "3", ...named] = process.argv.slice(2)
const chosen = named.length > 0 ? named.filter(isName) : (["ndjson", "csv", "parquet"] as const)
const workload = { ...Parts.tenAssets(500_000), times: { warmUp: 2, measured: 4 } }

const suite: Measure.Suite = {
  title: "Downloads in warm processes",
  server: Server.replies(),
  entries: [
    ...Parts.entries(["pageLoop"], workload),
    ...Parts.entries(chosen, workload).map((entry) => ({ ...entry, options: ["--max-semi-space-size=8"] }))
  ]
}

Measure.run(suite, Number(rounds)).pipe(
  Effect.flatMap((measured) => Console.log(Report.table(measured))),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain()
)
