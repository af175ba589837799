import { NodeRuntime } from "@effect/platform-node"
import { BlockchainJobs } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

const balances = { assets: ["btc"], accounts: ["treasury-btc"], at_time: "2026-01-01" }

/** Starts a job and keeps its id, then reads the results by the id: in this process, or in one of the next day. */
export const results = Effect.gen(function* () {
  const { id } = yield* BlockchainJobs.accountBalances.submit(balances)
  yield* Console.log(`job ${id}`)
  return yield* Stream.runCollect(BlockchainJobs.accountBalances.results(id))
})

if (import.meta.main) {
  results.pipe(Effect.flatMap(Console.log), Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
}
