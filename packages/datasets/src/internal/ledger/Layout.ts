/**
 * The folders and names of the files of a dataset: `asset=btc/year=2025/btc-2025-01-01.parquet`, which readers take for columns
 * (Hive partitioning).
 */
import * as Schema from "effect/Schema"
import * as Checksum from "@sluice/files/internal/folder/Checksum"
import * as Calendar from "../model/Calendar.ts"
import type { Key } from "../model/Keys.ts"
import { Period, type Time } from "../model/Store.ts"

/** Schema of {@link Layout}. */
export const Layout = Schema.Struct({
  byEntity: Schema.Boolean,
  period: Schema.NullOr(Period),
  /** Records after which a file is followed by another. */
  rows: Schema.Int.check(Schema.isGreaterThan(0))
})

/** How a dataset is cut into files. */
export interface Layout extends Schema.Schema.Type<typeof Layout> {}

/** Periods from the shortest to that of all times. */
export const periods: ReadonlyArray<Layout["period"]> = [...Period.literals, null]

/** The period of a file or a history: its name is a day, a month, a year, or absent. */
export const periodOf = ({ period: name }: { readonly period?: string | undefined } = {}): Layout["period"] =>
  name === undefined ? null : (Period.literals.findLast((period) => Calendar.periodOf(period, name) === name) ?? null)

/** Whether files and histories have the periods of a layout. Where some do not, a compaction was stopped. */
export const hasOnePeriod = ({ period }: Layout, all: Iterable<{ readonly period?: string | undefined }>): boolean =>
  [...all].every((one) => periodOf(one) === period)

/** The records that share a folder. */
export interface Partition {
  /** The entity; absent where entities share files. */
  readonly entity: string | undefined
  /** The day, month or year; absent where all times share a folder. */
  readonly period: string | undefined
}

/** The partition of a record. */
export const partitionOf = ({ byEntity, period }: Layout, entity: string, time: Time): Partition => ({
  entity: byEntity ? entity : undefined,
  period: period === null ? undefined : Calendar.periodOf(period, time)
})

/** Text that tells a partition from others. */
export const idOf = ({ entity = "", period = "" }: Partition): string => `${period}/${entity}`

/**
 * Where the records of a partition end that belong to an entity; for files of several entities behind all of them, since such a
 * change has one period alone.
 */
export const endOf = ({ entity, period }: Partition): Key =>
  entity === undefined
    ? { entity: lastEntity, time: undefined }
    : { entity, time: period === undefined ? undefined : Calendar.endOf(period) }

/** Where they begin. */
export const startOf = ({ entity, period }: Partition): Key => ({
  entity: entity ?? "",
  time: period === undefined || entity === undefined ? "" : Calendar.startOf(period)
})

/** Comes after every name of an entity. */
const lastEntity = "\uffff"

/** Characters that Hive escapes in the name of a folder; a part of a path begins with no point either. */
// oxlint-disable-next-line no-control-regex
const special = /[\u0000-\u001f\u007f"#%'*/:=?\\{[\]^<>|]/g

/** A value as the name of a folder has it: `%2F` for a slash. */
export const escape = (value: string): string =>
  value.replace(special, (found) => `%${found.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`)

/** The most bytes of a name on all common file systems. */
const longestFolder = 255

/** The name without its last characters, and a checksum of all, where it has more bytes than a folder may have. */
const fitted = (name: string): string => {
  if (Buffer.byteLength(name) <= longestFolder) return name
  const sum = `-${Checksum.ofText(name).slice(0, 16)}`
  let kept = ""
  for (const character of name) {
    if (Buffer.byteLength(kept + character) > longestFolder - sum.length) break
    kept += character
  }
  return `${kept.replace(/%[0-9A-F]?$/, "")}${sum}`
}

/** A value as the name of a folder where another entity has the plain one but for upper and lower case: every letter escaped. */
const escapeAll = (value: string): string =>
  Array.from(Buffer.from(value), (byte) =>
    /[0-9_-]/.test(String.fromCharCode(byte))
      ? String.fromCharCode(byte)
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`
  ).join("")

/**
 * The folder of an entity. `isTaken` tells of a name whether another entity has it: file systems that take upper and
 * lower case for the same would give both one folder.
 */
export const entityFolder = (field: string, entity: string, isTaken: (name: string) => boolean): string => {
  const plain = fitted(`${field}=${escape(entity)}`)
  return isTaken(plain) ? fitted(`${field}=${escapeAll(entity)}`) : plain
}

/** The folders of a period, below that of the entity or of the dataset. Empty for all records in one. */
export const periodFolders = ({ period }: Partition): ReadonlyArray<string> => {
  const [year, month, day] = period === undefined ? [] : period.split("-")
  const pairs = [
    ["year", year],
    ["month", month],
    ["day", day]
  ] as const
  return pairs.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
}

/** The most characters of an entity in the name of a file. */
const longest = 60

/** Names a file after its entity, if it has one, and its first time, without what makes a name taken. */
export const nameOf = (
  { entity, period }: Partition,
  first: Time,
  extension: string,
  isTaken: (name: string) => boolean
) => {
  const begin = first
    .replace(/T00:00:00\.0+Z$/, "")
    .replace(/\.?0*Z$/, "")
    .replaceAll(":", "")
  const whole = period !== undefined && first === Calendar.startOf(period) ? period : begin
  const words = [...(entity === undefined ? [] : [entity.slice(0, longest)]), whole]
  // Names that begin with a point are hidden, and may lead out of a folder.
  const name = words
    .map((word) => word.replaceAll(/[^A-Za-z0-9._+-]/g, "_"))
    .join("-")
    // The records of a list have no time.
    .replace(/^$/, "list")
    .replace(/^\./, "_")
  for (let count = 1; ; count++) {
    const numbered = `${name}${count === 1 ? "" : `-${count}`}${extension}`
    if (!isTaken(numbered)) return numbered
  }
}
