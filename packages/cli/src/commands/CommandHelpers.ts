/**
 * What the commands have in common: how one names an endpoint, what help says of it, and how its code is loaded.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import type { Example } from "../endpoints/Examples.ts"
import type { About } from "./About.ts"

/** The endpoint, by its path or name. */
export const endpoint = Argument.String("endpoint").pipe(
  Argument.withDescription("Path, such as timeseries/asset-metrics, or name, such as Timeseries.assetMetrics")
)

/** What help says of a command. */
interface Words {
  /** What it does with what the invocation names. */
  readonly does: string
  /** The same in the list of all commands, as an imperative. */
  readonly short: string
  readonly examples?: ReadonlyArray<Example>
}

/** Adds what help says; the summary of what the invocation names comes first. */
export const explained =
  ({ does, examples = [], short }: Words, about?: Pick<About, "described">) =>
  <Name extends string, Input, Context, E, R>(command: Command.Command<Name, Input, Context, E, R>) =>
    command.pipe(
      Command.withDescription(about?.described === undefined ? does : `${about.described.summary} ${does}`),
      Command.withShortDescription(short),
      Command.withExamples(examples)
    )

/** Loads the code of a command and runs it. */
export const using = <Module, A, E, R>(load: () => Promise<Module>, run: (module: Module) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Effect.promise(load), run)
