/** The page of the faults that the stand-in has on request. */
import * as Fault from "../../packages/sandbox/src/Fault.ts"
import * as RateLimitHeaders from "../../packages/sandbox/src/internal/quota/RateLimitHeaders.ts"
import { code, table } from "./Table.ts"

const titles: Readonly<Record<Fault.Group, string>> = {
  head: "Before the headers",
  instead: "Instead of the answer",
  record: "Records",
  page: "Paging and the envelope",
  line: "Lines of a json_stream",
  body: "The end and the pace of a body",
  coding: "Characters and compression",
  header: "Headers"
}

/** Names that every kind takes. */
const common = new Set<string>(["times", "after", "page", "on", "id", "headers"])

type Named<Name extends string> = Readonly<Record<Name, { readonly doc: string; readonly value: Fault.Value }>>

const sentence = <Name extends string>(doc: string, own: ReadonlyArray<Name>, names: Named<Name>) =>
  [doc, ...own.filter((name) => !common.has(name)).map((name) => code(`${name}=${names[name].value.name}`))].join("; ")

const kinds = (group: Fault.Group) =>
  table(
    ["kind", "the reply", "in memory"],
    Fault.table
      .filter((entry) => entry.group === group)
      .map(({ doc, grammar, memory, names }) => [code(grammar), sentence(doc, names, Fault.names), memory ?? ""])
  )

const named = (names: Named<string>) =>
  table(
    ["name", ""],
    Object.entries(names).map(([name, { doc, value }]) => [code(`${name}=${value.name}`), doc])
  )

export const print = (): string =>
  [
    "# Faults of the stand-in",
    "The kinds of fault that a spec may name. [The stand-in's README](../packages/sandbox/README.md#faults) says how a spec is " +
      "written and sent, and [Faults](faults.md) what the client makes of each. `pnpm reference` writes this page; " +
      "`Fault.table` and `Fault.liveTable` are the same as data.",
    "The last column says where the client in memory sees something else.",
    // Type boundary: Object.keys forgets the keys of the literal above.
    ...(Object.keys(titles) as Array<Fault.Group>).flatMap((group) => [`## ${titles[group]}`, kinds(group)]),
    "## Names after a kind",
    named(Fault.names),
    "## Forms of the X-RateLimit headers",
    table(
      ["form", ""],
      RateLimitHeaders.names.map((name) => [code(name), RateLimitHeaders.forms[name].doc])
    ),
    "## Live streams",
    `A \`POSITION\` is ${Fault.liveTable.find(({ kind }) => kind === "live-close")?.value?.means}.`,
    table(
      ["kind", "the connection"],
      Fault.liveTable.map(({ doc, grammar, names }) => [code(grammar), sentence(doc, names, Fault.liveNames)])
    ),
    "## Names after a kind of live streams",
    named(Fault.liveNames)
  ].join("\n\n") + "\n"
