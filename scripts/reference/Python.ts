/** The page of the official Python client's members, and what takes the place of each here. */
import { entries } from "../../packages/core/src/Endpoints.ts"
import * as Methods from "../../packages/node/test/python/Methods.ts"
import * as Objects from "../../packages/node/test/python/Objects.ts"
import * as Listed from "../Listed.ts"
import { code, table } from "./Table.ts"

const paths = new Map(Listed.all.map(({ endpoint, name, section }) => [`${section}.${name}`, endpoint.path]))

const series = new Set(
  entries.filter(({ endpoint }) => endpoint.order === "series").map(({ name, section }) => `${section}.${name}`)
)

/** Methods that read the last page first. */
const descending = Methods.methods.filter(
  ({ ours, sends }) => series.has(ours) && !sends.some(([name]) => name === "paging_from")
)

const read = new Set(Methods.methods.map(({ path }) => path))

export const print = (): string =>
  [
    "# Members of the Python client",
    `Every public member of \`coinmetrics-api-client\` ${Methods.version}, read from its sources, and its counterpart. ` +
      "[Moving from the Python client](python-client.md) says what differs. `pnpm reference` writes this page.",
    ...Methods.groups.flatMap(({ methods, title }) => [
      `## ${title}`,
      table(
        ["Python", "Sluice", "path"],
        methods.map(({ name, ours, path }) => [code(name), code(ours), code(path)])
      )
    ]),
    ...Objects.groups.flatMap(({ things, title }) => [
      `## ${title}`,
      table(
        ["Python", "here"],
        things.map(({ name, ours }) => [name, ours])
      )
    ]),
    "## Order",
    "These methods do not set `paging_from`. The service then sends the last page first, and each page ascends, so rows " +
      "beyond one page are in no order. Sluice sorts them in ascending order.",
    table(
      ["Python", "Sluice"],
      descending.map(({ name, ours }) => [code(name), code(ours)])
    ),
    "## Only here",
    "The Python client has no method for these.",
    table(
      ["Sluice", "path"],
      [...paths].filter(([, path]) => !read.has(path)).map(([ours, path]) => [code(ours), code(path)])
    )
  ].join("\n\n") + "\n"
