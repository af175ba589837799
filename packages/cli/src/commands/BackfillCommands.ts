/**
 * The commands of backfills and workers.
 */
import * as Command from "effect/cli/Command"
import * as Examples from "../endpoints/Examples.ts"
import type { About } from "./flags/About.ts"
import { type Action, actions, backfillFlags, cluster, workerFlags } from "./flags/BackfillFlags.ts"
import { argument, command, endpoint, explained, optional, using } from "./CommandHelpers.ts"

const does: Readonly<Record<Action, string>> = {
  status: "Tells how far backfills are.",
  pause: "Pauses a backfill: parts under way end, and no other begins.",
  resume: "Lets a paused backfill go on.",
  cancel: "Cancels a backfill. Finished files are kept.",
  retry: "Reads the parts that failed, or all that a cancelled backfill left.",
  forget: "Removes a backfill that has ended from the list. What it has written stays."
}

const idOf = (action: Action) => {
  const usual = action === "status" ? "all of them" : "the only one"
  return optional(argument("id", `The backfill, or the beginning of its id; default ${usual}`))
}

const actionOf = (action: Action) =>
  Command.make(action, { id: idOf(action), cluster }, (input) =>
    using(() => import("./data/Backfill.ts"))(({ act }) => act(action, input.id, input.cluster))
  ).pipe(Command.withDescription(does[action]), Command.withExamples(Examples.ofBackfill(action)))

const short = "Let the workers of a cluster download together"

const submit = (about: About) =>
  command(
    "backfill",
    { endpoint, ...backfillFlags, parameters: about.flags ?? {} },
    (input) => using(() => import("./data/Backfill.ts"))(({ submit }) => submit(input, about)),
    {
      does: "Writes files into a folder that the workers of a cluster share, or loads a dataset (--into) with which `sluice sync` goes on. Goes on when a worker is killed, and when this command ends. Without --cluster, this command does it.",
      short,
      examples: Examples.backfill(about),
      about
    }
  )

// Without a function to run, a group prints its help.
const group = Command.make("backfill").pipe(
  explained({
    does: "A download that the workers of a cluster do together. `sluice backfill <endpoint>` submits one, `sluice backfill <endpoint> --help` lists its parameters and flags; the commands below are for those that were submitted.",
    short,
    examples: [...Examples.backfill(undefined), ...Examples.ofBackfill("status"), ...Examples.ofBackfill("pause")]
  }),
  Command.withSubcommands(actions.map(actionOf))
)

/** `sluice backfill`, with the parameters of the endpoint that the invocation names, or else with what follows a submission. */
export const backfill = (about: About | undefined) => (about === undefined ? group : submit(about))

export const worker = command(
  "worker",
  workerFlags,
  (input) => using(() => import("./data/Worker.ts"))(({ run }) => run(input)),
  {
    does:
      "Does a share of every backfill of a cluster until it is stopped. The key comes from the environment or the config file, and the " +
      "folder of a backfill must have the same path on every worker.",
    short: "Work for a cluster",
    examples: [{ command: "sluice worker", description: "with SLUICE_CLUSTER and SLUICE_API_KEY in the environment" }]
  }
)
