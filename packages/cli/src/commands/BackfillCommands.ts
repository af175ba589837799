/**
 * The commands of backfills and workers with their flags, help and examples.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { type Action, actions, backfillFlags, cluster } from "./BackfillFlags.ts"
import { type About, whole } from "./Flags.ts"

const load = <A>(module: () => Promise<A>) => Effect.promise(module)

const does: Readonly<Record<Action, string>> = {
  status: "Tells how far backfills are.",
  pause: "Pauses a backfill: parts under way end, and no other begins.",
  resume: "Lets a paused backfill go on.",
  cancel: "Cancels a backfill. Finished files are kept.",
  retry: "Reads the parts that failed, or all that a cancelled backfill left."
}

const idOf = (action: Action) =>
  Argument.String("id").pipe(
    Argument.withDescription(
      action === "status"
        ? "The backfill, or the beginning of its id; default all of them"
        : "The backfill, or the beginning of its id; default the only one"
    ),
    Argument.optional
  )

const actionOf = (action: Action) =>
  Command.make(action, { id: idOf(action), cluster }, (input) =>
    Effect.flatMap(
      load(() => import("./Backfill.ts")),
      ({ act }) => act(action, input.id, input.cluster)
    )
  ).pipe(Command.withDescription(does[action]))

const submit = (about: About) =>
  Command.make(
    "backfill",
    { endpoint: Argument.String("endpoint"), ...backfillFlags, parameters: about.flags ?? {} },
    (input) =>
      Effect.flatMap(
        load(() => import("./Backfill.ts")),
        ({ submit }) => submit(input, about)
      )
  )

const group = Command.make("backfill").pipe(Command.withSubcommands(actions.map(actionOf)))

const explained = <Name extends string, Input, Context, E, R>(
  command: Command.Command<Name, Input, Context, E, R>,
  summary = ""
) =>
  command.pipe(
    Command.withDescription(
      `${summary === "" ? "" : `${summary} `}\`sluice backfill <endpoint>\` takes the parameters and flags of \`sluice download\`, and lets ` +
        "the workers of a cluster do it together: it goes on when any of them is killed, and when this command ends. Without " +
        "--cluster it is done here."
    ),
    Command.withShortDescription("Let the workers of a cluster download together"),
    Command.withExamples([
      {
        command:
          "sluice backfill timeseries/market-trades --markets coinbase-btc-usd-spot --start_time 2024-01-01 --end_time 2025-01-01 --every 1d --to /data/trades"
      },
      { command: "sluice backfill status --json" },
      { command: "sluice backfill pause 5f3a", description: "the backfill whose id begins so" }
    ])
  )

/** `sluice backfill`, with the parameters of the endpoint that the invocation names, or else with what follows a submission. */
export const backfill = (about: About | undefined) =>
  about === undefined ? explained(group) : explained(submit(about), about.described?.summary)

/** `sluice worker`. */
export const worker = Command.make(
  "worker",
  {
    cluster,
    host: Flag.String("host").pipe(
      Flag.withMetavar("<name>"),
      Flag.withDescription("Name or address by which other workers reach this one; default the name of this machine"),
      Flag.optional
    ),
    port: whole("port").pipe(Flag.withDescription("Port for other workers; default a free one"), Flag.optional),
    concurrency: whole("concurrency").pipe(
      Flag.withDescription("Parts that are read at the same time; default 10"),
      Flag.optional
    )
  },
  (input) =>
    Effect.flatMap(
      load(() => import("./Worker.ts")),
      ({ run }) => run(input)
    )
).pipe(
  Command.withDescription(
    "Does a share of every backfill of a cluster until it is stopped. The key comes from the environment or the config file, and the " +
      "folder of a backfill must have the same path on every worker."
  ),
  Command.withShortDescription("Work for a cluster"),
  Command.withExamples([
    { command: "sluice worker", description: "with SLUICE_CLUSTER and SLUICE_API_KEY in the environment" }
  ])
)
