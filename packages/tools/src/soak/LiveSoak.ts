/**
 * The soak of live streams: readers of every kind on connections that break all the time, and at the end a comparison of all that
 * was delivered with what the service has.
 */
import { LiveClient, Retry } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Duration, Effect, Random, Redacted, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { fileURLToPath } from "node:url"
import { ServerUnavailable } from "../../benchmark/Server.ts"
import * as LiveLoops from "./LiveLoops.ts"
import * as Report from "./Report.ts"
import * as Soak from "./Soak.ts"
import * as Tally from "./Tally.ts"
import * as Verdict from "./Verdict.ts"

const source = () => fileURLToPath(new URL("LiveService.ts", import.meta.url))

/** Starts the stand-in, and gives its root; it ends with the scope. */
const start = Effect.fnUntraced(function* (seed: number, service = source()) {
  const child = yield* ChildProcess.make(process.execPath, [service, String(seed)], {
    stdin: "ignore",
    stderr: "inherit",
    forceKillAfter: "3 seconds"
  })
  const root = yield* child.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.map((line) => /^paid (http\S+)$/.exec(line)?.[1]),
    Stream.filter((found) => found !== undefined),
    Stream.runHead
  )
  return root._tag === "Some" ? root.value : yield* new ServerUnavailable()
})

/** What every connection meets; it breaks several times, however short the run is. */
const faultsOf = (duration: Duration.Input) => {
  const drop = Math.round(Math.min(5_000, Duration.toMillis(duration) / 4))
  return `live-drop=${drop}ms,live-skip=900,live-repeat=5,live-again=11,live-warning=10`
}

const none = (what: string, count: number): Verdict.Check => ({
  what,
  limit: "none",
  seen: count === 0 ? "none" : String(count),
  isKept: count === 0
})

/** Runs the soak, prints as it goes, and gives what it was judged by. */
export const run = Effect.fn("LiveSoak.run")(function* ({
  duration,
  every,
  seed,
  service
}: Omit<Soak.Settings, "faults">) {
  const root = yield* start(seed, service)
  const faults = faultsOf(duration)
  yield* Console.log(
    [
      `Five series, a restless reader, merged metrics, shared books and two slow readers on one client, over connections that meet`,
      `${faults}; all of them end at once now and then, with seed ${seed}.`,
      ""
    ].join("\n")
  )
  const warnings = yield* Soak.nodeWarnings
  const retry = Retry.make({ base: "20 millis", times: 9 })
  const options = { root, apiKey: Redacted.make("demo-key"), retry }
  const streams = new URL(root).origin.replace("http", "ws")
  const live = { retry, root: `${streams}/fault/${encodeURIComponent(faults)}/v4`, silence: "10 seconds" } as const
  const tally = Tally.make()
  const reads = LiveLoops.all.map(LiveLoops.begin)
  const before = yield* Soak.atRest((vitals) => (vitals.handles["TCPSocketWrap"] ?? 0) === 0)
  const { client, connections, defects, watched } = yield* Effect.gen(function* () {
    const isEnough = () => reads.every(({ connections, ledger }) => connections > 1 && ledger.span() !== undefined)
    const loops = Random.withSeed(LiveLoops.run(reads, tally), seed)
    const done = yield* Soak.work({ duration, every, isEnough }, loops, tally)
    // The stand-in shows over HTTP what it has sent after two seconds at most.
    yield* Effect.sleep("3 seconds")
    for (const read of reads) {
      const { isSame, missing } = yield* LiveLoops.compare(read)
      tally.ended(Math.max(missing, isSame ? 0 : 1))
      const counts = `${read.ledger.sum().count} records, ${read.filled} filled, ${read.connections} connections, ${read.gaps} gaps`
      yield* Console.log(`${read.series.name}: ${counts}; ${isSame ? "as the service has them" : `${missing} missing`}`)
    }
    return { ...done, connections: yield* (yield* LiveClient.LiveClient).connections }
  }).pipe(Effect.provide(NodeLive.layer({ ...options, live })))
  const after = yield* Soak.atRest((after) => Verdict.isBack({ before, after }))
  const checks = [
    ...Verdict.of({
      ...watched,
      process: { before, after },
      client,
      counts: tally.read(),
      defects,
      warnings: warnings()
    }),
    none(
      "records before one that was delivered",
      reads.reduce((sum, { ledger }) => sum + ledger.late(), 0)
    ),
    none(
      "gaps, where HTTP has everything",
      reads.reduce((sum, { gaps }) => sum + gaps, 0)
    ),
    none("series without a broken connection", reads.filter((read) => read.connections < 2).length),
    none("connections in use, once the loops have stopped", connections)
  ]
  yield* Console.log(`\n${Report.verdict(checks)}`)
  return { counts: tally.read(), checks }
}, Effect.scoped)
