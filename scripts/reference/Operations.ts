/** The page of each operation, and of each section: what `describe` says, with a program, a record and the commands. */
import * as Parameter from "../../packages/core/src/Parameter.ts"
import * as Descriptions from "./Descriptions.ts"
import * as Doc from "./Doc.ts"
import type * as Model from "./Model.ts"
import * as Programs from "./Programs.ts"
import type * as Records from "./Records.ts"
import type { Sample } from "./Samples.ts"
import { code, escaped, table } from "./Table.ts"

/** Where the pages are, seen from the root; nothing of it is committed. */
export const folder = "out/reference"

/** Guides, seen from the pages. */
const docs = "../../docs"

const guide = (text: string, page: string) => `[${text}](${docs}/${page})`

const anchor = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w -]/g, "")
    .replaceAll(" ", "-")

export const print = (
  { sections }: Model.Reference,
  samples: ReadonlyMap<string, Sample>
): ReadonlyMap<string, string> => {
  const entries = sections.flatMap((section) => section.entries)
  const printer = makePrinter(entries, samples)
  return new Map(
    sections.flatMap((section) => [
      [section.name, printer.section(section)] as const,
      ...section.entries.map((entry) => [entry.name, printer.page(entry)] as const)
    ])
  )
}

const makePrinter = (entries: ReadonlyArray<Model.Entry>, samples: ReadonlyMap<string, Sample>) => {
  const records = Descriptions.recordsOf(entries)
  const names = new Map(
    entries.flatMap(({ endpoint, name }) => [[endpoint.path, name] as const, [name, name] as const])
  )
  const live = new Map(
    entries.flatMap(({ endpoint, name }) =>
      endpoint.reply === "frames" && endpoint.history !== undefined ? [[endpoint.history, name] as const] : []
    )
  )

  /** Operations that a text names, as links to their pages. */
  const linked = (text: string, own?: string) =>
    text.replaceAll(/`([/\w.{}-]+)`/g, (all, named: string) => {
      const name = names.get(named)
      return name === undefined || name === own ? all : `[${all}](${name}.md)`
    })

  const prose = (doc: Doc.Doc, own: string) =>
    [doc.sentence, ...doc.details].filter((text) => text !== "").map((text) => linked(escaped(text), own))

  const section = ({ doc, entries, name }: Model.Section) =>
    `${[
      `---\nchildren:\n${entries.map((entry) => `  - ./${entry.name}.md`).join("\n")}\n---\n\n# ${name}`,
      ...prose(doc, name),
      entries
        .map((entry) => `- [${entry.name}](${entry.name}.md) ${code(entry.endpoint.path)}: ${summary(entry)}`)
        .join("\n")
    ].join("\n\n")}\n`

  const page = (entry: Model.Entry) => {
    const { doc, endpoint, name } = entry
    const sample = samples.get(endpoint.path)
    if (sample === undefined) return Doc.unresolved({ file: "the samples" }, endpoint.path, "has none")
    return `${[
      `# ${name}`,
      ...(doc.deprecated === undefined ? [] : [`**Deprecated.** ${linked(escaped(doc.deprecated), name)}`]),
      ...prose(doc, name),
      facts(entry),
      "## Program",
      fenced("ts", Programs.withEffect(entry, sample)),
      `Without Effect (${guide("From plain TypeScript", "plain-typescript.md")}):`,
      fenced("ts", Programs.withoutEffect(entry, sample)),
      "## Command line",
      fenced("sh", commands(entry, sample).join("\n")),
      ...parameters(entry),
      ...yields(entry),
      "## A record",
      "From the stand-in service, whose data are made up. Lists are cut to two items.",
      fenced(
        "json",
        JSON.stringify(sample.record, (_, value: unknown) => (Array.isArray(value) ? value.slice(0, 2) : value), 2)
      ),
      `Source: ${guide("The interface", "interface.md")}, ${sourceOf(entry)}.`
    ].join("\n\n")}\n`
  }

  const facts = (entry: Model.Entry) => {
    const { endpoint } = entry
    const stream = live.get(endpoint.path)
    const rows: ReadonlyArray<readonly [string, string]> = [
      ["request", code(`${methodOf[endpoint.reply]} ${endpoint.path}`)],
      ["offered at", endpoint.community ? "the paid and the community root" : "the paid root only"],
      ["order", orderOf(entry)],
      ...(endpoint.reply === "list" ? [["formats", endpoint.formats.map(code).join(", ")] as const] : []),
      ["page", pageOf(entry)],
      ["cost", `${costOf(entry)}: ${guide("Quotas", "quotas.md")}`],
      ["splits by", splitsOf(entry)],
      ...(endpoint.reply === "list"
        ? [
            [
              "live",
              stream === undefined ? "no" : `[${stream}](${stream}.md): ${guide("Live streams", "live.md")}`
            ] as const,
            [
              "dataset",
              isDataset(entry)
                ? `yes: ${guide("Datasets", "datasets.md")}`
                : "no, it can be downloaded: " + guide("Downloads", "downloads.md")
            ] as const
          ]
        : []),
      ...(endpoint.reply === "job" ? [["guide", guide("Jobs", "jobs.md")] as const] : []),
      ...(endpoint.reply === "frames"
        ? [
            [
              "history",
              endpoint.history === undefined ? "none: `since` is refused" : linked(code(endpoint.history))
            ] as const,
            ["guide", guide("Live streams", "live.md")] as const
          ]
        : [])
    ]
    return table(["", ""], rows)
  }

  const parameters = ({ parameters: { rows, rules, shared } }: Model.Entry) => [
    "## Parameters",
    rows.length + shared.length === 0
      ? "None."
      : table(
          ["parameter", "takes", "", "meaning"],
          [...rows.filter(({ optional }) => !optional), ...rows.filter(({ optional }) => optional), ...shared].map(
            ({ doc, name, optional, words }) => [
              code(name),
              words,
              optional ? "" : "required",
              linked(Doc.paragraph(doc))
            ]
          )
        ),
    ...rules.map(({ doc, names }) => `${escaped(doc.sentence).replace(/\.$/, "")}: ${names.map(code).join(", ")}.`)
  ]

  /** The fields of a record, with those of the records that it includes. */
  const fieldsOf = ({ includes, rows }: Records.Record): ReadonlyArray<Records.Row> => [
    ...includes.flatMap((name) => {
      const record = records.get(name)
      return record === undefined ? Doc.unresolved({ file: "the records" }, name, "is not there") : fieldsOf(record)
    }),
    ...rows
  ]

  const recordTable = (rows: ReadonlyArray<Records.Row>) =>
    table(
      ["field", "JSON", "", "meaning"],
      rows.map((row) => [
        code(row.name),
        row.record === undefined ? row.words : `${row.words}: [${itemOf(row.record)}](#${anchor(itemOf(row.record))})`,
        presence(row),
        linked(Doc.paragraph(row.doc))
      ])
    )

  const yields = (entry: Model.Entry) => {
    const { additions, name, record } = entry
    const tops = [...(record === undefined ? [] : [record]), ...additions.flatMap(({ records }) => records)]
    const inner = innerOf(tops)
    return [
      "## Fields",
      ...(record === undefined
        ? []
        : [...(record.doc === undefined ? [] : prose(record.doc, name)), recordTable(fieldsOf(record))]),
      ...additions.flatMap(({ doc, records, rows }) => [
        ...prose(doc, name),
        ...(rows.length === 0 ? [] : [recordTable(rows)]),
        ...records.map((one) => `Each item is a [${itemOf(one)}](#${anchor(itemOf(one))}).`)
      ]),
      ...[...new Set([...additions.flatMap(({ records }) => records), ...inner])].flatMap((one) => [
        `### ${itemOf(one)}`,
        ...(one.doc === undefined ? [] : prose(one.doc, name)),
        recordTable(fieldsOf(one))
      ])
    ]
  }

  /** The records that these hold, at every depth. */
  const innerOf = (tops: ReadonlyArray<Records.Record>) => {
    const found = new Set<Records.Record>()
    const add = (record: Records.Record): void => {
      for (const { record: held } of fieldsOf(record)) {
        if (held === undefined || found.has(held)) continue
        found.add(held)
        add(held)
      }
    }
    for (const record of tops) add(record)
    return found
  }

  return { page, section }
}

const summary = ({ doc, endpoint }: Model.Entry) =>
  `${escaped(doc.sentence)}${endpoint.deprecated === undefined ? "" : " *Deprecated.*"}`

const fenced = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``

/** What a record within a record is called on a page: its public name, or where it stands. */
const itemOf = ({ name }: Records.Record) => name.replace(/^\w+\./, "")

const presence = ({ nullable, optional }: Records.Row) => {
  if (nullable) return optional ? "null or absent" : "may be null"
  return optional ? "may be absent" : "always"
}

const methodOf = { list: "GET", record: "GET", job: "PUT", frames: "WebSocket" }

const orderOf = ({ endpoint }: Model.Entry) => {
  if (endpoint.reply === "record") return "one record"
  if (endpoint.reply === "job") return "the service's own"
  if (endpoint.reply === "frames") return "as published, within an entity"
  return endpoint.order === "series"
    ? 'ascending in time; newest first with `paging_from: "end"`'
    : "the service's own, from the start"
}

const grouped = (value: number) => value.toLocaleString("en")

const pageOf = ({ endpoint }: Model.Entry) => {
  if (endpoint.reply === "record") return "one record"
  if (endpoint.reply === "job") return "files, when the job is done"
  if (endpoint.reply === "frames") return "a frame at a time, as they are published"
  if (endpoint.pageSize === undefined) return "all records in one reply"
  const usual = Parameter.find(endpoint.parameters, "PageSize")?.usual ?? endpoint.pageSize
  const asked = usual === endpoint.pageSize ? "" : `; Sluice asks for ${grouped(usual)}`
  return `${grouped(endpoint.pageSize)} records at most${asked}`
}

const units: ReadonlyArray<readonly [length: number, name: string]> = [
  [365 * 86_400, "years"],
  [86_400, "days"],
  [3600, "hours"],
  [60, "minutes"]
]

const lengthOf = (seconds: number) => {
  const [length, name] = units.find(([unit]) => seconds >= 2 * unit) ?? [1, "seconds"]
  return `${grouped(Math.round(seconds / length))} ${name}`
}

const costOf = ({ endpoint }: Model.Entry) => {
  if (endpoint.reply === "record") return "one request"
  if (endpoint.reply === "job") return "a request that starts the job, and one for each look at its status"
  if (endpoint.reply === "frames") return "no requests, one connection"
  if (endpoint.pageSize === undefined) return "one request"
  const steps = (Parameter.find(endpoint.parameters, "Frequency")?.words ?? []).flatMap((word) => {
    const step = Parameter.stepOf(word)
    return step === undefined || !step.isEven ? [] : [[word, Number(step.nanos) / 1e9] as const]
  })
  const usual = Parameter.find(endpoint.parameters, "PageSize")?.usual ?? endpoint.pageSize
  const ends = steps.length > 1 ? [steps[0]!, steps.at(-1)!] : steps
  const spans = ends.map(([word, seconds]) => `${lengthOf(usual * seconds)} at ${code(word)}`)
  const stream = endpoint.formats.includes("json_stream") ? "; with `json_stream` one for all" : ""
  return `a request for each page${spans.length === 0 ? "" : `, which is ${spans.join(" or ")} of one entity`}${stream}`
}

const splitsOf = ({ endpoint }: Model.Entry) =>
  [...endpoint.splits.map(code), ...(endpoint.reply === "list" && endpoint.order === "series" ? ["time"] : [])].join(
    ", "
  ) || "nothing"

/** Whether its records are of entities over time, so that a copy can be kept up to date. */
const isDataset = ({ endpoint }: Model.Entry) => {
  const has = (role: Parameter.RoleTag) => Parameter.find(endpoint.parameters, role) !== undefined
  const names = Parameter.withRole(endpoint.parameters, "Entities")
  return (
    endpoint.reply === "list" &&
    endpoint.order === "series" &&
    names.some(({ role }) => role._tag === "Entities" && role.field !== undefined) &&
    Parameter.find(endpoint.parameters, "Start", "time") !== undefined &&
    Parameter.find(endpoint.parameters, "End", "time") !== undefined &&
    has("EndInclusive")
  )
}

const commands = (entry: Model.Entry, { command }: Sample): ReadonlyArray<string> => {
  if (entry.endpoint.reply === "frames") return [command]
  if (entry.endpoint.reply === "job") return [command, "sluice jobs results ID     # with the id that it prints"]
  const call = command.replace(/ --limit \d+$/, "")
  const split = entry.endpoint.splits.find((name) => call.includes(` --${name} `))
  const by = split === undefined ? "" : ` --split ${split}`
  return [
    command,
    ...(entry.endpoint.reply === "list" ? [`${call.replace(" get ", " download ")}${by} --output files`] : []),
    ...(isDataset(entry) ? [`${call.replace(" get ", " sync ")} --output dataset`] : []),
    `sluice describe ${entry.endpoint.path.slice(1)}`
  ]
}

const sourceOf = ({ doc, endpoint }: Model.Entry) =>
  (doc.source ?? endpoint.section).replaceAll("docs/interface.md ", "section ").replaceAll(" and section ", " and ")
