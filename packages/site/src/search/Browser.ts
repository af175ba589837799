/**
 * The results of the search in the page: TypeDoc's dialog with the search of `Search.ts`. Its pages are loaded when the dialog is
 * first used.
 */
import * as Search from "./Search.ts"

declare global {
  interface Window {
    sluicePages?: ReadonlyArray<Search.Entry>
  }
}

const kinds: Readonly<Record<Search.Kind, string>> = {
  guide: "Guide",
  operation: "Operation",
  reference: "Reference",
  design: "Design",
  package: "Package"
}

const base = () => {
  const text = document.documentElement.dataset["base"] ?? "."
  return text.endsWith("/") ? text : `${text}/`
}

let loaded: Promise<ReturnType<typeof Search.index>> | undefined

const load = () => {
  loaded ??= new Promise((resolve, reject) => {
    const script = document.createElement("script")
    script.src = `${base()}assets/pages.js`
    script.addEventListener("load", () => resolve(Search.index(window.sluicePages ?? [])))
    script.addEventListener("error", reject)
    document.head.append(script)
  })
  return loaded
}

const element = (name: string, className: string, ...children: ReadonlyArray<Node | string>) => {
  const made = document.createElement(name)
  made.className = className
  made.append(...children)
  return made
}

const itemOf = ({ entry, line, part }: Search.Found, position: number) => {
  const heading = part === undefined || part.heading === "" ? [] : [element("span", "place", ` › ${part.heading}`)]
  const marked = line.map((text, index) => (index % 2 === 1 ? element("mark", "", text) : text))
  const kind = element("span", "kind", kinds[entry.kind])
  const title = element("span", "text", kind, element("span", "title", entry.title), ...heading)
  const link = document.createElement("a")
  link.tabIndex = -1
  link.href = `${base()}${entry.url}${part === undefined || part.place === "" ? "" : `#${part.place}`}`
  link.append(title, element("span", "line", ...marked))
  const item = element("li", "sluice-found", link)
  item.id = `sluice-found-${position}`
  item.setAttribute("role", "option")
  item.setAttribute("aria-selected", "false")
  return item
}

const show = async (query: string) => {
  const pages = await load()
  const input = document.getElementById("tsd-search-input")
  const results = document.getElementById("tsd-search-results")
  const status = document.getElementById("tsd-search-status")
  if (!(input instanceof HTMLInputElement) || results === null || status === null || input.value.trim() !== query)
    return
  const found = query === "" ? [] : Search.find(pages, query)
  results.dataset["query"] = query
  results.replaceChildren(...found.map(itemOf))
  status.replaceChildren(...(query === "" || found.length > 0 ? [] : [element("div", "", `No page has “${query}”.`)]))
}

// TypeDoc says here that it prepares its own index, which is left out.
document.addEventListener("DOMContentLoaded", () => document.getElementById("tsd-search-status")?.replaceChildren())

// Before TypeDoc's own listener, which is on the field.
document.addEventListener(
  "input",
  (event) => {
    const { target } = event
    if (!(target instanceof HTMLInputElement) || target.id !== "tsd-search-input") return
    event.stopImmediatePropagation()
    void show(target.value.trim())
  },
  { capture: true }
)
