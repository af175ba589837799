/**
 * The commands of backfills and workers.
 */
import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Examples from "../endpoints/Examples.ts"
import type { About } from "./About.ts"
import { type Action, actions, backfillFlags, cluster, into } from "./BackfillFlags.ts"
import { concurrency } from "./DownloadFlags.ts"
import * as FlagKinds from "./FlagKinds.ts"
import { endpoint, explained, using } from "./CommandHelpers.ts"

const does: Readonly<Record<Action, string>> = {
  status: "Tells how far backfills are.",
  pause: "Pauses a backfill: parts under way end, and no other begins.",
  resume: "Lets a paused backfill go on.",
  cancel: "Cancels a backfill. Finished files are kept.",
  retry: "Reads the parts that failed, or all that a cancelled backfill left.",
  forget: "Removes a backfill that has ended from the list. What it has written stays."
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
    using(
      () => import("./Backfill.ts"),
      ({ act }) => act(action, input.id, input.cluster)
    )
  ).pipe(Command.withDescription(does[action]), Command.withExamples(Examples.ofBackfill(action)))

const short = "Let the workers of a cluster download together"

const submit = (about: About) =>
  Command.make("backfill", { endpoint, ...backfillFlags, parameters: about.flags ?? {} }, (input) =>
    using(
      () => import("./Backfill.ts"),
      ({ submit }) => submit(input, about)
    )
  ).pipe(
    explained(
      {
        does: "Writes files into a folder that the workers of a cluster share, or loads a dataset (--into) with which `sluice sync` goes on. Goes on when a worker is killed, and when this command ends. Without --cluster, this command does it.",
        short,
        examples: Examples.backfill(about.entry, about.parameters)
      },
      about
    )
  )

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

/** `sluice worker`. */
export const worker = Command.make(
  "worker",
  {
    cluster,
    into,
    name: Flag.String("name").pipe(
      Flag.withMetavar("<name>"),
      Flag.withDescription(
        "What `sluice backfill status` calls this worker; default SLUICE_WORKER_NAME, or else the machine and the process, such as db1/4711"
      ),
      Flag.optional
    ),
    host: Flag.String("host").pipe(
      Flag.withMetavar("<name>"),
      Flag.withDescription(
        "Name or address by which other workers reach this one; default the name of this machine. Other than 127.0.0.1 it needs SLUICE_CLUSTER_SECRET, the same for all workers"
      ),
      Flag.optional
    ),
    port: FlagKinds.whole("port").pipe(
      Flag.withDescription("Port for other workers; default a free one"),
      Flag.optional
    ),
    concurrency
  },
  (input) =>
    using(
      () => import("./Worker.ts"),
      ({ run }) => run(input)
    )
).pipe(
  explained({
    does:
      "Does a share of every backfill of a cluster until it is stopped. The key comes from the environment or the config file, and the " +
      "folder of a backfill must have the same path on every worker.",
    short: "Work for a cluster",
    examples: [{ command: "sluice worker", description: "with SLUICE_CLUSTER and SLUICE_API_KEY in the environment" }]
  })
)
