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
import { Console, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as PostgresServer from "../../../datasets/test/database/PostgresServer.ts"
import * as Tool from "../Tool.ts"
import * as Place from "./Place.ts"
import * as Run from "./Run.ts"

const flags = {
  ...Tool.seeds,
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
  Effect.fnUntraced(function* ({ calmBefore, days, seeds, store, ...chosen }) {
    const narrowing = {
      days: Option.getOrUndefined(days),
      calmBefore: Option.getOrUndefined(calmBefore),
      store: Option.getOrUndefined(store)
    }
    const server = PostgresServer.isInstalled ? yield* PostgresServer.make : undefined
    if (server === undefined) yield* Console.log("there is no PostgreSQL: DuckDB has what it would have")
    const { failed, text } = yield* Run.run(yield* Tool.chosen(chosen, seeds), narrowing).pipe(
      Effect.provideService(Place.Postgres, server)
    )
    yield* Console.log(text)
    if (failed.length > 0) return yield* new Tool.Found()
  }, Effect.scoped)
).pipe(Command.withDescription("Simulated months of daily syncs against the sandbox"))

Tool.main(command)
