/**
 * The pages of the site as the search has them: guides and operations from their Markdown, what programs import from TypeDoc.
 */
import { readFileSync } from "node:fs"
import { basename, resolve } from "node:path"
import type { Descriptions } from "../../../cli/src/endpoints/Descriptions.ts"
import * as Pages from "../Pages.ts"
import type { Entry, Kind, Part } from "./Search.ts"

/** Something that programs import, as TypeDoc has it. */
export interface Export {
  readonly name: string
  readonly url: string
  readonly text: string
}

/** What programs import, but for the operations, which have pages. */
export const exportsOf = (all: ReadonlyArray<Export>, operations: ReadonlyArray<Entry>): ReadonlyArray<Entry> => {
  const names = new Set(operations.map(({ title }) => title))
  return all
    .filter(({ name }) => !names.has(name))
    .map(({ name, text, url }) => ({
      title: name,
      kind: "package",
      url,
      words: "",
      weight: 1,
      parts: [{ heading: "", place: "", text: plain(text) }]
    }))
}

/** Where a page and its headings are in the finished site; nothing where the site was not built. */
export interface Place {
  readonly url: string
  /** Places of the headings, in order. */
  readonly headings: ReadonlyArray<string>
}

const kindOf = (path: string): Kind => {
  if (Pages.isGuide(path)) return "guide"
  return Pages.sectionOf(path) === "Reference" ? "reference" : "design"
}

/** The pages below `docs/`, and the first page. */
export const guidesOf = (root: string, placeOf: (title: string) => Place | undefined): ReadonlyArray<Entry> => {
  const first = { title: "Sluice", kind: "guide", words: "overview start", weight: 0.6, url: "index.html" } as const
  const pages = Pages.paths(resolve(root, "docs")).map((path): Entry => {
    const name = basename(path, ".md")
    const text = readFileSync(path, "utf8").replace(/^---\n[^]*?\n---\n+/, "")
    const title = Pages.shortTitles.get(name) ?? /^# (.+)$/m.exec(text)?.[1]?.replaceAll("`", "") ?? name
    const place = placeOf(title)
    return {
      title,
      kind: kindOf(path),
      url: place?.url ?? "",
      words: Pages.soughtAs.get(name) ?? "",
      weight: 1,
      parts: partsOf(text, place?.headings ?? [])
    }
  })
  const text = readFileSync(resolve(root, "README.md"), "utf8")
  return [{ ...first, parts: partsOf(text, placeOf(first.title)?.headings ?? []) }, ...pages]
}

/** Names with what they mean, as text. */
const listed = (members: ReadonlyArray<{ readonly name: string; readonly means?: string }>) =>
  members.map(({ means = "", name }) => `${name}: ${means}`).join(" ")

/** The pages of the operations. */
export const operationsOf = (root: string, placeOf: (title: string) => Place | undefined): ReadonlyArray<Entry> => {
  const file = resolve(root, "packages/cli/src/endpoints/descriptions.json")
  // Type boundary: `pnpm reference` has written it.
  const { endpoints, records } = JSON.parse(readFileSync(file, "utf8")) as Descriptions
  return Object.entries(endpoints).map(([path, one]) => {
    const place = placeOf(one.name)
    const at = (heading: string) => place?.headings.find((id) => id === heading.toLowerCase()) ?? ""
    const part = (heading: string, text: string): Part => ({ heading, place: at(heading), text })
    return {
      title: one.name,
      kind: "operation",
      url: place?.url ?? "",
      words: "",
      weight: weightOf(path, one.deprecated !== undefined),
      parts: [
        {
          heading: "",
          place: "",
          text: `${path} ${[one.summary, ...(one.details ?? [])].join(" ")}`.replaceAll("`", "")
        },
        part("Parameters", listed(one.parameters)),
        part("Fields", listed(records[one.record ?? ""]?.fields ?? []))
      ].map((one) => ({ ...one, text: one.text.replaceAll("`", "") }))
    }
  })
}

const weightOf = (path: string, isDeprecated: boolean) => {
  if (isDeprecated) return 0.3
  if (path.startsWith("/timeseries/")) return 1.3
  return path.startsWith("/catalog") ? 0.6 : 1
}

/** A page by its headings. Blocks of code count as text. */
const partsOf = (text: string, headings: ReadonlyArray<string>): ReadonlyArray<Part> => {
  const parts: Array<{ heading: string; place: string; lines: Array<string> }> = [{ heading: "", place: "", lines: [] }]
  let isCode = false
  let position = 0
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) isCode = !isCode
    const heading = isCode ? undefined : /^(#+) (.+)$/.exec(line)
    if (heading === null || heading === undefined) parts.at(-1)?.lines.push(line)
    else if (heading[1] !== "#") {
      parts.push({ heading: plain(heading[2] ?? ""), place: headings[position] ?? "", lines: [] })
      position += 1
    }
  }
  return parts.map(({ heading, lines, place }) => ({ heading, place, text: plain(lines.join("\n")) }))
}

/** Markdown as it reads, without its marks. */
const plain = (text: string) =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/^\s*\|?[-|: ]+\|\s*$/gm, " ")
    .replaceAll(/^```\w*$|[`*|]+/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
