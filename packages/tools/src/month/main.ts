/**
 * `pnpm month`: simulated months of daily syncs, against a service whose past changes, with faults and kills.
 *
 *   pnpm month                      20 months from a random seed on
 *   pnpm month --seeds 300          as many as you like
 *   pnpm month --from 1             from this seed on
 *   pnpm month --seed 123           one alone
 *   … --days 5                      only the first days of each
 *   … --calm-before 5               nothing disturbs the syncs before this day
 *   … --store duckdb                each in a folder, in DuckDB or in postgres
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Command, Flag } from "effect/cli"
import { Console, Data, Effect, Option, Random, Runtime } from "effect"
import * as PostgresServer from "../../../datasets/test/database/PostgresServer.ts"
import * as Place from "./Place.ts"
import * as Run from "./Run.ts"
import * as Summary from "./Summary.ts"

/** A promise was broken; what was printed says which. */
class Broken extends Data.TaggedError("Broken") {
  override readonly [Runtime.errorReported] = false
}

const flags = {
  seed: Flag.optional(Flag.Int("seed")).pipe(Flag.withDescription("Run the month of this seed alone")),
  from: Flag.optional(Flag.Int("from")).pipe(Flag.withDescription("Seed of the first month; a random one when absent")),
  seeds: Flag.Int("seeds").pipe(Flag.withDefault(20), Flag.withDescription("How many months to run")),
  days: Flag.optional(Flag.Int("days")).pipe(Flag.withDescription("Only the first days of each month")),
  calmBefore: Flag.optional(Flag.Int("calm-before")).pipe(
    Flag.withDescription("Let nothing disturb the syncs before this day")
  ),
  store: Flag.optional(Flag.Literals("store", ["folder", "duckdb", "postgres"])).pipe(
    Flag.withDescription("Where each is kept; drawn when absent")
  )
}

const command = Command.make(
  "month",
  flags,
  Effect.fnUntraced(function* ({ calmBefore, days, from, seed, seeds, store }) {
    const begin = Option.getOrUndefined(seed) ?? Option.getOrUndefined(from)
    const first = begin ?? (yield* Random.nextIntBetween(0, 2 ** 31))
    const count = Option.isSome(seed) ? 1 : seeds
    yield* Console.log(`seeds ${first} to ${first + count - 1}`)
    let told = 0
    const progress = Effect.fnUntraced(function* ({ failed, months }: Summary.Summary) {
      for (const outcome of failed.slice(told)) yield* Console.log(yield* Run.explain(outcome))
      told = failed.length
      if (months % 20 === 0) yield* Console.log(`${months} of ${count}, ${told} failed`)
    })
    const narrowing = {
      days: Option.getOrUndefined(days),
      calmBefore: Option.getOrUndefined(calmBefore),
      store: Option.getOrUndefined(store)
    }
    const server = PostgresServer.isInstalled ? yield* PostgresServer.make : undefined
    if (server === undefined) yield* Console.log("there is no PostgreSQL: DuckDB has what it would have")
    const summary = yield* Run.run(first, count, narrowing, progress).pipe(
      Effect.provideService(Place.Postgres, server)
    )
    yield* Console.log(Summary.show(summary))
    if (summary.failed.length > 0) return yield* new Broken()
  }, Effect.scoped)
).pipe(Command.withDescription("Simulated months of daily syncs against the sandbox"))

command.pipe(Command.run({ version: "0.0.0" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain())
