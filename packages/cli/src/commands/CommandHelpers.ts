/** What the commands have in common: how one names an endpoint, what help says of it, and how its code is loaded. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Example } from "../endpoints/Examples.ts"
import type { About } from "./flags/About.ts"

/** An argument that takes text. */
export const argument = (name: string, means: string) => Argument.String(name).pipe(Argument.withDescription(means))

/** Lets an argument be left out. */
export const optional = <A>(argument: Argument.Argument<A>): Argument.Argument<A | undefined> =>
  argument.pipe(Argument.optional, Argument.map(Option.getOrUndefined))

/** The argument that names an endpoint. */
export const endpoint = argument(
  "endpoint",
  "Path, such as timeseries/asset-metrics, or the end of it, asset-metrics; a name in programs, such as Timeseries.assetMetrics; or a URL of the service"
)

interface Words {
  /** What it does with what the invocation names. */
  readonly does: string
  /** The same in the list of all commands, as an imperative. */
  readonly short: string
  readonly examples?: ReadonlyArray<Example>
  /** What the invocation names, whose summary comes first. */
  readonly about?: Pick<About, "described"> | undefined
}

/** Gives a command its words in help, and in the list of all commands. */
export const explained =
  ({ about, does, examples = [], short }: Words) =>
  <Name extends string, Input, ContextInput, E, R>(command: Command.Command<Name, Input, ContextInput, E, R>) =>
    command.pipe(
      Command.withDescription(about?.described === undefined ? does : `${about.described.summary} ${does}`),
      Command.withShortDescription(short),
      Command.withExamples(examples)
    )

/** Makes a command of its arguments and flags, of what runs it, and of what help says. */
export const command = <const Name extends string, const Config extends Command.Command.Config, E, R>(
  name: Name,
  config: Config,
  run: (input: Command.Command.Config.Infer<Config>) => Effect.Effect<void, E, R>,
  words: Words
) => Command.make(name, config, run).pipe(explained(words))

export const using =
  <Module>(load: () => Promise<Module>) =>
  <A, E, R>(run: (module: Module) => Effect.Effect<A, E, R>) =>
    Effect.flatMap(Effect.promise(load), run)
