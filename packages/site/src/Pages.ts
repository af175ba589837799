/**
 * The pages of the site, in the order of its navigation. A file below `docs/` that no section lists fails the build.
 */
import { existsSync, readdirSync } from "node:fs"
import { basename } from "node:path"

/** A group of pages under one heading of the navigation. */
interface Section {
  readonly title: string
  /** Paths of files below `docs/`, without `.md`. */
  readonly pages: ReadonlyArray<string>
}

const all: ReadonlyArray<Section> = Object.entries({
  Start: "getting-started uses plain-typescript command-line guarantees python-client",
  Guides: "quotas errors numbers-and-times columns resuming downloads datasets databases live jobs discovery testing",
  Operation: "settings service many-machines networks browsers observability keys speed",
  Reference: "reference python-members service-questions stand-in-faults faults interface",
  Design: "architecture types-cost",
  Decisions:
    "sliding-log check-the-end read-by-layout lazy-batches-for-files stay-in-the-young-generation undici " +
    "read-frames-in-the-listener parquet-writer arrow-messages backfill-workflows bundle-size"
}).map(([title, pages]) => ({
  title,
  pages: pages.split(" ").map((page) => (title === "Decisions" ? `decisions/${page}` : page))
}))

export const readmes: ReadonlyArray<string> = [
  "README.md",
  ...["core", "promise", "files", "datasets"].map((name) => `packages/${name}/README.md`)
]

/** Sections whose pages are guides. */
const guides = new Set(["Start", "Guides", "Operation"])

/** Pages that `pnpm reference` writes, which are not committed. */
export const built: ReadonlyArray<string> = ["reference", "python-members", "service-questions", "stand-in-faults"]

/** Pictures in a language that GitHub draws and TypeDoc does not. */
const unlisted = ["imports"]

/** Shorter names of pages for the navigation, where a heading is long. */
export const shortTitles: ReadonlyMap<string, string> = new Map([
  ["architecture", "How it is built"],
  ["browsers", "Browsers and runtimes"],
  ["errors", "Errors"],
  ["keys", "Safety of the key"]
])

/** What readers look for and pages call otherwise, or say in passing, though it is their subject. */
export const soughtAs: ReadonlyMap<string, string> = new Map([
  ["getting-started", "install tutorial quick start"],
  ["python-client", "python pandas dataframe"],
  ["plain-typescript", "javascript promise async await without Effect"],
  ["command-line", "shell terminal cli mcp assistant progress"],
  ["quotas", "rate limit 429 too many requests throttle"],
  ["errors", "retry exception failure"],
  ["numbers-and-times", "time zone date decimal precision float"],
  ["resuming", "continue checkpoint cursor"],
  ["downloads", "download resume file csv parquet json progress"],
  ["datasets", "sync incremental update look-ahead lookahead bias backtest back-test point in time as of"],
  ["databases", "postgres postgresql duckdb sql database"],
  ["live", "live websocket stream order book trades realtime"],
  ["discovery", "catalog available metrics markets"],
  ["testing", "offline mock stand-in sandbox"],
  ["many-machines", "backfill cluster workers several processes"],
  ["networks", "proxy certificate firewall timeout"],
  ["observability", "metrics logs tracing monitoring grafana"],
  ["keys", "api key secret"],
  ["speed", "performance benchmark memory"],
  ["browsers", "deno bun browser cors"]
])

export const apiSection = "Packages"

export const titles: ReadonlyArray<string> = [...all.map(({ title }) => title), apiSection]

/** Paths of all pages, in order, without those that were not built. */
export const paths = (docs: string): ReadonlyArray<string> => {
  const listed = all.flatMap(({ pages }) => pages)
  const lost = readdirSync(docs, { encoding: "utf8", recursive: true }).filter(
    (file) => file.endsWith(".md") && ![...listed, ...unlisted].includes(file.slice(0, -".md".length))
  )
  if (lost.length > 0) throw new Error(`no section of the navigation lists docs/${lost.join(", docs/")}`)
  const isThere = (page: string) => !built.includes(page) || existsSync(`${docs}/${page}.md`)
  return listed.filter(isThere).map((page) => `${docs}/${page}.md`)
}

export const isGuide = (path: string): boolean => guides.has(sectionOf(path))

export const sectionOf = (path: string): string => {
  const section = all.find(({ pages }) => pages.some((page) => basename(page) === basename(path, ".md")))
  if (section === undefined) throw new Error(`${path} is in no section`)
  return section.title
}
