/** What people write to have records in PostgreSQL: a page loop, and lines of text for a COPY. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { eachPage, reader } from "./HandWritten.ts"
import * as Workload from "./Workload.ts"

let count = 0

/** A name that no table has yet. */
export const nextTable = () => `table_${process.pid}_${count++}`

/** One COPY into a table with a primary key. What was touched are its rows. */
export const copy = reader(async (get, workload) => {
  const { psql = "", url = "" } = workload.database ?? {}
  const seen = Workload.nothing()
  const metrics = Workload.metricsOf(workload)
  const table = nextTable()
  const values = metrics.map((name) => `"${name}" double precision`).join()
  const statements = [
    `CREATE TABLE ${table} (asset text NOT NULL, time timestamptz NOT NULL, ${values}, PRIMARY KEY (asset, time))`,
    `COPY ${table} FROM STDIN`
  ]
  const child = spawn(psql, ["-X", "-q", ...statements.flatMap((sql) => ["-c", sql]), url], {
    stdio: ["pipe", "inherit", "inherit"]
  })
  const ended = once(child, "exit")
  const columns = ["asset", "time", ...metrics]
  await eachPage(get, workload, workload.assets, (records) => {
    let lines = ""
    for (const record of records) lines += `${columns.map((name) => record[name] ?? "\\N").join("\t")}\n`
    seen.records += records.length
    return child.stdin.write(lines) ? undefined : once(child.stdin, "drain")
  })
  child.stdin.end()
  const [code] = await ended
  if (code !== 0) throw new Error(`psql ended with ${code}`)
  return { ...seen, touched: seen.records }
})
