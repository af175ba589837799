/** What to do about failures of folders, of datasets, and of the databases that hold them. */
import type { InvalidRequest } from "@sluice/core/ApiError"
import type * as Dataset from "@sluice/datasets/Dataset"
import type { BadDatasets } from "../commands/data/DatasetsFile.ts"
import type { MissingPackage } from "../commands/data/Place.ts"
import type { BadPlace } from "../commands/data/PlaceFlags.ts"
import type { FindingsLeft } from "../commands/data/Audit.ts"
import type { CatalogDiffers, NotReadToEnd } from "../commands/data/Verify.ts"
import * as Advice from "./Advice.ts"
import type { PartsFailed } from "@sluice/files/Download"
import type { Unwritable } from "@sluice/files/Format"

/** A folder cannot be used; a dataset cannot be begun or brought up to date, or is not what it should be. */
export type DatasetFailure =
  | Dataset.FolderError
  | Dataset.FileMissing
  | PartsFailed
  | Unwritable
  | Dataset.BadDefinition
  | Dataset.OtherDefinition
  | Dataset.NoDataset
  | Dataset.NotHeld
  | Dataset.NewerVersion
  | Dataset.UnexpectedRecord
  | Dataset.OtherName
  | Dataset.DatasetDamaged
  | Dataset.StoreFailed
  | Dataset.StoreInUse
  | Dataset.RunInterrupted
  | Dataset.SyncFailed
  | CatalogDiffers
  | NotReadToEnd
  | FindingsLeft
  | BadPlace
  | BadDatasets
  | MissingPackage

/** What to do about a setting that no dataset takes, beyond what the endpoint says. */
const onDefinition = ({ kind, setting }: Dataset.BadDefinition): string | undefined => {
  if (setting === "endpoint") return "Those that can are time series: `sluice endpoints timeseries` lists them."
  if (setting === "table")
    return "Name another with --table, without a schema: it is made in public, and in DuckDB in main."
  if (setting === "url") return "Name a database of PostgreSQL with --into: postgres://user@host/database."
  if (kind === "missing") return `Add --${setting}.`
  if (setting === "end_time") return "Leave --end_time out: a dataset goes on. `sluice download` takes one."
  return undefined
}

const onOther = ({ differs }: Dataset.OtherDefinition): string =>
  differs.some((setting) => setting.startsWith("layout."))
    ? "Leave the layout out, or give the one that the dataset has: `sluice compact` gives it longer periods."
    : differs.includes("root")
      ? "The root belongs to a dataset: give the one it began with, by --root, SLUICE_BASE_URL or root in the config file."
      : "`sluice sync` with its place alone, --output or --into, and no other flags, brings it up to date as it is."

const onNone = ({ found }: Dataset.NoDataset): string => {
  if (found === "cache") return "Name one of its folders."
  if (found === "download")
    return "The command that made it proves it with --verify. `sluice sync` begins a dataset in a folder of its own."
  const begins =
    "`sluice sync timeseries/asset-metrics --assets btc --metrics PriceUSD --output <folder>` begins one; a table takes --into <database> --table <name> in place of --output."
  return found === "nothing"
    ? `Check the name. ${begins}`
    : `${begins} The folder of a download is proved by \`sluice download … --verify\`.`
}

const onNotHeld = ({ isAsked, isCache, ranges: [first], synced }: Dataset.NotHeld): string | undefined => {
  if (synced !== undefined) return "`sluice status` tells when the last sync ended, and `sluice sync` begins another."
  if (isAsked === true || first?.isRefused === true) return undefined
  if (isCache === true) return "`sluice get --cache` without --offline reads them from the service, and keeps them."
  return "`sluice sync`, or `sluice get --from` without --offline, reads them from the service, and keeps them."
}

const onDamage = ({ files }: Dataset.DatasetDamaged): string =>
  files === undefined
    ? "Restore it from a backup, a table with sluice_datasets and sluice_cursors beside it, or sync into another place."
    : "Move the files that are named away: the next run reads them again."

const onPlace = ({ command, missing }: BadPlace): string => {
  if (command === "worker") return "`sluice worker --help` tells more."
  if (command === "status")
    return "`sluice status --help` has examples. `sluice backfill status` tells how far backfills are."
  if (command === "backfill")
    return "`sluice backfill timeseries/asset-metrics --help` lists its flags, and docs/many-machines.md has examples."
  return missing === "table"
    ? "Add the table of the dataset, such as --table closes."
    : `\`sluice ${command ?? "sync"} --help\` has examples.`
}

const onMissing = ({ name, version }: MissingPackage): string =>
  `Install it where sluice is: \`npm install ${version === undefined ? name : `${name}@${version}`}\`, with --global where sluice was installed so.`

/** No further run helps where the place is wrong. What else fails passes, or is said by the reason. */
const onStore = ({ code = "", kind, operation, reason }: Dataset.StoreFailed) => {
  const text = `${code} ${reason}`
  if (kind === "occupied") return "Name another with --table or --lake, or drop it if nobody needs it."
  if (/^(?:28|3D)/.test(code) || /authentication|does not exist/i.test(reason))
    return "Check user, password (PGPASSWORD) and database: the database has to exist, sluice makes only the table."
  if (operation === "connect" || /ECONNREFUSED|ENOTFOUND|refused/.test(text))
    return "Check host and port of --into or --lake, and that the server runs; what was committed is kept."
  if (operation === "open the file")
    return "Check the name of the file, its rights, and that no other program has it open."
  return "If the reason passes by itself, the next run continues from what was committed."
}

/** What no sync asks for is before the first record that was read. */
const onCatalog =
  "Sync again for what goes on. What begins earlier, or is not held after that, is asked for by a new dataset alone."

/** The message says what to do. */
const folder: Advice.Advice<unknown> = { kind: "system" }

export const advice: Advice.Table<DatasetFailure> = {
  FolderInUse: folder,
  FolderLost: folder,
  FolderOccupied: folder,
  OtherJob: {
    kind: "system",
    next: ({ differs }) =>
      differs.some((name) => /^params\..*_time$/.test(name))
        ? "A time such as -30d moves on: with --resume it stays what it was when the download began."
        : undefined
  },
  NotFinished: { kind: "system", next: "Add --resume to continue it, or choose another folder." },
  NothingToResume: folder,
  BookkeepingDamaged: folder,
  UnexpectedEntry: folder,
  FileChanged: folder,
  FileMissing: folder,
  FileFailed: folder,
  PartsFailed: { kind: "incomplete", next: "The same command with --resume reads the remaining parts." },
  Unwritable: {
    kind: "reply",
    next: "Choose a format that can hold it: ndjson holds every value, and Parquet or Arrow with --numbers text every number."
  },
  NoDataset: { kind: "usage", next: onNone },
  NotHeld: { kind: "incomplete", next: onNotHeld },
  BadDefinition: {
    kind: "usage",
    next: (failure) =>
      onDefinition(failure) ??
      (failure.endpoint === "" || failure.kind === "reading" ? undefined : Advice.describe(failure.endpoint))
  },
  OtherDefinition: { kind: "system", next: onOther },
  OtherName: {
    kind: "usage",
    next: "Add the name to the list and run it again; what is held under the old one is kept, or removed with --on-removed remove."
  },
  UnexpectedRecord: { kind: "reply", next: "Run it again; if it happens again, report it to the provider." },
  DatasetDamaged: { kind: "system", next: onDamage },
  NewerVersion: { kind: "system" },
  RunInterrupted: { kind: "system" },
  StoreFailed: { kind: "system", next: onStore },
  StoreInUse: { kind: "system" },
  SyncFailed: {
    kind: "incomplete",
    next: (_, target) => `The same command reads the rest; all others are kept.${Advice.offline(target)}`
  },
  NotReadToEnd: { kind: "incomplete", next: "`sluice sync` with its place goes on." },
  CatalogDiffers: { kind: "incomplete", next: onCatalog },
  FindingsLeft: {
    kind: "incomplete",
    next: ({ areLate }) =>
      areLate
        ? "A sync reads what is late, and --max-age says how old the last record may be."
        : "A sync with --recheck reads such times again, `sluice verify` tells whether files are as they were written, --max-age says how old the last record may be; --acknowledge with the ids of what is known leaves it out."
  },
  BadDatasets: { kind: "usage", next: ({ next }) => next },
  BadPlace: { kind: "usage", next: onPlace },
  MissingPackage: { kind: "system", next: onMissing }
}

/** What is wrong with what is held, rather than with a run. */
export type Damage = Dataset.DatasetDamaged | Dataset.FileChanged | Dataset.FileMissing

export const isDamage = (failure: { readonly _tag: string }): failure is Damage =>
  ["DatasetDamaged", "FileChanged", "FileMissing"].includes(failure._tag)

/** Everything that is damaged, of which a message names the first few. */
export const damagedIn = (failure: Damage): ReadonlyArray<string> => {
  if (failure._tag === "DatasetDamaged") return failure.issues
  const missing = failure._tag === "FileChanged" ? (failure.missing ?? []) : []
  return [failure.file, ...(failure.others ?? []), ...missing]
}

/** The error of a single request, or the same refusal of all of them: then the request itself is wrong. */
export const sharedBy = ({ failed }: Dataset.SyncFailed) => {
  const [first] = failed
  const isShared = failed.every(
    ({ error }) =>
      error._tag === "InvalidRequest" && first?.error._tag === "InvalidRequest" && sameRefusal(error, first.error)
  )
  return failed.length === 1 || isShared ? first?.error : undefined
}

const sameRefusal = (a: InvalidRequest, b: InvalidRequest) =>
  a.kind === b.kind && a.parameter === b.parameter && a.value === b.value
