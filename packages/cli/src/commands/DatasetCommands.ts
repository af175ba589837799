/**
 * The commands of datasets.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as Examples from "../endpoints/Examples.ts"
import { type About, syncFlags, verifyFlags } from "./Flags.ts"
import { descriptionOf, endpoint, load } from "./Parts.ts"

/** Brings a dataset up to date. */
export const sync = (about: About | undefined) =>
  Command.make(
    "sync",
    { endpoint: endpoint.pipe(Argument.optional), ...syncFlags, parameters: about?.flags ?? {} },
    (input) =>
      Effect.flatMap(
        load(() => import("./Sync.ts")),
        ({ run }) => run(input, about)
      )
  ).pipe(
    Command.withDescription(
      descriptionOf(
        about,
        "Keeps a time series in a folder. Every run asks for what is new or may have been revised; the folder is enough for the next."
      )
    ),
    Command.withShortDescription("Keep a time series in a folder up to date"),
    Command.withExamples(Examples.sync(about?.entry, about?.parameters))
  )

/** Proves a dataset. */
export const verify = Command.make(
  "verify",
  {
    place: Argument.String("place").pipe(
      Argument.withDescription("Folder of a dataset, or the database of its --table")
    ),
    ...verifyFlags
  },
  (input) =>
    Effect.flatMap(
      load(() => import("./Verify.ts")),
      ({ run }) => run(input)
    )
).pipe(
  Command.withDescription(
    "Proves that a dataset is as it was written. Of a folder: checksums, order, no repeats, numbers of records; of a table the number of records of each entity alone. Sends nothing."
  ),
  Command.withShortDescription("Prove that a dataset is as it was written"),
  Command.withExamples([{ command: "sluice verify prices" }, { command: "sluice verify prices --json" }])
)
