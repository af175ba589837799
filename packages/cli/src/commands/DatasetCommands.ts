/** The commands of datasets. */
import * as Argument from "effect/cli/Argument"
import * as Effect from "effect/Effect"
import * as Examples from "../endpoints/Examples.ts"
import type { About } from "./flags/About.ts"
import { auditFlags, compactFlags, heldListFlags, statusFlags, syncFlags, verifyFlags } from "./flags/DatasetFlags.ts"
import { argument, command, endpoint, optional, using } from "./CommandHelpers.ts"

export const sync = (about: About | undefined) =>
  command(
    "sync",
    { endpoint: optional(endpoint), ...syncFlags, parameters: about?.flags ?? {} },
    Effect.fnUntraced(function* (input) {
      const { all } = input
      if (all !== undefined) return yield* using(() => import("./data/SyncAll.ts"))(({ run }) => run({ ...input, all }))
      return yield* input.watch
        ? using(() => import("./data/Watch.ts"))(({ run }) => run(input, about))
        : using(() => import("./data/Sync.ts"))(({ run }) => run(input, about))
    }),
    {
      does: "Keeps a time series in a folder or a table. Every run asks for what is new or may have been revised; the folder or the table is enough for the next.",
      short: "Keep a time series in a folder or a table up to date",
      examples: Examples.sync(about),
      about
    }
  )

const place = argument("place", "Folder of a dataset, or the database of its --table")

export const verify = command(
  "verify",
  { place, ...verifyFlags },
  (input) => using(() => import("./data/Verify.ts"))(({ run }) => run(input)),
  {
    does: "Proves that a dataset is as it was written. Of a folder: checksums, order, no repeats, numbers of records; of a table how many records each entity has, their first and last times, and no repeats. Asks the service nothing without --catalog.",
    short: "Prove that a dataset is as it was written",
    examples: Examples.verify
  }
)

export const compact = command(
  "compact",
  { place: argument("place", "Folder of a dataset"), ...compactFlags },
  (input) => using(() => import("./data/Compact.ts"))(({ run }) => run(input)),
  {
    does: "Makes few large files of the many small ones of a dataset, by longer periods, and checks each against its checksum. Records and versions stay the same, and a sync goes on with the new layout. After a stop at any moment the next compact or sync completes it. Asks the service nothing.",
    short: "Make few large files of the many small ones of a dataset",
    examples: Examples.compact
  }
)

export const audit = command(
  "audit",
  { place: argument("place", "Folder of a dataset"), ...auditFlags },
  (input) => using(() => import("./data/Audit.ts"))(({ run }) => run(input)),
  {
    does: "Tells what looks wrong in the data of a dataset: holes, repeats, disorder, stale runs, outliers, values out of bounds, candles and books that contradict themselves, and how each day is. Exits with 10 where there are findings that nobody has acknowledged. Asks the service nothing without --ask.",
    short: "Find holes, outliers and contradictions in a dataset",
    examples: Examples.audit
  }
)

const entities = argument("entity", "Assets, markets or others of the dataset; default all").pipe(Argument.variadic())

export const coverage = command(
  "coverage",
  { place, entities, ...heldListFlags },
  (input) => using(() => import("./data/HeldLists.ts"))(({ coverage }) => coverage(input)),
  {
    does: "Lists the times of each entity of a dataset that are final, provisional (a sync may change them or add to them) or missing. Asks the service nothing.",
    short: "List the times that a dataset has",
    examples: Examples.coverage
  }
)

export const revisions = command(
  "revisions",
  { place, entities, ...heldListFlags },
  (input) => using(() => import("./data/HeldLists.ts"))(({ revisions }) => revisions(input)),
  {
    does: "Lists what the service changed in a dataset that keeps versions (sync --versions keep): each revised value before and after, and the earliest time at which a program could know it; records that came late or were removed, and items of a list. Asks the service nothing.",
    short: "List the values that the service revised",
    examples: Examples.revisions
  }
)

export const status = command(
  "status",
  { place: optional(place), ...statusFlags },
  (input) => using(() => import("./data/Status.ts"))(({ run }) => run(input)),
  {
    does: "Tells what a dataset holds, or each one of a file: how many entities and records, the newest time, and what is missing. Alone and with SLUICE_CLUSTER it tells how far the backfills of that cluster are. Asks the service nothing.",
    short: "Tell what datasets hold and what is missing",
    examples: Examples.status
  }
)
