/**
 * What several commands are made of.
 */
import * as Argument from "effect/cli/Argument"
import * as Effect from "effect/Effect"
import type { About } from "./Flags.ts"

/** The endpoint, by its path or name. */
export const endpoint = Argument.String("endpoint").pipe(
  Argument.withDescription("Path, such as timeseries/asset-metrics, or name, such as Timeseries.assetMetrics")
)

/** The summary of what is named, and what the command does with it. */
export const descriptionOf = (about: Pick<About, "described"> | undefined, what: string) => {
  const described = about?.described
  return described === undefined ? what : `${described.summary} ${what}`
}

/** Loads the code of a command. */
export const load = <A>(module: () => Promise<A>) => Effect.promise(module)
