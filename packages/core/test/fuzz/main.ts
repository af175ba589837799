/**
 * `pnpm fuzz`: tries the properties on many more cases than the tests do, from a new seed each time.
 */
import { Command, Flag } from "effect/cli"
import { Console, Effect, Option, Random } from "effect"
import * as Tool from "../../../tools/src/Tool.ts"
import * as Properties from "./Properties.ts"

type Name = keyof typeof Properties.all

// Type boundary: `Object.keys` widens the names of the properties to any text.
const names = Object.keys(Properties.all) as ReadonlyArray<Name>

const fuzz = Command.make(
  "fuzz",
  {
    runs: Flag.Int("runs").pipe(Flag.withDefault(20_000), Flag.withDescription("Cases of each property")),
    seed: Flag.Int("seed").pipe(Flag.optional, Flag.withDescription("Gives the same cases again")),
    property: Flag.Literals("property", names).pipe(Flag.optional, Flag.withDescription("Only this one")),
    replay: Flag.String("replay").pipe(Flag.optional, Flag.withDescription("The case that an earlier run has found"))
  },
  Effect.fn(function* ({ property, replay, runs, seed: given }) {
    const seed = Option.isSome(given) ? given.value : yield* Random.nextIntBetween(0, 2 ** 31)
    yield* Console.log(`Seed ${seed}`)
    for (const name of Option.isSome(property) ? [property.value] : names) {
      const found = yield* Properties.all[name]({ runs, seed, replay: Option.getOrUndefined(replay) })
      if (found !== undefined) return yield* Effect.andThen(Console.error(found), new Tool.Found())
      yield* Console.log(`${name}: ${runs} runs`)
    }
  })
)

Tool.main(fuzz)
