/** Names of the files of a download: they show what a file holds. */
import * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"

/** How a download is split, as far as names show it. */
type Split = Pick<Bulk.Split, "by" | "every">

/** The most characters for the items of a part. */
const longest = 60

/**
 * Names the file of every part, such as `btc_2024-01.csv.gz`: its items, its time, and the extension of the format.
 * Without a split the last part of the endpoint's path. Names that a file system may take for the same begin with the
 * number of their part.
 */
export const all = (
  endpoint: Endpoint.Info,
  split: Split,
  parts: ReadonlyArray<Bulk.Part>,
  extension: string
): ReadonlyArray<string> => {
  const width = String(Math.max(0, parts.length - 1)).length
  const whole = endpoint.path.split("/").at(-1) ?? ""
  const begin = Parameter.find(endpoint.parameters, "Start", "time")?.name
  const names = parts.map(({ params }) => {
    const items = split.by === undefined ? [] : [itemsOf(Params.items(params[split.by]))]
    const time =
      split.every === undefined || begin === undefined ? [] : [timeOf(split.every, String(params[begin] ?? ""))]
    const words = [...items, ...time]
    return allowed((words.length === 0 ? [whole] : words).map(safe).join("_"))
  })
  const numbered = (name: string, index: number) => `${String(index).padStart(width, "0")}-${name}`
  const found = counts(names)
  const some = names.map((name, index) => (found.get(fold(name)) === 1 ? name : numbered(name, index)))
  // A numbered name may be that of another part.
  return (counts(some).size === some.length ? some : names.map(numbered)).map((name) => `${name}${extension}`)
}

/** Some file systems do not tell capitals from small letters. */
const fold = (name: string) => name.toLowerCase()

const counts = (names: ReadonlyArray<string>): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const name of names) found.set(fold(name), (found.get(fold(name)) ?? 0) + 1)
  return found
}

/** All items where they are short, otherwise the first item and the number of the others. */
const itemsOf = (items: ReadonlyArray<string>): string => {
  const text = items.join("+")
  if (text.length <= longest) return text
  const [first = ""] = items
  return items.length === 1 ? first.slice(0, longest) : `${first.slice(0, longest)}+${items.length - 1}`
}

/** The period of the calendar that a part is in, or the moment it begins. */
const timeOf = (every: NonNullable<Split["every"]>, start: string): string => {
  const months = Bulk.monthsOf(every)
  if (months === undefined) return day(start)
  const month = Number(start.slice(0, 4)) * 12 + Number(start.slice(5, 7)) - 1
  const first = month - (month % months)
  const [from, to] =
    months % 12 === 0 ? [yearOf(first), yearOf(first + months - 1)] : [first, first + months - 1].map(monthOf)
  return from === to ? String(from) : `${from}_${to}`
}

const yearOf = (month: number) => String(Math.floor(month / 12)).padStart(4, "0")

const monthOf = (month: number) => `${yearOf(month)}-${String((month % 12) + 1).padStart(2, "0")}`

/** A date alone for midnight; otherwise the time without colons and without zeros at the end of its fraction. */
const day = (time: string): string =>
  time
    .replace(/T00:00:00(?:\.0+)?Z?$/, "")
    .replace(/(\.\d*?)0*Z?$/, (_, fraction: string) => (fraction === "." ? "" : fraction))
    .replaceAll(":", "")

/** Replaces characters that some file systems do not allow. */
const safe = (word: string): string => word.replace(/[^A-Za-z0-9._+-]/g, "_")

/** Changes names that are hidden, that look like an option of a program, or that Windows has devices by. */
const allowed = (name: string): string =>
  name.replace(/^[.-]/, "_").replace(/^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i, "$&_")
