/**
 * The index of the reference as a page of Markdown: every operation with its sentence. `Operations.ts` prints its page.
 */
import * as Doc from "./Doc.ts"
import type * as Model from "./Model.ts"
import * as Operations from "./Operations.ts"
import { code, escaped, table } from "./Table.ts"

export const print = ({ legend, sections }: Model.Reference): string => {
  const entries = sections.flatMap((section) => section.entries)
  const names = new Map(entries.map(({ endpoint, name }) => [endpoint.path, name]))
  const path = (path: string) => {
    const name = names.get(path)
    return name === undefined ? code(path) : link(code(path), name)
  }
  const page = [
    `---\nchildren:\n${sections.map(({ name }) => `  - ../${Operations.folder}/${name}.md`).join("\n")}\n---\n\n# Reference`,
    `The ${entries.length} operations, by section. Each has a page with a program, a command, its parameters, its fields and a record. ` +
      "`pnpm reference` writes these pages from the endpoints, their schemas and their comments; change those.",
    "A call builds a stream and sends nothing until it runs; `….pages(…)` gives the same records with the page they came on. Of an " +
      "endpoint of one record a call is an effect. Of one that starts a job, a call starts it, waits and reads its results; " +
      "`….submit(…)` and `….results(id)` are the two halves. A call of `Live` is a stream of messages that holds the records: " +
      "[Live streams](live.md). Names and values are what the service has on the wire. Records keep fields that are not named here.",
    ...sections.flatMap(({ doc, entries, name }) => [
      `## ${name}`,
      escaped(doc.sentence),
      entries.map(line).join("\n")
    ]),
    "## Words of the tables",
    table(
      ["word", "meaning"],
      [
        ["always", "the field names the record: a record without it is refused"],
        ["null or absent", "the service may leave the field out, or send null"],
        ...legend.map(({ doc, words }) => [words, Doc.paragraph(doc)])
      ]
    ),
    "## Deprecated endpoints",
    "What the service means to withdraw, and the paths that give the same data.",
    table(
      ["endpoint", "path", "replaced by"],
      entries.flatMap(({ endpoint, name }) =>
        endpoint.deprecated === undefined
          ? []
          : [[link(name, name), code(endpoint.path), endpoint.deprecated.replacement.map(path).join(", ")]]
      )
    )
  ]
  return `${page.join("\n\n")}\n`
}

const link = (text: string, name: string) => `[${text}](../${Operations.folder}/${name}.md)`

const line = ({ doc, endpoint, name }: Model.Entry) =>
  `- ${link(name, name)} ${code(endpoint.path)}: ${escaped(doc.sentence)}${endpoint.deprecated === undefined ? "" : " *Deprecated.*"}`
