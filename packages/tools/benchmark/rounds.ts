/**
 * The processor time of downloads in warm processes: `node rounds.ts [rounds] [case ...]` gives each case a process that reads the
 * same 500,000 records four times a round, in turns with the page loop, and prints the median of the ratios.
 *
 * The bounds of `bench` are of a first run, which compiles what it runs. This shows what a change does to the work itself.
 */
import { type ChildProcess, fork, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { cases, isName } from "./Cases.ts"
import * as Workload from "./Workload.ts"

const perRound = 4
const workload: Workload.Workload = {
  assets: ["ada", "bch", "bnb", "btc", "doge", "eth", "link", "ltc", "trx", "xrp"],
  start: "2022-01-01T00:00:00Z",
  rows: 50_000,
  metrics: ["PriceUSD", "M1Cnt", "M2USD", "M3Cnt"]
}

const serve = async (name: string, root: string) => {
  if (!isName(name)) throw new Error(`there is no case ${JSON.stringify(name)}`)
  const reader = (await cases[name].load())(root)
  process.on("message", (times: number) => {
    void (async () => {
      const used = process.cpuUsage()
      for (let time = 0; time < times; time++) {
        const { records } = await reader.read(workload)
        if (records !== Workload.total(workload)) throw new Error(`${name} read ${records} records`)
      }
      const { system, user } = process.cpuUsage(used)
      process.send?.((user + system) / 1e6 / times)
    })()
  })
  process.send?.(0)
}

const answer = (child: ChildProcess) =>
  new Promise<number>((resolve, reject) => {
    child.once("message", (seconds) => resolve(seconds as number))
    child.once("exit", (code) => reject(new Error(`a case ended with ${code}`)))
  })

const median = (figures: ReadonlyArray<number>) => figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? Number.NaN

const compare = async (rounds: number, names: ReadonlyArray<string>) => {
  const server = spawn(process.execPath, [fileURLToPath(new URL("Replies.ts", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const root = await new Promise<string>((resolve) => {
    server.stdout.once("data", (text: Buffer) => resolve(text.toString().trim().split(/\s+/)[1] ?? ""))
  })
  const children = new Map<string, ChildProcess>()
  for (const name of ["pageLoop", ...names]) {
    const child = fork(fileURLToPath(import.meta.url), ["--serve", name, root], {
      execArgv: name === "pageLoop" ? [] : ["--max-semi-space-size=8"]
    })
    await answer(child)
    child.removeAllListeners("exit")
    children.set(name, child)
  }
  const measured = new Map<string, Array<number>>(names.map((name) => [name, []]))
  const seconds = new Map<string, Array<number>>([...children.keys()].map((name) => [name, []]))
  for (let round = -1; round < rounds; round++) {
    let base = 0
    for (const [name, child] of children) {
      child.send(round === -1 ? 2 : perRound)
      const used = await answer(child)
      child.removeAllListeners("exit")
      if (round === -1) continue
      if (name === "pageLoop") base = used
      else measured.get(name)?.push(used / base)
      seconds.get(name)?.push(used)
    }
  }
  for (const child of children.values()) child.kill()
  server.kill()
  for (const [name, figures] of seconds) {
    const ratio = name === "pageLoop" ? 1 : median(measured.get(name) ?? [])
    process.stdout.write(`${name}: ${median(figures).toFixed(3)} s for 500,000 records, ratio ${ratio.toFixed(2)}\n`)
  }
}

const [first = "3", ...others] = process.argv.slice(2)
if (first === "--serve") await serve(others[0] ?? "", others[1] ?? "")
else await compare(Number(first), others.length > 0 ? others : ["ndjson", "csv", "parquet"])
