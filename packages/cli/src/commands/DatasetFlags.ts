/**
 * The flags of the commands that keep datasets.
 */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type * as Option from "effect/Option"
import type { Given } from "./About.ts"
import * as FlagKinds from "./FlagKinds.ts"
import * as FormatFlags from "./FormatFlags.ts"

/** The flags of a dataset in any place. */
const placeFlags = {
  output: FormatFlags.output("<folder>", "Folder of the dataset; created if missing").pipe(Flag.optional),
  into: Flag.String("into").pipe(
    Flag.withMetavar("<database>"),
    Flag.withDescription(
      "In place of a folder: a URL such as postgres://user@host/database, with PGPASSWORD in the environment, or a file such as market.duckdb"
    ),
    Flag.optional
  ),
  table: Flag.String("table").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription(
      "With --into: the table; created if missing, in a database that exists (a DuckDB file is created)"
    ),
    Flag.optional
  ),
  numbers: FormatFlags.numbers("Parquet and tables"),
  "status-columns": FormatFlags.statusColumns(FormatFlags.inCsvAlone)
}

/** How the files of a folder are cut, and what every run reads again. */
export const layoutFlags = {
  period: FlagKinds.choice("period", ["day", "month", "year", "none"]).pipe(
    Flag.withDescription("Folders of the calendar, such as year=2025; default year"),
    Flag.optional
  ),
  "by-entity": Flag.Boolean("by-entity").pipe(
    Flag.withDescription("A folder for each entity, such as asset=btc (default); --no-by-entity puts them together"),
    Flag.optional
  ),
  rows: FlagKinds.whole("rows").pipe(
    Flag.withDescription("Records after which another file begins; default 1000000"),
    Flag.optional
  ),
  "look-back": FlagKinds.duration("look-back").pipe(
    Flag.withDescription(
      "Reads so much before the last record of each entity again, since it may be revised; default by frequency: 1w of days, 1d of hours, 1h of minutes, else 2m"
    ),
    Flag.optional
  ),
  "on-removed": FlagKinds.choice("on-removed", ["keep", "remove"]).pipe(
    Flag.withDescription("What happens to records of an entity that the service no longer has; default keep"),
    Flag.optional
  )
}

/** Flags of `sync`, beside the parameters of the endpoint. */
export const syncFlags = {
  output: placeFlags.output,
  into: placeFlags.into,
  table: placeFlags.table,
  format: FormatFlags.fileFormat("parquet").pipe(Flag.optional),
  compression: FormatFlags.compression,
  numbers: placeFlags.numbers,
  decimal: FormatFlags.decimal("Parquet"),
  "status-columns": placeFlags["status-columns"],
  ...layoutFlags,
  check: FlagKinds.toggle("check").pipe(
    Flag.withDescription("Says what would be requested and why, and changes nothing")
  ),
  watch: FlagKinds.toggle("watch").pipe(
    Flag.withDescription(
      "Then goes on until it is stopped: keeps what the live stream of the series sends, or where there is none asks again"
    )
  ),
  interval: FlagKinds.duration("interval").pipe(
    Flag.withDescription("With --watch: how often what came is kept, or asked for; default 1m"),
    Flag.optional
  ),
  concurrency: FlagKinds.whole("concurrency").pipe(
    Flag.withDescription("Requests read at the same time; default 10"),
    Flag.optional
  )
}

/** Flags of `verify`. */
export const verifyFlags = {
  table: Flag.String("table").pipe(
    Flag.withMetavar("<name>"),
    Flag.withDescription("With a database: the table of the dataset"),
    Flag.optional
  ),
  catalog: FlagKinds.toggle("catalog").pipe(
    Flag.withDescription("Compares the times held of each entity with the catalog of the service, too")
  )
}

/** What the flags say of the files of a folder. */
export type LayoutInput = Command.Command.Config.Infer<typeof layoutFlags>

/** What the flags say of the place of a dataset. */
export type PlaceInput = Command.Command.Config.Infer<typeof placeFlags>

/** Arguments and flags of `verify`. */
export interface VerifyInput extends Command.Command.Config.Infer<typeof verifyFlags> {
  /** A folder or a database. */
  readonly place: string
}

/** Arguments and flags of `sync`. The endpoint is absent where the folder says it. */
export interface SyncInput extends Omit<Given, "endpoint">, Command.Command.Config.Infer<typeof syncFlags> {
  readonly endpoint: Option.Option<string>
}
