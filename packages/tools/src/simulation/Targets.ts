/** What is simulated, by name. */
import { Simulation } from "@sluice/sandbox"
import { Effect, Logger } from "effect"
import * as Auditor from "./Auditor.ts"
import * as Backfills from "./Backfills.ts"
import * as Endpoints from "./Endpoints.ts"
import * as Processes from "./Processes.ts"
import * as Datasets from "./Datasets.ts"
import * as Downloads from "./Downloads.ts"
import * as Lakes from "./Lakes.ts"
import * as LiveBlocks from "./LiveBlocks.ts"
import * as LiveBooks from "./LiveBooks.ts"
import * as LiveSeries from "./LiveSeries.ts"
import * as Reads from "./Reads.ts"
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
  reads: Reads.make,
  datasets: Datasets.make,
  tables: Tables.make,
  lakes: Lakes.make,
  backfills: Backfills.make
}

/** A target. */
export type Name = keyof typeof targets

// Type boundary: the keys of an object as its own type has them.
export const names = Object.keys(targets) as ReadonlyArray<Name>

/** Runs a target under many seeds, and tells what these were. Its truth is read once, before them. */
export const check = (name: Name, options: Simulation.Options) =>
  Effect.gen(function* () {
    const run = yield* Effect.orDie(targets[name])
    const drawn: Record<string, number> = {}
    const report = yield* Simulation.check(Auditor.keyHidden(run), {
      within: "30 days",
      // A read waits up to a minute for a process that was killed while it filled the cache, and looks four times a second.
      turns: 6_000_000,
      ...options
    }).pipe(Effect.provideService(Auditor.Drawn, drawn))
    return { ...report, ...drawn }
  }).pipe(Effect.provide(Logger.layer([])))
