/**
 * Where a backfill of the command line goes: the folder of a download, the folder of a dataset, or a table of PostgreSQL.
 */
import * as Effect from "effect/Effect"
import { backfillFlags, type BackfillInput } from "../flags/BackfillFlags.ts"
import * as PlaceFlags from "./PlaceFlags.ts"

export const of = Effect.fnUntraced(function* (input: BackfillInput) {
  const { columns, statusColumns, numbers, ...ofFiles } = input.format
  const ofDatasets = PlaceFlags.named(
    { ...backfillFlags.layout, ...backfillFlags.update },
    { ...input.layout, ...input.update }
  )
  const place = yield* PlaceFlags.find<"Folder" | "Postgres">(input, {
    command: "backfill",
    noun: "a backfill",
    into: ["Folder", "Postgres"],
    intoIs: "the folder of a dataset, or a PostgreSQL",
    intoIsNot: "--into is neither a folder nor a URL that begins with postgres://",
    table: "the table for the records",
    unfit: {
      Output: { flags: ofDatasets, why: () => "is of a dataset: name its folder with --into" },
      // The parts of a dataset follow from its layout.
      Folder: {
        flags: PlaceFlags.named(
          { ...backfillFlags.split, columns: backfillFlags.format.columns },
          { ...input.split, columns }
        ),
        why: () => "is of a download, and --into names the folder of a dataset"
      },
      Postgres: {
        flags: [...PlaceFlags.named(backfillFlags.format, { ...ofFiles, columns }), ...ofDatasets],
        why: () => "is of files, and --into names a table"
      }
    }
  })
  const format = (usual: "ndjson" | "parquet") => ({ ...input.format, as: input.format.as ?? usual })
  switch (place._tag) {
    case "Output":
      return { files: { to: place.folder, format: format("ndjson") } }
    case "Folder":
      return { dataset: { folder: place.folder, layout: input.layout, format: format("parquet"), ...input.update } }
    default:
      return { table: { url: place.url, table: place.table, numbers, statusColumns } }
  }
})
