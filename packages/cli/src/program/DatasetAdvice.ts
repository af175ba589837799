/**
 * What users read of the failures of datasets.
 */
import type { InvalidRequest } from "@sluice/core/ApiError"
import type {
  DatasetDamaged,
  FileChanged,
  FileMissing,
  OtherDefinition,
  StoreFailed,
  SyncFailed
} from "@sluice/node/Dataset"
import type { BadPlace, MissingPackage } from "../commands/Place.ts"

export type { CatalogDiffers } from "../commands/Verify.ts"

/** What to do about a setting that no dataset takes, beyond what the endpoint says. */
export const onDefinition = (setting: string): string | undefined => {
  if (setting === "endpoint") return "Those that can are time series: `sluice endpoints timeseries` lists them."
  if (setting === "end_time") return "Leave --end_time out: a dataset goes on. `sluice download` takes one."
  return undefined
}

/** What to do where a dataset differs. */
export const onOther = ({ differs }: OtherDefinition): string =>
  differs.includes("root")
    ? "The root belongs to a dataset: give the one it began with, by --root, SLUICE_BASE_URL or root in the config file."
    : "`sluice sync` with its place alone, --output or --into, and no other flags, brings it up to date as it is."

/** What to do where there is none. */
export const onNone =
  "`sluice sync timeseries/asset-metrics --assets btc --metrics PriceUSD --output <folder>` begins one; a table takes --into <database> --table <name> in place of --output. The folder of a download is proved by `sluice download … --verify`."

/** What to do about damage. Issues of a folder begin with the name of a file. */
export const onDamage = ({ issues }: DatasetDamaged): string =>
  issues.some((issue) => /\.(?:parquet|csv|ndjson)(?:\.\w+)? /.test(issue))
    ? "Move the files that are named away: the next run reads them again."
    : "Restore the table, with sluice_datasets and sluice_cursors beside it, from a backup, or sync into another table."

/** What to do about a place that is none. */
export const onPlace = ({ command, reason }: BadPlace): string => {
  if (command === "worker") return "`sluice worker --help` tells more."
  if (command === "backfill")
    return "`sluice backfill timeseries/asset-metrics --help` lists its flags, and docs/many-machines.md has examples."
  return reason.startsWith("--table is missing")
    ? "Add the table of the dataset, such as --table closes."
    : "`sluice sync --help` has examples."
}

/** How to install the package that a database needs. */
export const onMissing = ({ name, version }: MissingPackage): string =>
  `Install it where sluice is: \`npm install ${version === undefined ? name : `${name}@${version}`}\`, with --global where sluice was installed so.`

/** No further run helps where the place is wrong. What else fails passes, or is said by the reason. */
export const onStore = ({ code = "", operation, reason }: StoreFailed) => {
  const text = `${code} ${reason}`
  if (/no sync has made/.test(reason)) return "Name another with --table, or drop it if nobody needs it."
  if (/^(?:28|3D)/.test(code) || /authentication|does not exist/i.test(reason))
    return "Check user, password (PGPASSWORD) and database: the database has to exist, sluice makes only the table."
  if (operation === "connect" || /ECONNREFUSED|ENOTFOUND|refused/.test(text))
    return "Check host and port of --into, and that the server runs; what was committed is kept."
  if (operation === "open the file")
    return "Check the name of the file, its rights, and that no other program has it open."
  return "If the reason passes by itself, the next run continues from what was committed."
}

/** What no sync asks for is before the first record that was read. */
export const onCatalog =
  "Sync again for what goes on. What begins earlier, or is not held after that, is asked for by a new dataset alone."

/** What is wrong with what is held, rather than with a run. */
export type Damage = DatasetDamaged | FileChanged | FileMissing

/** Whether a failure is about what is held. */
export const isDamage = (failure: { readonly _tag: string }): failure is Damage =>
  ["DatasetDamaged", "FileChanged", "FileMissing"].includes(failure._tag)

/** Everything that is damaged, of which a message names the first few. */
export const damagedIn = (failure: Damage): ReadonlyArray<string> => {
  if (failure._tag === "DatasetDamaged") return failure.issues
  const missing = failure._tag === "FileChanged" ? (failure.missing ?? []) : []
  return [failure.file, ...(failure.others ?? []), ...missing]
}

/** The error of a single request, or the same refusal of all of them: then the request itself is wrong. */
export const sharedBy = ({ failed }: SyncFailed) => {
  const [first] = failed
  const isShared = failed.every(
    ({ error }) =>
      error._tag === "InvalidRequest" && first?.error._tag === "InvalidRequest" && sameRefusal(error, first.error)
  )
  return failed.length === 1 || isShared ? first?.error : undefined
}

const sameRefusal = (a: InvalidRequest, b: InvalidRequest) =>
  a.kind === b.kind && a.parameter === b.parameter && a.value === b.value
