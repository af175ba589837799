/**
 * Names of the files of a download: they show which part a file has, and sort as the parts do.
 */
import type * as Bulk from "@sluice/core/Bulk"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Parameter from "@sluice/core/Parameter"
import * as Params from "@sluice/core/Params"

/** How a download is split, as far as names show it. */
type Split = Pick<Bulk.Split, "by" | "every">

/** The most characters for the items of a part. */
const longest = 60

/**
 * Names the file of every part, such as `007-btc-2024-01-01.csv.gz`: its index, its items, where it begins in time, and
 * the extension of the format.
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
  return parts.map(({ index, params }) => {
    const items = split.by === undefined ? [] : [itemsOf(Params.items(params[split.by]))]
    const start = split.every === undefined || begin === undefined ? [] : [day(String(params[begin] ?? ""))]
    const words = [...items, ...start]
    const name = [String(index).padStart(width, "0"), ...(words.length === 0 ? [whole] : words)]
    return `${name.map(safe).join("-")}${extension}`
  })
}

/** All items where they are short, otherwise the first item and the number of the others. */
const itemsOf = (items: ReadonlyArray<string>): string => {
  const text = items.join("+")
  if (text.length <= longest) return text
  const [first = ""] = items
  return items.length === 1 ? first.slice(0, longest) : `${first.slice(0, longest)}+${items.length - 1}`
}

/** A date alone for midnight; otherwise the time without colons and without zeros at the end of its fraction. */
const day = (time: string): string =>
  time
    .replace(/T00:00:00(?:\.0+)?Z?$/, "")
    .replace(/(\.\d*?)0*Z?$/, (_, fraction: string) => (fraction === "." ? "" : fraction))
    .replaceAll(":", "")

/** Replaces characters that some file systems do not allow. */
const safe = (word: string): string => word.replace(/[^A-Za-z0-9._+-]/g, "_")
