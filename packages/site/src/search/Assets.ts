/**
 * What the search needs in the finished site: its pages, and the script that shows what was found. TypeDoc's own index has no text of
 * the guides and is left out.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { rolldown } from "rolldown"
import * as Entries from "./Entries.ts"
import type { Entry } from "./Search.ts"

/** Writes them into the folder of the site. `urlOf` says where a page is. */
export const write = async (
  root: string,
  folder: string,
  urlOf: (title: string) => string | undefined,
  exported: ReadonlyArray<Entries.Export>
): Promise<ReadonlyArray<Entry>> => {
  const placeOf = (title: string): Entries.Place | undefined => {
    const url = urlOf(title)
    return url === undefined ? undefined : { url, headings: headingsOf(readFileSync(join(folder, url), "utf8")) }
  }
  const operations = Entries.operationsOf(root, placeOf)
  const pages = [...Entries.guidesOf(root, placeOf), ...operations, ...Entries.exportsOf(exported, operations)]
  const lost = pages.find(({ url }) => url === "")
  if (lost !== undefined) throw new Error(`${lost.title} is not in the site`)
  writeFileSync(join(folder, "assets/pages.js"), `window.sluicePages = ${JSON.stringify(pages)}\n`)
  writeFileSync(join(folder, "assets/search.js"), "// pages.js has what the search finds.\n")
  const sections = readFileSync(resolve(root, "packages/site/sections.js"), "utf8")
  writeFileSync(join(folder, "assets/custom.js"), `${sections}${await script()}`)
  return pages
}

const script = async () => {
  const bundle = await rolldown({ input: join(import.meta.dirname, "Browser.ts") })
  const { output } = await bundle.generate({ format: "iife", minify: true })
  await bundle.close()
  return output.map((part) => ("code" in part ? part.code : "")).join("")
}

/** Headings below the title have a place each. */
const headingsOf = (html: string) => [...html.matchAll(/<h[2-6] id="([^"]+)"/g)].map(([, id = ""]) => id)
