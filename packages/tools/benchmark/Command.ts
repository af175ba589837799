/**
 * The case that makes a dataset with the command `sluice sync`, as its users run it: in a process of its own, which bounds its young
 * generation itself.
 */
import { spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { text } from "node:stream/consumers"
import type { Readable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Workload from "./Workload.ts"

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const flagsOf = (root: string, workload: Workload.Workload, to: string) => ({
  root,
  assets: workload.assets.join(),
  metrics: Workload.metricsOf(workload).join(),
  frequency: Workload.frequency,
  "start-time": Workload.before(workload.rows),
  period: "month",
  "look-back": "60m",
  output: to
})

const argsOf = (flags: ReturnType<typeof flagsOf>): ReadonlyArray<string> => [
  "--import",
  file("Probe.js"),
  file("command/main.js"),
  "sync",
  "timeseries/asset-metrics",
  "--json",
  ...Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value])
]

const sync = async (root: string, workload: Workload.Workload, to: string): Promise<Workload.Seen> => {
  const child = spawn(process.execPath, argsOf(flagsOf(root, workload, `${to}/dataset`)), {
    stdio: ["ignore", "pipe", "inherit", "pipe"],
    env: { ...process.env, SLUICE_API_KEY: Workload.apiKey, XDG_CONFIG_HOME: to }
  })
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  // Type boundary: both descriptors are pipes.
  const [events, took] = await Promise.all([text(child.stdout!), text(child.stdio[3] as Readable)])
  const code = await ended
  if (code !== 0) throw new Error(`sluice sync ended with code ${code}`)
  // Type boundary: the last line is the event of the end, and the probe writes what is measured.
  const { records } = JSON.parse(events.trimEnd().split("\n").at(-1) ?? "") as { readonly records: number }
  const files = fs.readdirSync(to, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".parquet"))
  return { records, touched: files.length, process: JSON.parse(took) as Workload.Process }
}

/** Makes a dataset of a month and an asset a file. What was touched are its files. */
export const load = (root: string): Workload.Reader => ({
  read: async (workload) => {
    const to = fs.mkdtempSync(path.join(os.tmpdir(), "sluice-"))
    try {
      return await sync(root, workload, to)
    } finally {
      fs.rmSync(to, { recursive: true })
    }
  },
  close: async () => {}
})
