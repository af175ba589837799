/** The parts of docs/interface.md that say what the table says: written from it, each table behind a marker. */
import { isDeepStrictEqual } from "node:util"
import { formatsOf, type Operation } from "../../packages/interface/src/Operation.ts"
import { marketFilters } from "../../packages/interface/src/operations/Catalog.ts"
import * as Chain from "../../packages/interface/src/operations/Chain.ts"
import * as P from "../../packages/interface/src/Parameter.ts"
import * as Table from "../../packages/interface/src/Table.ts"
import * as Records from "./Records.ts"

type Operations = ReadonlyArray<Operation>

const code = (text: unknown) => `\`${String(text)}\``

const listed = (all: ReadonlyArray<unknown>) => all.map(code).join(", ")

const range = (minimum = 0, maximum?: number) =>
  maximum === undefined ? `${minimum} or more` : `${minimum} to ${maximum.toLocaleString("en")}`

const typed = ({ isClosed, isList, kind, maximum, minimum, words }: P.Parameter): ReadonlyArray<string> => {
  const open = isClosed ? "" : ", …"
  const list = isList ? "list of " : ""
  switch (kind) {
    case "text":
      return isList ? [] : ["one"]
    case "boolean":
      return [`${list}bool`]
    case "time":
      return [`${list}time`]
    case "integer":
      return [`${list}${[...words.map(code), range(minimum, maximum)].join(" or ")}`]
    case "word":
      return [`${list}${listed(words)}${open}`]
  }
}

/** The rules of a parameter; a comma list of texts that may be left out has none. */
const rules = (name: string, one: P.Parameter): string => {
  const all = [
    ...(one.isPath ? ["in the path"] : []),
    ...(one.isRequired ? ["**required**"] : []),
    ...typed(one),
    ...(one.default === undefined ? [] : [`default ${code(one.default)}`]),
    ...(one.takesIdentifiers ? ["11.1"] : []),
    ...(one.takesWildcards ? ["wildcards"] : []),
    ...(one.community === undefined ? [] : [`community: ${one.community}`]),
    ...(one.excludes.length === 0 ? [] : [`at most one of ${listed([name, ...one.excludes].toSorted())}`])
  ]
  return all.length === 0 ? "" : ` (${all.join("; ")})`
}

/** Parameters in words; those of the same rules stand together. */
const described = (all: ReadonlyArray<readonly [name: string, one: P.Parameter]>): ReadonlyArray<string> =>
  [...Map.groupBy(all, ([name, one]) => rules(name, one))].map(
    ([rules, same]) => `${listed(same.map(([name]) => name))}${rules}`
  )

/** Parameters that have one name where all of them are there as they are; a table of the page says what each holds. */
const sets: ReadonlyArray<readonly [name: string, set: P.Parameters]> = [
  ["chain set", Chain.shared],
  ["paging set from `start`", P.paging("start")],
  ["paging set from `end`", P.paging("end")],
  ["forward paging", Chain.onward],
  ["time range set", P.timeRange],
  ["market filters", marketFilters],
  ["", P.pretty]
]

const hasAll = (all: P.Parameters, set: P.Parameters) =>
  Object.entries(set).every(([name, one]) => isDeepStrictEqual(all[name], one))

const isFormat = ({ parameters: { format } }: Operation) =>
  isDeepStrictEqual(format && { ...format, words: [] }, { ...P.or(P.oneOf(), "json") })

/** What an operation takes, one text for each parameter or set of them. */
const parametersOf = (operation: Operation): ReadonlyArray<string> => {
  const all = operation.parameters
  const taken = new Set<string>()
  const found = sets.filter(([, set]) => {
    const names = Object.keys(set)
    const isHere = hasAll(all, set) && names.some((name) => !taken.has(name))
    if (isHere) for (const name of names) taken.add(name)
    return isHere
  })
  const isSaid = (name: string, one: P.Parameter) =>
    taken.has(name) ||
    (name === "format" && isFormat(operation)) ||
    (operation.path.includes(`{${name}}`) && isDeepStrictEqual(one, P.inPath))
  return [
    ...described(Object.entries(all).filter(([name, one]) => !isSaid(name, one))),
    ...found.flatMap(([name]) => (name === "" ? [] : [name])),
    ...(taken.has("pretty") ? [] : ["no `pretty`"])
  ]
}

const formats = (operation: Operation) => {
  const [json, ...others] = formatsOf(operation)
  const known = others.map((one) => ({ csv: "csv", json_stream: "js" })[one] ?? code(one))
  return [...(json === "json" && others.length > 0 ? [] : [json]), ...known].join(", ")
}

const roots = ({ roots }: Operation) => {
  const names = roots.filter((one) => one !== "stream").join(", ")
  return names === "paid, community" ? "both" : [names, ...(roots.includes("stream") ? ["stream"] : [])].join(", ")
}

const replies = {
  page: [],
  data: ["`data` only"],
  record: ["one record, no envelope"],
  job: ["a job"],
  frame: ["frames"]
}

/** What else there is to say. */
const notes = ({
  apart,
  beside,
  choice,
  isExperimental,
  isNewer,
  method,
  more,
  reply
}: Operation): ReadonlyArray<string> => [
  ...(isNewer ? ["[newer]"] : []),
  ...(isExperimental ? ["experimental"] : []),
  ...(method === "GET" ? [] : [method]),
  ...replies[reply],
  ...beside.map((one) => ({ warning: "warnings (2.8)", heartbeats: "heartbeats (2.1)" })[one]),
  ...(more.metrics === undefined ? [] : ["a column for each metric"]),
  ...(more.blocks === undefined ? [] : ["the block at `1b`"]),
  ...Object.keys(more.included ?? {}).map((name) => `${code(name)} with \`include\``),
  ...(apart === undefined ? [] : [`times are shared: ${apart.length === 0 ? "all fields" : listed(apart)}`]),
  ...(choice.length === 0 ? [] : [`exactly one of ${choice.map((set) => set.map(code).join(" with ")).join(", ")}`])
]

/** The cells of a row, each a list of what it says. */
const cellsOf = (operation: Operation): ReadonlyArray<ReadonlyArray<string>> => [
  parametersOf(operation),
  [(operation.order ?? []).join(", ")].filter((text) => text !== ""),
  [formats(operation)],
  [roots(operation)],
  notes(operation)
]

const heads = ["Parameters", "Order", "Formats", "Roots", "Notes"]

const row = (cells: ReadonlyArray<string>) =>
  `| ${cells.join(" | ")} |`.replaceAll("|  |", "| |").replaceAll("|  |", "| |")

/** Rows of which those that say the same are one, with all their names. */
const merged = (rows: ReadonlyArray<readonly [name: string, cells: ReadonlyArray<string>]>) =>
  [...Map.groupBy(rows, ([, cells]) => cells.join("|")).values()].map((same) => [
    [...new Set(same.map(([name]) => code(name)))].join(", "),
    ...same[0]![1]
  ])

const table = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>) => {
  const used = head.map((_, at) => at === 0 || rows.some((cells) => cells[at] !== ""))
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => row(cells.filter((_, at) => used[at])))
  return [lines[0]!, lines[1]!.replaceAll(" ", ""), ...lines.slice(2)].join("\n")
}

/** The whole parts of a path with which all of some paths begin. */
const prefixOf = (paths: ReadonlyArray<string>) => {
  const [first = ""] = paths
  const ends = [...first.matchAll(/(?<=.)\//g)].map(({ index }) => first.slice(0, index + 1))
  return ends.findLast((end) => paths.every((path) => path.startsWith(end))) ?? ""
}

/** One operation with many parameters: one row for each thing there is to say. */
const single = (operation: Operation): string => {
  const [parameters = [], ...others] = cellsOf(operation)
  const rest = others.flatMap((cell, at) => (cell.length === 0 ? [] : [`${heads[at + 1]!}: ${cell.join(", ")}`]))
  return table(
    [code(operation.path)],
    [...parameters, rest.join("; ")].map((text) => [text])
  )
}

/** A table of operations: first what all of them share, then each with the rest. */
const operations = (all: Operations): string => {
  const [first] = all
  if (all.length === 1 && parametersOf(first!).length > 10) return single(first!)
  // Both catalogs of a kind have the same names.
  const isTwice = all.every(({ path }) => path.startsWith("/catalog"))
  const prefixes = isTwice
    ? [...new Set(all.map(({ path }) => prefixOf([path]).replace(/(?<=.\/).*/, "")))]
    : [prefixOf(all.map(({ path }) => path))]
  const cells = all.map(cellsOf)
  const shared = heads.map((_, at) =>
    all.length === 1 ? [] : (cells[0]?.[at] ?? []).filter((one) => cells.every((other) => other[at]?.includes(one)))
  )
  const rows = all.map(({ path }, nth) => {
    const own = (cells[nth] ?? []).map((cell, at) => cell.filter((one) => !shared[at]?.includes(one)).join(", "))
    return [path.slice(prefixes.find((prefix) => path.startsWith(prefix))?.length), own] as const
  })
  const common = shared.some((one) => one.length > 0) ? [["all", ...shared.map((one) => one.join(", "))]] : []
  const below = prefixes.flatMap((prefix) => (prefix === "" ? [] : [code(`${prefix}…`)]))
  return table([`Path ${below.join(", ")}`.trim(), ...heads], [...common, ...merged(rows)])
}

const isOf =
  (...sections: ReadonlyArray<string>) =>
  ({ section }: Operation) =>
    sections.includes(section)

/** Sections of the page that have the operations of their number. */
const ofTheirOwn = (sections: ReadonlyArray<string>) =>
  Object.fromEntries(sections.map((section) => [section, isOf(section)]))

const isSeries =
  (form: RegExp) =>
  ({ path, section }: Operation) =>
    section === "4.6" && form.test(path.replace("/timeseries/", ""))

export const isIn: Readonly<Record<string, (operation: Operation) => boolean>> = {
  ...ofTheirOwn(["4.1", "4.2", "4.3", "4.4"]),
  "4.5": isOf("4.5", "4.7"),
  "4.6.2": isSeries(/^asset-metrics$/),
  "4.6.3": isSeries(/^(?!asset-).*-metrics$/),
  "4.6.4": isSeries(/^market-(?!metrics)/),
  "4.6.5": isSeries(/^(?:pair-candles|index-.*)$/),
  "4.6.6": isSeries(/^(?:asset-(?!metrics)|defi-|mempool-|mining-)/),
  ...ofTheirOwn(["4.9", "4.10", "4.11", "4.12", "4.14", "6.2", "13.1", "13.2"])
}

/** The sections of records, with the sections of their operations. */
const recordsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  "3.13": ["4.6.4"],
  "3.14": ["4.6.5"],
  "3.15": ["4.6.6", "4.10"]
}

const setTable = () =>
  table(
    ["Set", "Parameters"],
    sets.map(([name, set]) => {
      const own = Object.entries(set).filter(([one]) => name === "" || one !== "pretty")
      return [name === "" ? "every operation" : name, described(own).join(", ")]
    })
  )

/** What replaces the operations of both catalogs: what is there and when, and what it is. */
const replacements = (all: Operations) => {
  const rows = all.flatMap(({ path, replacement }) => {
    if (replacement === undefined) return []
    const [, catalog = "", name = ""] = /^\/([\w-]+)\/(.*)$/.exec(path) ?? []
    const cell = (root: string) => {
      const names = replacement.filter((one) => one.startsWith(root)).map((one) => one.slice(root.length))
      return isDeepStrictEqual(names, [name]) ? "same name" : listed(names)
    }
    const others = replacement.filter(
      (one) => !one.startsWith(`/${catalog}-v2/`) && !one.startsWith("/reference-data/")
    )
    return [
      [name, [cell(`/${catalog}-v2/`), [cell("/reference-data/"), listed(others)].filter(String).join(", ")]] as const
    ]
  })
  return table(["Name", "Below `-v2`", "Below `/reference-data`"], merged(rows))
}

/** What follows a marker, by the marker. */
const parts = (all: Operations): Readonly<Record<string, () => string>> => ({
  sets: setTable,
  replacements: () => replacements(all),
  ...Object.fromEntries(
    Object.entries(recordsOf).map(([section, sections]) => {
      const here = all.filter((operation) => sections.some((one) => isIn[one]?.(operation)))
      return [`records ${section}`, () => table(Records.head, here.map(Records.cellsOf))]
    })
  ),
  ...Object.fromEntries(
    Object.entries(isIn).map(([section, isHere]) => [`operations ${section}`, () => operations(all.filter(isHere))])
  )
})

const offers = (format: string) => (operation: Operation) => formatsOf(operation).includes(format)

const sentences = (all: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const count = (isCounted: (operation: Operation) => boolean) => all.filter(isCounted).length
  const pagesFrom = (end: string) => count(({ parameters }) => parameters["paging_from"]?.default === end)
  return [
    `${count(({ roots }) => roots.includes("community"))} of the ${all.length} known operations`,
    `${count(offers("json_stream"))} operations offer it`,
    `the ${count((one) => one.section === "4.6" && offers("json_stream")(one))} time series marked`,
    `${count(offers("csv"))} operations offer \`format=csv\``,
    `\`start\` on ${pagesFrom("start")} operations and to \`end\` on ${pagesFrom("end")}`,
    `The ${count(({ replacement }) => replacement !== undefined)} operations of`
  ]
}

/** The page with the counts of these operations. Lines break where they did. */
const counted = (page: string, all: ReadonlyArray<Operation>): string =>
  sentences(all).reduce((text, sentence) => {
    const form = new RegExp(`(?<!\\d)${sentence.replaceAll(/\d+/g, "\\d+").replaceAll(" ", "\\s+")}(?!\\d)`)
    if (!form.test(text)) throw new Error(`the page has no sentence with "${sentence}"`)
    const counts = sentence.match(/\d+/g) ?? []
    return text.replace(form, (said) => said.replaceAll(/\d+/g, () => counts.shift() ?? ""))
  }, page)

const marker = /^<!-- (sets|replacements|(?:operations|records) [\d.]+) -->\n(?:\|.*\n)*/gm

/** The page with what the table says behind its markers. */
export const filled = (page: string, all: Operations = Table.all): string => {
  const named = parts(all)
  return counted(page, all).replaceAll(marker, (_, name: string) => {
    const part = named[name]
    if (part === undefined) throw new Error(`the page has a marker ${name}, and there is nothing of this name`)
    return `<!-- ${name} -->\n${part()}\n`
  })
}
