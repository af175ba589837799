/** What all tools have in common: a command that ends with 1 where something was found, and counts. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Data, Effect, Runtime } from "effect"
import { Command } from "effect/cli"

/** Something was found; what was printed says what. */
export class Found extends Data.TaggedError("Found") {
  override readonly [Runtime.errorReported] = false
}

export const main = <Name extends string, Input, E>(
  command: Command.Command<Name, Input, {}, E, NodeServices.NodeServices>
): void => command.pipe(Command.run({ version: "0.1.0" }), Effect.provide(NodeServices.layer), NodeRuntime.runMain())

/** Counts by name, the highest first. */
export const shown = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .toSorted(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count.toLocaleString("en-US")}`)
    .join(", ") || "none"

export const count = (counts: Record<string, number>, name: string): void => {
  counts[name] = (counts[name] ?? 0) + 1
}
