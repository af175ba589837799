/** What is simulated, by name. */
import { Simulation } from "@sluice/sandbox"
import { Effect, Logger } from "effect"
import * as Auditor from "./Auditor.ts"
import * as Backfills from "./Backfills.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Processes from "./Processes.ts"
import * as Datasets from "./Datasets.ts"
import * as Downloads from "./Downloads.ts"
import * as LiveBlocks from "./LiveBlocks.ts"
import * as LiveBooks from "./LiveBooks.ts"
import * as LiveSeries from "./LiveSeries.ts"
import * as Requests from "./Requests.ts"
import * as Sharing from "./Sharing.ts"
import * as Tables from "./Tables.ts"

const targets = {
  requests: Requests.make,
  endpoints: Endpoints.make,
  processes: Effect.succeed(Processes.mortal),
  sharing: Effect.succeed(Sharing.any),
  live: LiveSeries.make,
  books: LiveBooks.make,
  blocks: LiveBlocks.make,
  downloads: Downloads.make,
  datasets: Datasets.make,
  tables: Tables.make,
  backfills: Backfills.make
}

/** A target. */
export type Name = keyof typeof targets

// Type boundary: the keys of an object as its own type has them.
export const names = Object.keys(targets) as ReadonlyArray<Name>

/** Runs a target under many seeds. Its truth is read once, before them. */
export const check = (name: Name, options: Simulation.Options) =>
  Effect.flatMap(Effect.orDie(targets[name]), (run) =>
    Simulation.check(Auditor.keyHidden(run), { within: "30 days", turns: 2_000_000, ...options })
  ).pipe(Effect.provide(Logger.layer([])))
