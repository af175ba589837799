/**
 * `pnpm kills`: kills workers, the submitter, PostgreSQL and Redis at random moments of a backfill, seed after seed,
 * and compares its files, or its table, with those of one process.
 */
import { Command, Flag } from "effect/cli"
import { Console, Effect } from "effect"
import * as Tool from "../Tool.ts"
import * as Kills from "../../../cluster/test/Kills.ts"
import * as RedisServer from "../../../node/test/quota/RedisServer.ts"
import * as Postgres from "../../../cluster/test/Postgres.ts"

const command = Command.make(
  "kills",
  {
    from: Flag.Int("from").pipe(Flag.withDescription("The first seed"), Flag.withDefault(1)),
    into: Flag.Literals("into", ["folder", "table", "dataset"]).pipe(
      Flag.withDescription("Where the records go"),
      Flag.withDefault("folder")
    ),
    seeds: Flag.Int("seeds").pipe(Flag.withDescription("How many seeds"), Flag.withDefault(20))
  },
  Effect.fnUntraced(function* ({ from, into, seeds }) {
    if (!Postgres.isInstalled) return yield* Console.log("No PostgreSQL is installed, so nothing was tried.")
    if (RedisServer.program === undefined) yield* Console.log("No Redis is installed, so none was killed.")
    for (let seed = from; seed < from + seeds; seed++) {
      const { extra, late, refused, victims } = yield* Kills.anyOrder(seed, into)
      const told = [victims.join(", "), `${late} of them late`, `${extra} requests were repeated`, `${refused} refused`]
      yield* Console.log(`Seed ${seed}: ${told.join("; ")}.`)
    }
  })
).pipe(Command.withDescription("Kills the processes of a backfill at random moments"))

Tool.main(command)
