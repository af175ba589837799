/**
 * Where a backfill of the command line goes: the folder of a download, the folder of a dataset, or a table of PostgreSQL.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { BackfillInput } from "./BackfillFlags.ts"
import * as FormatFlags from "./FormatFlags.ts"
import * as PlaceFlags from "./PlaceFlags.ts"
import * as Sync from "./Sync.ts"

/** Flags that say how a dataset is cut into files, and what its syncs do. */
const ofDatasets = ["period", "by-entity", "rows", "look-back", "on-removed"] as const

const allowed = {
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
      flags: ["split", "size", "every", "columns"],
      why: () => "is of a download, and --into names the folder of a dataset"
    },
    Postgres: {
      flags: ["format", "compression", "decimal", "columns", ...ofDatasets],
      why: () => "is of files, and --into names a table"
    }
  }
} satisfies PlaceFlags.Allowed<"Folder" | "Postgres", keyof BackfillInput>

/** The place that the flags name; one of the three. */
export const of = Effect.fnUntraced(function* (input: BackfillInput) {
  const place = yield* PlaceFlags.find<"Folder" | "Postgres", keyof BackfillInput>(input, allowed)
  if (place._tag === "Output") return { folder: place.folder, table: undefined, dataset: undefined }
  if (place._tag === "Folder") {
    const dataset = {
      folder: place.folder,
      layout: Sync.layoutOf(input),
      format: {
        as: Option.getOrElse(input.format, () => "parquet" as const),
        compression: Option.getOrUndefined(input.compression),
        ...FormatFlags.formatOf(input)
      },
      lookBack: Option.getOrUndefined(input["look-back"]),
      onRemoved: Option.getOrUndefined(input["on-removed"])
    }
    return { folder: undefined, table: undefined, dataset }
  }
  const table = {
    url: place.url,
    table: place.table,
    numbers: Option.getOrUndefined(input.numbers),
    statusColumns: Option.getOrUndefined(input["status-columns"])
  }
  return { folder: undefined, table, dataset: undefined }
})
