/**
 * The commands of jobs over a chain.
 */
import type { JobEntry } from "@sluice/core/Endpoints"
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Examples from "../endpoints/Examples.ts"
import type { About } from "./flags/About.ts"
import { outputFlags } from "./flags/FormatFlags.ts"
import { argument, command, using } from "./CommandHelpers.ts"

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
