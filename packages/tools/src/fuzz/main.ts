/**
 * `pnpm fuzz`: tries the properties on many more cases than the tests do, from a new seed each time.
 */
import { Command, Flag } from "effect/cli"
import { Clock, Console, Effect, Option, Random } from "effect"
import * as Tool from "../Tool.ts"
import * as Heap from "../../../core/test/fuzz/Heap.ts"
import * as Properties from "../../../core/test/fuzz/Properties.ts"

type Name = keyof typeof Properties.all

// Type boundary: `Object.keys` widens the names of the properties to any text.
const names = Object.keys(Properties.all) as ReadonlyArray<Name>

/** Keeps the longest run. The properties run at once, so the clock is read outside an effect. */
const makeWatch = (clock: Clock.Clock) => {
  let last: { readonly target: string; readonly at: bigint } | undefined
  let slowest = { target: "", took: 0n }
  const seen = (target: string) => {
    const at = clock.monotonicTimeNanosUnsafe()
    if (last !== undefined && at - last.at > slowest.took) slowest = { target: last.target, took: at - last.at }
    last = { target, at }
  }
  return { seen, slowest: () => `${slowest.took / 1_000_000n} ms (${slowest.target})` }
}

const mebibytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MiB`

const try_ = Effect.fn(function* (name: Name, options: Properties.Options) {
  const { seen, slowest } = makeWatch(yield* Clock.Clock)
  const before = Heap.used()
  const found = yield* Properties.all[name]({ ...options, onRun: ({ target }) => seen(target) })
  const grown = Heap.used() - before
  if (found !== undefined) return yield* Effect.andThen(Console.error(found), new Tool.Found())
  yield* Console.log(
    `${name}: ${options.runs} runs; the slowest took ${slowest()}; the heap grew by ${mebibytes(grown)}`
  )
})

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
      yield* try_(name, { runs, seed, replay: Option.getOrUndefined(replay) })
    }
  })
)

Tool.main(fuzz)
