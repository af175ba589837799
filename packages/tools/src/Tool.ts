/**
 * What all tools have in common: a command that ends with 1 where something was found, and the flags of seeds.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Console, Data, Effect, Option, Random, Runtime } from "effect"
import { Command, Flag } from "effect/cli"

/** Something was found; what was printed says what. */
export class Found extends Data.TaggedError("Found") {
  override readonly [Runtime.errorReported] = false
}

/** Runs a command with the arguments of the process. */
export const main = <Name extends string, Input, E>(
  command: Command.Command<Name, Input, {}, E, NodeServices.NodeServices>
): void => command.pipe(Command.run({ version: "0.1.0" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain())

/** Which cases are drawn: from which seed on, or one alone. */
export const seeds = {
  seed: Flag.optional(Flag.Int("seed")).pipe(Flag.withDescription("This seed alone")),
  from: Flag.optional(Flag.Int("from")).pipe(Flag.withDescription("The first seed; a random one when absent"))
}

/** The first seed, and how many. */
export const chosen = Effect.fnUntraced(function* (
  { from, seed }: { readonly from: Option.Option<number>; readonly seed: Option.Option<number> },
  count: number
) {
  const first = Option.getOrUndefined(Option.orElse(seed, () => from)) ?? (yield* Random.nextIntBetween(0, 2 ** 31))
  const all = Array.from({ length: Option.isSome(seed) ? 1 : count }, (_, nth) => first + nth)
  yield* Console.log(`seeds ${first} to ${all.at(-1)}`)
  return all
})

/** Counts by name, the highest first. */
export const shown = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count.toLocaleString("en-US")}`)
    .join(", ") || "none"

/** Adds one to a count. */
export const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}
