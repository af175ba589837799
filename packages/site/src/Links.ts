/** Finds links of the finished site that lead nowhere: to a missing file, or to a place that a page does not have. */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs"
import { dirname, join, relative } from "node:path"

/** A sentence for each broken link. Links to other sites are not followed. */
export const broken = (folder: string): ReadonlyArray<string> => {
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".html"))
  const texts = new Map(pages.map((page) => [join(folder, page), readFileSync(join(folder, page), "utf8")]))
  const places = new Map([...texts].map(([page, text]) => [page, placesOf(text)]))
  const problems = [...texts].flatMap(([page, text]) =>
    linksOf(text).flatMap((link) => {
      const [path = "", place = ""] = link.split("#")
      const target = path === "" ? page : join(dirname(page), decodeURIComponent(path))
      const problem = !existsSync(target) || statSync(target).isDirectory() ? "no such file" : undefined
      const isLost = place !== "" && places.get(target)?.has(decodeURIComponent(place)) === false
      const what = problem ?? (isLost ? "no such place in that page" : undefined)
      return what === undefined ? [] : [`${relative(folder, page)}: ${link}: ${what}`]
    })
  )
  return [...new Set(problems)]
}

const placesOf = (text: string) => new Set([...text.matchAll(/\sid="([^"]+)"/g)].map(([, id = ""]) => unescaped(id)))

/** Links and pictures within the site. */
const linksOf = (text: string) =>
  [...text.matchAll(/<(?:a|img|link|script)\s[^>]*?(?:href|src)="([^"]+)"/g)]
    .map(([, link = ""]) => unescaped(link))
    .filter((link) => !/^(?:[a-z]+:|\/\/)/i.test(link))

const unescaped = (text: string) =>
  text.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&")
