/** `sluice describe`: one endpoint, its parameters and the records it gives. */
import * as Discover from "@sluice/core/Discover"
import type { OverHttp } from "@sluice/core/LiveEndpoint"
import { harmless, harmlessJson } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Descriptions from "../../endpoints/Descriptions.ts"
import * as Examples from "../../endpoints/Examples.ts"
import * as Help from "./Help.ts"
import * as Parameter from "@sluice/core/Parameter"
import * as Parameters from "../../endpoints/Parameters.ts"
import { Screen, type Side } from "../../terminal/Screen.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Data from "effect/Data"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Connection from "../../settings/Connection.ts"

/** Explains the endpoint of this path or name. With names, also what data exists for them, which the service is asked for. */
export const run = Effect.fnUntraced(function* (text: string, names: ReadonlyArray<string>) {
  const screen = yield* Screen
  const entry = yield* EndpointIndex.getAny(text)
  const covered = names.length === 0 ? undefined : yield* coveredOf(entry.endpoint, names)
  const descriptions = yield* Descriptions.load
  if (yield* GlobalFlags.Json) {
    const data = { ...dataOf(entry, descriptions), ...(covered === undefined ? {} : { available: covered }) }
    return yield* screen.print(harmlessJson(JSON.stringify(data, null, 2)))
  }
  const lines = covered === undefined ? whatThereIs(entry, screen.out) : coveredLines(covered, names, screen.out)
  yield* screen.print([page(entry, descriptions, screen.out), ...lines].join("\n"))
})

type AnyEntry = EndpointIndex.AnyEntry

const isLive = (entry: AnyEntry): entry is EndpointIndex.LiveEntry => entry.endpoint.reply === "frames"

const isJob = (entry: AnyEntry): entry is EndpointIndex.JobEntry => entry.endpoint.reply === "job"

const nothing: Descriptions.Endpoint = { name: "", summary: "", parameters: [], shared: [], rules: [], additions: [] }

const describedAs = ({ endpoint }: AnyEntry, { endpoints }: Descriptions.Descriptions) =>
  endpoints[endpoint.path] ?? nothing

const parametersOf = (entry: AnyEntry, descriptions: Descriptions.Descriptions) => {
  const known = Parameters.of(entry.endpoint)
  return Descriptions.parametersOf(descriptions, entry.endpoint.path).flatMap((described) => {
    const parameter = known.get(described.name)
    return parameter === undefined ? [] : [{ parameter, described }]
  })
}

/** Records by name, with the records that they hold. */
const recordsOf = (names: ReadonlyArray<string>, { records }: Descriptions.Descriptions) => {
  const pending = [...names]
  const found = new Map<string, Descriptions.Record>()
  for (const name of pending) {
    const record = records[name]
    if (record === undefined || found.has(name)) continue
    found.set(name, record)
    pending.push(...record.includes, ...record.fields.flatMap((field) => field.record ?? []))
  }
  return found
}

const namesIn = ({ additions, record }: Descriptions.Endpoint) => [
  ...(record === undefined ? [] : [record]),
  ...additions.flatMap(({ records }) => records)
]

export const dataOf = (entry: AnyEntry, descriptions: Descriptions.Descriptions) => {
  const { community, deprecated, formats, order, pageSize, path, section, splits } = entry.endpoint
  const described = describedAs(entry, descriptions)
  return {
    name: EndpointIndex.nameOf(entry),
    path: EndpointIndex.pathOf(entry),
    url: path,
    section,
    summary: described.summary,
    details: described.details ?? [],
    deprecated: deprecated === undefined ? undefined : { replacement: deprecated.replacement },
    community,
    formats,
    order,
    pageSize,
    splits,
    splitsByTime: splitsByTime(entry),
    live: isLive(entry) ? { history: entry.endpoint.history ?? null, overHttp: entry.endpoint.overHttp } : undefined,
    parameters: parametersOf(entry, descriptions).map(({ described, parameter }) => ({
      name: parameter.name,
      takes: described.takes,
      required: parameter.isRequired,
      list: parameter.isList,
      words: parameter.words.length === 0 ? undefined : parameter.words,
      means: described.means
    })),
    rules: described.rules,
    record: described.record,
    additions: described.additions,
    records: Object.fromEntries(recordsOf(namesIn(described), descriptions))
  }
}

const page = (entry: AnyEntry, descriptions: Descriptions.Descriptions, side: Side): string => {
  const { style } = side
  const described = describedAs(entry, descriptions)
  const all = parametersOf(entry, descriptions)
  const rows = all
    .filter(({ parameter }) => !Parameters.isHidden(parameter))
    .map(
      ({ described, parameter }) =>
        [Parameters.label(parameter), Parameters.explain(parameter, described.means)] as const
    )
  const parameters = Parameters.of(entry.endpoint)
  const [example] = isJob(entry)
    ? Examples.startJob(entry)
    : isLive(entry)
      ? Examples.tail({ entry, parameters })
      : Examples.get({ entry, parameters })
  return [
    `${style.bold(EndpointIndex.nameOf(entry))}  ${style.dim(`${methodOf(entry)} ${entry.endpoint.path}`)}`,
    "",
    ...Help.paragraph(described.summary, side),
    ...(described.details ?? [])
      .map(Parameters.withoutFormat)
      .filter((text) => text !== "")
      .flatMap((text) => ["", ...Help.paragraph(text, side)]),
    ...(described.deprecated === undefined
      ? []
      : ["", style.yellow("Deprecated."), ...Help.paragraph(described.deprecated, side)]),
    "",
    ...Help.definitions(factsOf(entry), side),
    ...Help.section("Parameters", Help.definitions(rows, side), style),
    ...described.rules.flatMap((rule) => ["", ...Help.paragraph(rule, side)]),
    ...recordPages(described, descriptions, side),
    ...Help.section("Example", Help.commandLines(example?.command ?? "", side), style)
  ].join("\n")
}

/** No catalog lists what the endpoint has. */
export class Uncatalogued extends Data.TaggedError("Uncatalogued")<{ readonly message: string }> {}

/** Asks the service what there is of some assets, markets or other entities: metrics, frequencies and times. */
const coveredOf = Effect.fnUntraced(function* (endpoint: Discover.Series, names: ReadonlyArray<string>) {
  if (!Discover.isCatalogued(endpoint)) {
    return yield* new Uncatalogued({ message: `no catalog lists what ${endpoint.path} has` })
  }
  return yield* Discover.available(endpoint, names).pipe(
    Suggestions.onRefused({ names }),
    Effect.provide(Connection.layerDiscover)
  )
})

/** A section of metrics for each entity, or one of entities where the series has no metrics. */
const coveredLines = (all: ReadonlyArray<Discover.Available>, names: ReadonlyArray<string>, side: Side) => {
  if (all.length === 0) return ["", `There is nothing of ${harmless(names.join(", "))}.`]
  const sections = new Map<string, Array<Discover.Available>>()
  for (const one of all) {
    const title = one.metric === undefined ? "Covered" : `Metrics of ${one.entity}`
    sections.set(title, [...(sections.get(title) ?? []), one])
  }
  return [...sections].flatMap(([title, rows]) =>
    Help.section(harmless(title), Help.definitions(rowsOf(rows), side), side.style)
  )
}

const rowsOf = (all: ReadonlyArray<Discover.Available>) => {
  const rows = new Map<string, Array<Discover.Available>>()
  for (const one of all) {
    const name = one.metric ?? one.entity
    rows.set(name, [...(rows.get(name) ?? []), one])
  }
  return [...rows].map(([name, ranges]) => [harmless(name), harmless(rangesOf(ranges))] as const)
}

const rangesOf = (ranges: ReadonlyArray<Discover.Available>) => {
  const frequencies = ranges.flatMap(({ frequency }) => frequency ?? [])
  const first = ranges.flatMap(({ min_time }) => min_time ?? []).toSorted()[0]
  const last = ranges
    .flatMap(({ max_time }) => max_time ?? [])
    .toSorted()
    .at(-1)
  const times = first === undefined || last === undefined ? [] : [`${dayOf(first)} to ${dayOf(last)}`]
  return [...(frequencies.length === 0 ? [] : [frequencies.join(", ")]), ...times].join("; ")
}

const dayOf = (time: string) => time.slice(0, "2024-01-31".length)

/** The command that says what there is of something, such as the metrics of an asset. */
const whatThereIs = (entry: AnyEntry, side: Side): ReadonlyArray<string> => {
  if (!Discover.isCatalogued(entry.endpoint)) return []
  const name = Examples.entity(entry.endpoint)
  const has = (role: Parameter.RoleTag) => Parameter.find(entry.endpoint.parameters, role) !== undefined
  const what = has("Columns") ? "metrics and frequencies" : has("Frequency") ? "frequencies and times" : "times"
  return [
    "",
    ...Help.paragraph(
      `What there is: \`sluice describe ${EndpointIndex.pathOf(entry)} ${name}\` lists its ${what}.`,
      side
    )
  ]
}

const methodOf = (entry: AnyEntry) => (isJob(entry) ? "PUT" : isLive(entry) ? "WebSocket" : "GET")

const factsOf = (entry: AnyEntry): ReadonlyArray<readonly [string, string]> =>
  isJob(entry) ? jobFacts : isLive(entry) ? liveFactsOf(entry) : listFactsOf(entry)

const jobFacts: ReadonlyArray<readonly [string, string]> = [
  ["offered at", "the paid root only"],
  ["order", "the service's own"],
  ["results", "`sluice jobs results`, with the id that `sluice jobs start` prints"]
]

const liveFactsOf = ({ endpoint }: EndpointIndex.LiveEntry): ReadonlyArray<readonly [string, string]> => [
  ["offered at", "the paid root only"],
  [
    "order",
    "as published, within an entity; what a broken connection missed comes before what follows, or behind it with `--order arrival`"
  ],
  ["history", endpoint.history === undefined ? "none: `--since` is refused" : `${endpoint.history}, with \`--since\``],
  ["holes", holes[endpoint.overHttp]]
]

const holes: Readonly<Record<OverHttp, string>> = {
  same: "filled over HTTP",
  other: "not filled: HTTP has other records, such as a sample",
  none: "not filled: HTTP has no records"
}

const listFactsOf = (entry: EndpointIndex.Entry): ReadonlyArray<readonly [string, string]> => [
  ["offered at", entry.endpoint.community ? "the paid and the community root" : "the paid root only"],
  [
    "order",
    entry.endpoint.order === "series" ? "ascending in time; newest first with `--paging_from end`" : "the service's own"
  ],
  ["split by", splitsOf(entry).join(", ") || "nothing"]
]

/** Whether `download --every` can split the time range. */
const splitsByTime = ({ endpoint }: AnyEntry) => endpoint.order === "series" && endpoint.reply === "list"

const splitsOf = (entry: EndpointIndex.Entry) => [
  ...entry.endpoint.splits,
  ...(splitsByTime(entry) ? ["time (`--every`)"] : [])
]

const recordPages = (described: Descriptions.Endpoint, descriptions: Descriptions.Descriptions, side: Side) => [
  ...described.additions.flatMap(({ details = [], fields, records, summary }, index) => [
    "",
    ...headingOf(index - (described.record === undefined ? 1 : 0)).map(side.style.bold),
    ...Help.paragraph([summary, ...details].join(" "), side),
    ...(records.length === 0 ? [] : Help.paragraph(`Each item is a ${records.join(", ")}.`, side)),
    ...fieldRows(fields, side)
  ]),
  ...[...recordsOf(namesIn(described), descriptions)].flatMap(([name, { details = [], fields, includes, summary }]) => [
    "",
    side.style.bold(`Record ${name}`),
    ...(summary === "" ? [] : Help.paragraph([summary, ...details].join(" "), side)),
    ...(includes.length === 0 ? [] : Help.paragraph(`All fields of ${includes.join(", ")}, and:`, side)),
    ...fieldRows(fields, side)
  ])
]

/** Heading of an addition to the record, counted from 0; -1 is the record itself. All additions share one. */
const headingOf = (addition: number) => (addition < 0 ? ["Record"] : addition === 0 ? ["Added to the record"] : [])

const fieldRows = (fields: ReadonlyArray<Descriptions.Field>, side: Side) =>
  Help.definitions(
    fields.map(({ holds, means = "", name, nullable = false, optional = false, record }) => {
      const kind = record === undefined ? holds : `${holds}: ${record}`
      const always = nullable || optional ? "" : "; always there"
      return [name, `${kind}${always}${means === "" ? "" : `. ${means}`}`]
    }),
    side
  )
