/**
 * Gives a dataset in a folder longer periods.
 */
import * as Shape from "@sluice/node/internal/options/Shape"
import * as Files from "@sluice/files/internal/folder/Files"
import * as Effect from "effect/Effect"
import type * as FileSystem from "effect/FileSystem"
import type * as Path from "effect/Path"
import * as Queue from "effect/Queue"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import type * as Cause from "effect/Cause"
import * as FolderOptions from "../folder/FolderOptions.ts"
import * as FolderStore from "../folder/FolderStore.ts"
import * as Look from "../folder/Look.ts"
import * as LedgerLayout from "../ledger/Layout.ts"
import { BadDefinition, type HeldError, NoDataset } from "../model/DatasetError.ts"
import type { Compacting } from "../model/Event.ts"
import * as JobOptions from "../model/Job.ts"
import * as Prepare from "../plan/Prepare.ts"
import * as SeriesParams from "../model/SeriesParams.ts"

/** What becomes of the files of a dataset. */
export interface CompactOptions {
  /** Longer periods, files of more records, or both; what is absent stays, and then files become one where they have room. */
  readonly layout?: Pick<JobOptions.Layout, "period" | "rows"> | undefined
}

const check = JobOptions.refusing(Shape.faultOf(Schema.Struct({ to: Schema.String, layout: JobOptions.kept.layout })))

/**
 * Gives a dataset in a folder longer periods, so that it has fewer and larger files, and emits events. Sends nothing.
 *
 * **Details**
 *
 * From `day` to `month`, `year` or `"none"`, for example; later syncs go on with it. Records, versions and how far each entity is stay
 * the same. The files of one new period take the place of the old ones at a time, which are checked against their checksums first. Where
 * the process ends meanwhile, the dataset is compacted in part, and whole: the next {@link sync} or `compact` goes on with longer periods, and
 * `compact` with files that become one within a period. Whoever reads with
 * {@link read} meanwhile goes on too, and versions for others (`snapshots`) stay as they were until the end; in a DuckLake catalog until
 * the next sync. A period that is merged is on the disk twice for as long as that takes.
 *
 * **Gotchas**
 *
 * Records move to other files: who reads the files themselves meanwhile, by a glob, may meet records twice. A job that names the old
 * layout fails with `OtherDefinition` from then on.
 */
export const compact = (
  to: string,
  options: CompactOptions = {}
): Stream.Stream<Compacting, HeldError, FileSystem.FileSystem | Path.Path> =>
  Stream.callback<Compacting, HeldError, FileSystem.FileSystem | Path.Path>((events) =>
    Effect.andThen(Effect.scoped(drive(to, options, events)), Queue.end(events))
  )

const drive = Effect.fnUntraced(function* (
  to: string,
  { layout: given = {} }: CompactOptions,
  events: Queue.Queue<Compacting, HeldError | Cause.Done>
) {
  yield* check({ to, layout: given })
  const files = yield* Files.make
  const paths = Look.pathsOf(files, to)
  const ledger = yield* Look.at(files, paths)
  if (ledger === undefined) return yield* new NoDataset({ dataset: to, ...(yield* Look.foundIn(to)) })
  const { definition, format, layout: held } = ledger
  const refuse = (setting: string, reason: string) =>
    new BadDefinition({ endpoint: definition.endpoint, setting, reason })
  const endpoint = Prepare.endpointAt(definition.endpoint)
  if (endpoint === undefined) return yield* refuse("endpoint", "is none that this version knows")
  if (endpoint.order === "list") return yield* refuse("layout", "is for series: a list is one file")
  const layout = FolderOptions.layoutOf({ layout: given }, held)
  const { periods } = LedgerLayout
  if (periods.indexOf(layout.period) < periods.indexOf(held.period)) {
    return yield* refuse("layout.period", `is shorter than what the dataset has: ${held.period ?? "none"}`)
  }
  const series = yield* SeriesParams.makeAny(endpoint, definition.params)
  const emit = (told: Omit<Compacting, "_tag" | "dataset">) =>
    Queue.offer(events, { _tag: "Compacting" as const, dataset: to, ...told })
  const beginning = { layout: held, format, snapshots: undefined }
  yield* FolderStore.open(files, paths, { definition, series }, beginning, { layout, emit })
})
