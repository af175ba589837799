/**
 * The reference as data for the command line, whose help and `describe` show it: comments are not there at run time.
 *
 * `packages/cli/src/endpoints/Descriptions.ts` has the schema this is read with.
 */
import * as Doc from "./Doc.ts"
import type * as Model from "./Model.ts"
import type * as Records from "./Records.ts"

export const print = ({ sections, shared }: Model.Reference): string => {
  const entries = sections.flatMap((section) => section.entries)
  const parts = {
    shared: shared.map((row) => [row.name, parameterOf(row)] as const),
    endpoints: entries.map((entry) => [entry.endpoint.path, endpointOf(entry)] as const),
    records: [...recordsOf(entries)].map(([name, record]) => [name, recordOf(record)] as const)
  }
  const lines = Object.entries(parts).map(
    ([name, members]) => `${JSON.stringify(name)}: {\n${members.map(line).join(",\n")}\n}`
  )
  return `{\n${lines.join(",\n")}\n}\n`
}

const line = ([name, value]: readonly [string, unknown]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`

/** Comments speak to programs; what only a program can do is said in the words of the command line, or left out. */
const forShell = (text: string): string =>
  text
    .replace(/,? and `format: "json_stream"` [^.]*\./, ".")
    .replaceAll(/`(\w+): (?:\["(\w+)"\]|"(\w+)")`/g, "`--$1 $2$3`")
    .replace(" to the record and its type", " to the record")
    .replace(/, or constants that carry one; each becomes a column of the record type/, "; each becomes a column")

const prose = (doc: Doc.Doc | undefined) => ({
  summary: forShell(doc?.sentence ?? ""),
  ...(doc === undefined || doc.details.length === 0 ? {} : { details: doc.details.map(forShell) })
})

const meaningOf = (doc: Doc.Doc | undefined) => {
  const means = forShell(Doc.paragraph(doc))
  return means === "" ? {} : { means }
}

const parameterOf = ({ doc, name, optional, words }: Records.Row) => ({
  name,
  takes: words,
  ...(optional ? {} : { required: true }),
  ...meaningOf(doc)
})

const fieldOf = ({ doc, name, nullable, optional, record, words }: Records.Row) => ({
  name,
  holds: words,
  ...(optional ? { optional } : {}),
  ...(nullable ? { nullable } : {}),
  ...(record === undefined ? {} : { record: record.name }),
  ...meaningOf(doc)
})

const endpointOf = ({ additions, doc, name, parameters, record }: Model.Entry) => ({
  name,
  ...prose(doc),
  ...(doc.deprecated === undefined ? {} : { deprecated: doc.deprecated }),
  parameters: parameters.rows.map(parameterOf),
  shared: parameters.shared.map(({ name }) => name),
  rules: parameters.rules.map(
    ({ doc, names }) => `${doc.sentence.replace(/\.$/, "")}: ${names.map((one) => `\`${one}\``).join(", ")}.`
  ),
  ...(record === undefined ? {} : { record: record.name }),
  additions: additions.map(({ doc, records, rows }) => ({
    ...prose(doc),
    fields: rows.map(fieldOf),
    records: records.map((one) => one.name)
  }))
})

const recordOf = ({ doc, includes, rows }: Records.Record) => ({ ...prose(doc), includes, fields: rows.map(fieldOf) })

/** Every record that is yielded, or held by one that is. */
export const recordsOf = (entries: ReadonlyArray<Model.Entry>): ReadonlyMap<string, Records.Record> => {
  const found = new Map<string, Records.Record>()
  const add = (record: Records.Record | undefined): void => {
    if (record === undefined || found.get(record.name) === record) return
    if (found.has(record.name)) Doc.unresolved({ file: "the data" }, record.name, "names two records")
    found.set(record.name, record)
    for (const row of record.rows) add(row.record)
  }
  for (const { additions, record } of entries) {
    add(record)
    for (const { records } of additions) for (const one of records) add(one)
  }
  return found
}
