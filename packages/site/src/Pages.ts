/**
 * The pages of the site, in the order of its navigation. A file in `docs/` that no section lists fails the build.
 */
import { readdirSync } from "node:fs"
import { basename } from "node:path"

/** A group of pages under one heading of the navigation. */
interface Section {
  readonly title: string
  /** Names of files in `docs/`, without `.md`. */
  readonly pages: ReadonlyArray<string>
}

const all: ReadonlyArray<Section> = [
  {
    title: "Start",
    pages: ["getting-started", "uses", "plain-typescript", "command-line", "guarantees", "python-client"]
  },
  {
    title: "Guides",
    pages: [
      "quotas",
      "errors",
      "numbers-and-times",
      "resuming",
      "downloads",
      "datasets",
      "databases",
      "live",
      "jobs",
      "discovery",
      "testing"
    ]
  },
  {
    title: "Operation",
    pages: ["settings", "service", "many-machines", "networks", "browsers", "observability", "keys", "speed"]
  },
  { title: "Reference", pages: ["reference", "faults", "interface"] },
  { title: "Design", pages: ["architecture", "types-cost"] }
]

/** Pictures in a language that GitHub draws and TypeDoc does not. */
const unlisted = ["imports"]

/** Shorter names of pages for the navigation, where a heading is long. */
export const shortTitles: ReadonlyMap<string, string> = new Map([
  ["architecture", "How it is built"],
  ["browsers", "Browsers and runtimes"],
  ["errors", "Errors"],
  ["keys", "Safety of the key"]
])

/** The heading above the packages. */
export const apiSection = "Packages"

/** Titles of the sections, in order. */
export const titles: ReadonlyArray<string> = [...all.map(({ title }) => title), apiSection]

/** Paths of all pages, in order. */
export const paths = (docs: string): ReadonlyArray<string> => {
  const listed = all.flatMap(({ pages }) => pages)
  const lost = readdirSync(docs).filter(
    (file) => file.endsWith(".md") && ![...listed, ...unlisted].includes(basename(file, ".md"))
  )
  if (lost.length > 0) throw new Error(`no section of the navigation lists docs/${lost.join(", docs/")}`)
  return listed.map((page) => `${docs}/${page}.md`)
}

/** The section of a page. */
export const sectionOf = (path: string): string => {
  const section = all.find(({ pages }) => pages.includes(basename(path, ".md")))
  if (section === undefined) throw new Error(`${path} is in no section`)
  return section.title
}
