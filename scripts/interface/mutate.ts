/**
 * `pnpm interface:mutate`: changes the table of operations many times, each time in one place, and says which changes nothing
 * notices that is compared with the table.
 */
import { readFileSync } from "node:fs"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import * as Draw from "../../packages/core/test/Draw.ts"
import * as Agreements from "../../packages/core/test/table/Agreements.ts"
import type { Operation } from "../../packages/interface/src/Operation.ts"
import * as Table from "../../packages/interface/src/Table.ts"
import * as Listed from "../Listed.ts"
import * as Mutations from "./Mutations.ts"
import * as Page from "./Page.ts"

const { values } = parseArgs({
  options: { changes: { type: "string", default: "200" }, seed: { type: "string", default: "1" } }
})

const endpoints = new Map<string, Agreements.Described>(Listed.all.map(({ endpoint }) => [endpoint.path, endpoint]))

const page = readFileSync(resolve(import.meta.dirname, "../../docs/interface.md"), "utf8")

/** What is compared with the table: whether it notices a changed operation. */
const watches: Readonly<Record<string, (operation: Operation) => boolean>> = {
  "the endpoints": (operation) => {
    const endpoint = endpoints.get(operation.path)!
    return Agreements.all.some(([, differences]) => differences(operation, endpoint).length > 0)
  },
  "the page": (operation) => {
    const table = Table.all.map((one) => (one.path === operation.path ? operation : one))
    return Page.filled(page, table) !== page
  }
}

/** A check that cannot work with the change has noticed it. */
const notices = (name: string, operation: Operation) => {
  try {
    return watches[name]!(operation)
  } catch {
    return true
  }
}

const draw = Draw.from(Number(values.seed))

const change = Mutations.make(Table.all)

const counts = new Map([...Object.keys(watches), "nothing"].map((name) => [name, 0]))
for (let nth = 0; nth < Number(values.changes); nth++) {
  const [operation, what] = change(draw)
  const by = Object.keys(watches).filter((name) => notices(name, operation))
  if (by.length === 0) process.stdout.write(`unnoticed: ${operation.path} ${what}\n`)
  for (const name of by.length === 0 ? ["nothing"] : by) counts.set(name, counts.get(name)! + 1)
}
for (const [name, count] of counts) process.stdout.write(`${count} of ${values.changes} are noticed by ${name}\n`)
process.exitCode = counts.get("nothing") === 0 ? 0 : 1
