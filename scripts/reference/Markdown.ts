/**
 * The reference as a page of Markdown. Each record is printed once, with the first endpoint that yields it; the others
 * link to it.
 */
import * as Doc from "./Doc.ts"
import type * as Model from "./Model.ts"
import type * as Records from "./Records.ts"
import { escaped, table } from "./Table.ts"
import { unresolved } from "./Unresolved.ts"

/** Prints the reference. */
export const print = (reference: Model.Reference): string => {
  const entries = reference.sections.flatMap((section) => section.entries)
  const printer = makePrinter(entries)
  const page = [
    introduction(reference, entries.length),
    contents(reference),
    shared(reference),
    ...reference.sections.flatMap((section) => [
      `## ${section.name}`,
      ...prose(section.doc),
      ...(section.doc.source === undefined ? [] : [`Source: ${section.doc.source}.`]),
      ...section.entries.flatMap(printer.entry)
    ]),
    deprecations(entries, printer.path)
  ]
  return checked(`${page.join("\n\n")}\n`)
}

/** Stops unless every link of the page leads to one heading. */
const checked = (page: string) => {
  const anchors = [...page.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchor(heading))
  const twice = anchors.find((one, index) => anchors.indexOf(one) !== index)
  if (twice !== undefined) unresolved({ file: "the page" }, twice, "is the anchor of two headings")
  const lost = [...page.matchAll(/\]\(#([^)]+)\)/g)].find(([, target = ""]) => !anchors.includes(target))
  if (lost !== undefined) unresolved({ file: "the page" }, lost[1] ?? "", "is linked to, but no heading has it")
  return page
}

/** The anchor GitHub gives a heading. */
const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-")

const link = (text: string, heading = text) => `[${text}](#${anchor(heading)})`

const recordHeading = ({ name }: { readonly name: string }) => `Record ${name}`

const code = (text: string) => `\`${text}\``

const prose = (doc: Doc.Doc) => [doc.sentence, ...doc.details].filter((text) => text !== "").map(escaped)

const list = (items: ReadonlyArray<string>) => items.join(", ")

const introduction = ({ legend }: Model.Reference, count: number) =>
  [
    "# Reference",
    `The ${count} endpoints, by section. This page is written by \`pnpm reference\` from the endpoints, their schemas and ` +
      "their comments; change those, not the page.",
    "Every call builds a stream and sends nothing until it runs; `….pages(…)` gives the same records with the page they " +
      "came on. Of an endpoint of one record a call is an effect, and there are no pages. Of one that starts a job, a call starts it, waits and reads its results; `….submit(…)` and `….results(id)` are the two halves. A call of `Live` is a stream of messages that holds the records; [live.md](live.md) explains them. Names and values are what the service has on the wire. Records keep fields that are not named here.",
    table(
      ["word", "meaning"],
      [
        ["always", "the field names the record: a record without it is refused"],
        ["null or absent", "the service may leave the field out, or send null"],
        ...legend.map(({ doc, words }) => [words, Doc.paragraph(doc)]),
        ["list (order)", "from the start, in the order the service keeps"],
        ["series (order)", 'ascending in time, newest first with `paging_from: "end"`'],
        ["not paged", "all records come in one reply"]
      ]
    )
  ].join("\n\n")

const contents = ({ sections }: Model.Reference) =>
  [
    "## Contents",
    ...sections.map(({ entries, name }) => [`**${link(name)}**`, "", ...entries.map(contentsLine)].join("\n")),
    list([link("Shared parameters"), link("Deprecated endpoints")])
  ].join("\n\n")

const contentsLine = ({ doc, endpoint, name }: Model.Entry) =>
  `- ${link(name)} ${code(endpoint.path)}: ${escaped(doc.sentence)}${endpoint.deprecated === undefined ? "" : " *Deprecated.*"}`

const shared = ({ shared }: Model.Reference) =>
  ["## Shared parameters", "Endpoints that take them name them.", parameterTable(shared)].join("\n\n")

const parameterTable = (rows: ReadonlyArray<Records.Row>) =>
  table(
    ["parameter", "takes", "", "meaning"],
    rows.map(({ doc, name, optional, words }) => [
      code(name),
      words,
      optional ? "optional" : "required",
      Doc.paragraph(doc)
    ])
  )

const presence = ({ nullable, optional }: Records.Row) => {
  if (nullable) return optional ? "null or absent" : "may be null"
  return optional ? "may be absent" : "always"
}

const recordTable = (rows: ReadonlyArray<Records.Row>, includes: ReadonlyArray<string>) =>
  table(
    ["field", "JSON", "", "meaning"],
    [
      ...includes.map((name) => ["*all fields of*", link(name, recordHeading({ name })), "", ""]),
      ...rows.map((row) => [
        code(row.name),
        row.record === undefined ? row.words : `${row.words}: ${link(row.record.name, recordHeading(row.record))}`,
        presence(row),
        Doc.paragraph(row.doc)
      ])
    ]
  )

const methodOf = { list: "GET", record: "GET", job: "PUT", frames: "WebSocket" }

const pageOf = {
  record: "one record",
  job: "files, when the job is done",
  frames: "a frame at a time, as they are published"
}

const facts = ({ doc, endpoint }: Model.Entry) =>
  table(
    ["offered at", "formats", "order", "page", "splits by", "source"],
    [
      [
        endpoint.community ? "paid and community root" : "paid root only",
        list(endpoint.formats.map(code)),
        endpoint.reply === "list" || endpoint.reply === "frames" ? endpoint.order : "",
        endpoint.reply !== "list"
          ? pageOf[endpoint.reply]
          : endpoint.pageSize === undefined
            ? "not paged"
            : `${endpoint.pageSize.toLocaleString("en")} records`,
        list([
          ...endpoint.splits.map(code),
          ...(endpoint.order === "series" && endpoint.reply !== "frames" ? ["time"] : [])
        ]) || "nothing",
        doc.source ?? `docs/interface.md ${endpoint.section}`
      ]
    ]
  )

const parameterProse = ({ rows, rules, shared }: Records.Parameters) => {
  const names = list(shared.map(({ name }) => code(name)))
  return [
    ...(rows.length === 0 ? [] : [parameterTable(rows)]),
    ...rules.map(({ doc, names }) => `${escaped(doc.sentence).replace(/\.$/, "")}: ${list(names.map(code))}.`),
    ...(shared.length === 0 ? [] : [`Shared: ${names} (${link("meaning", "Shared parameters")}).`])
  ]
}

const makePrinter = (entries: ReadonlyArray<Model.Entry>) => {
  const names = new Map(entries.map(({ endpoint, name }) => [endpoint.path, name]))
  const parametersAt = new Map<string, string>()
  const printed = new Set<Records.Record>()

  /** A path, linked where it is one of ours. */
  const path = (path: string) => {
    const name = names.get(path)
    return name === undefined ? code(path) : `[${code(path)}](#${anchor(name)})`
  }

  const entry = (entry: Model.Entry) => [
    `### ${entry.name}`,
    `\`${methodOf[entry.endpoint.reply]} ${entry.endpoint.path}\``,
    ...prose(entry.doc),
    ...(entry.doc.deprecated === undefined
      ? []
      : [
          `**Deprecated.** ${escaped(entry.doc.deprecated).replaceAll(/`(\/[^`]+)`/g, (_, found: string) => path(found))}`
        ]),
    facts(entry),
    ...parameters(entry),
    ...yields(entry)
  ]

  const parameters = ({ name, parameters }: Model.Entry) => {
    const body = parameterProse(parameters)
    const same = [parameters.name, ...body].join("\n")
    const earlier = parametersAt.get(same)
    if (earlier !== undefined) return [`**Parameters** as for ${link(earlier)}.`]
    parametersAt.set(same, name)
    return ["**Parameters**", ...body]
  }

  const yields = ({ additions, record }: Model.Entry) => [
    ...(record === undefined ? ["**Record**"] : [`**Record** ${link(record.name, recordHeading(record))}`]),
    ...additions.flatMap(({ doc, records, rows }) => [
      ...prose(doc),
      ...(rows.length === 0 ? [] : [recordTable(rows, [])]),
      ...records.map((record) => `Each item is a ${link(record.name, recordHeading(record))}.`)
    ]),
    ...[...(record === undefined ? [] : [record]), ...additions.flatMap(({ records }) => records)].flatMap(recordOnce)
  ]

  const recordOnce = (record: Records.Record): ReadonlyArray<string> => {
    if (printed.has(record)) return []
    printed.add(record)
    return [
      `#### ${recordHeading(record)}`,
      ...(record.doc === undefined ? [] : prose(record.doc)),
      recordTable(record.rows, record.includes),
      ...record.rows.flatMap((row) => (row.record === undefined ? [] : recordOnce(row.record)))
    ]
  }

  return { entry, path }
}

const deprecations = (entries: ReadonlyArray<Model.Entry>, path: (path: string) => string) =>
  [
    "## Deprecated endpoints",
    "What the service means to withdraw, and the paths that give the same data.",
    table(
      ["endpoint", "path", "replaced by"],
      entries.flatMap(({ endpoint, name }) =>
        endpoint.deprecated === undefined
          ? []
          : [[link(name), code(endpoint.path), list(endpoint.deprecated.replacement.map(path))]]
      )
    )
  ].join("\n\n")
