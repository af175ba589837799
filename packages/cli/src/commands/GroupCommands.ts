/** The commands with others below them: those of backfills and workers, and those of jobs over a chain. */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Examples from "../endpoints/Examples.ts"
import type { About } from "./flags/About.ts"
import { type Action, actions, backfillFlags, cluster, workerFlags } from "./flags/BackfillFlags.ts"
import type { JobEntry } from "@sluice/core/Endpoints"
import { outputFlags } from "./flags/FormatFlags.ts"
import { argument, command, endpoint, explained, optional, using } from "./CommandHelpers.ts"

const doesBackfill: Readonly<Record<Action, string>> = {
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
  ).pipe(Command.withDescription(doesBackfill[action]), Command.withExamples(Examples.ofBackfill(action)))

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

/** What a job computes. Written here, because help and completion load no endpoints; a test compares it with them. */
export const kinds = ["account-balances", "balance-updates", "transactions"] as const

const kind = Argument.Literals("kind", kinds).pipe(
  Argument.withDescription("account-balances, balance-updates or transactions")
)

const start = (about: About<JobEntry> | undefined) =>
  command(
    "start",
    { kind, parameters: about?.flags ?? {} },
    (input) => using(() => import("./data/Jobs.ts"))(({ start }) => start(input)),
    {
      does:
        about === undefined
          ? "Starts a job and prints its id. Each start makes a job of its own. `sluice jobs start <kind> --help` lists the parameters."
          : "Prints the id of the job. Each start makes a job of its own.",
      short: "Start a job and print its id",
      examples: Examples.startJob(about?.entry),
      about
    }
  )

const status = command(
  "status",
  { ids: argument("id", "Ids of jobs").pipe(Argument.variadic({ min: 1 })) },
  ({ ids }) => using(() => import("./data/Jobs.ts"))(({ status }) => status(ids)),
  {
    does: "Prints jobs, one on each line, with the addresses of their results.",
    short: "Print jobs, with the addresses of their results",
    examples: [{ command: "sluice jobs status <id>" }]
  }
)

const results = command(
  "results",
  { kind, id: argument("id", "Id of the job"), ...outputFlags },
  (input) => using(() => import("./data/Jobs.ts"))(({ results }) => results(input)),
  {
    does: "Waits until a job is done and writes its records.",
    short: "Wait for a job and write its records",
    examples: [
      { command: "sluice jobs results transactions <id>" },
      { command: "sluice jobs results balance-updates <id> --output updates.parquet" }
    ]
  }
)

/** `sluice jobs`, with the parameters of the job that the invocation names. */
export const jobs = (about: About<JobEntry> | undefined) =>
  Command.make("jobs").pipe(
    Command.withDescription("Starts jobs over a chain, shows their status and writes their results."),
    Command.withShortDescription("Start jobs, and read their status and results"),
    Command.withSubcommands([start(about), status, results])
  )
