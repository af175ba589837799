/**
 * One case in a process of its own: `node case.ts <name> <root> <workload as JSON>` warms up, reads the workload once and
 * writes one line of JSON.
 *
 * Free of Effect, so that the memory of a hand-written case is its own.
 */
import { cases, isName } from "./Cases.ts"
import * as Peak from "./Peak.ts"
import * as Workload from "./Workload.ts"

/** Records to warm up with, and the most of them as a share of what is read: some are long. */
const most = 100_000
const share = 0.25

/** Objects of a megabyte. */
const perMegabyte = 12_000

const [name = "", root = "", text = ""] = process.argv.slice(2)
if (!isName(name)) throw new Error(`there is no case ${JSON.stringify(name)}`)
const workload = JSON.parse(text) as Workload.Workload

const { held = 0, times, warmUp } = workload
const objects = Array.from({ length: held * perMegabyte }, (_, index) => ({ index, next: { index } }))
const reader = (await cases[name].load())(root)
// The client of Effect loads undici with the first request, a loop by hand has imported it: so the imports end behind a request for
// a record of each entity.
const first = warmUp === 0 ? undefined : (await reader.read(Workload.atMost(workload, 1))).process
const imports = first?.peak ?? Peak.read()
for (let time = 0; time < (times?.warmUp ?? 0); time++) await reader.read(workload)
if (warmUp === undefined && times === undefined)
  await reader.read(Workload.atMost(workload, Math.min(most, share * Workload.total(workload))))
else if (warmUp !== undefined && warmUp > 0) await reader.read({ ...workload, pace: 0, rows: warmUp })
const used = process.cpuUsage()
const before = performance.now()
let seen = await reader.read(workload)
const measured = times?.measured ?? 1
for (let time = 1; time < measured; time++) seen = await reader.read(workload)
const seconds = (performance.now() - before) / 1000 / measured
const { system, user } = process.cpuUsage(used)
const own = seen.process ?? { cpu: (user + system) / 1e6 / measured, peak: Peak.read() }
// The objects are used, so that they were held until here.
const result = { ...seen, ...own, seconds, imports, held: objects.length }
await reader.close()
process.stdout.write(`${JSON.stringify(result)}\n`)
