/**
 * The soak of live streams: readers of every kind on connections that break all the time, and at the end a comparison of all that
 * was delivered with what the service has.
 */
import { LiveClient, Retry } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Duration, Effect, Random, Redacted } from "effect"
import { fileURLToPath } from "node:url"
import * as Server from "../../benchmark/Server.ts"
import * as LiveLoops from "./LiveLoops.ts"
import * as Soak from "./Soak.ts"
import * as Verdict from "./Verdict.ts"

const source = () => fileURLToPath(new URL("LiveService.ts", import.meta.url))

/** What every connection meets; it breaks several times, however short the run is. */
const faultsOf = (duration: Duration.Input) => {
  const drop = Math.round(Math.min(5_000, Duration.toMillis(duration) / 4))
  return `live-drop=${drop}ms,live-skip=900,live-repeat=5,live-again=11,live-warning=10`
}

/** Runs the soak, prints as it goes, and gives what it was judged by. */
export const run = Effect.fn("LiveSoak.run")(function* ({
  duration,
  every,
  seed,
  service = source()
}: Omit<Soak.Settings, "faults">) {
  const root = yield* Server.start([service, String(seed)])
  const faults = faultsOf(duration)
  yield* Console.log(
    [
      `Five series, a restless reader, merged metrics, shared books and two slow readers on one client, over connections that meet`,
      `${faults}; all of them end at once now and then, with seed ${seed}.`,
      ""
    ].join("\n")
  )
  const retry = Retry.make({ base: "20 millis", times: 9 })
  const options = { root, apiKey: Redacted.make("demo-key"), retry }
  const streams = new URL(root).origin.replace("http", "ws")
  const live = { retry, root: `${streams}/fault/${encodeURIComponent(faults)}/v4`, silence: "10 seconds" } as const
  const counts = Verdict.begin()
  const reads = LiveLoops.all.map(LiveLoops.begin)
  const isEnough = () => reads.every(({ connections, ledger }) => connections > 1 && ledger.span() !== undefined)
  const { connections, ...evidence } = yield* Soak.observed(
    counts,
    NodeLive.layer({ ...options, live }),
    Effect.fnUntraced(function* () {
      const loops = Random.withSeed(LiveLoops.run(reads, counts), seed)
      const done = yield* Soak.work({ duration, every, isEnough }, loops, counts)
      // The stand-in shows over HTTP what it has sent after two seconds at most.
      yield* Effect.sleep("3 seconds")
      for (const read of reads) {
        const { isSame, missing } = yield* LiveLoops.compare(read)
        counts.complete += 1
        counts.missing += Math.max(missing, isSame ? 0 : 1)
        const told = `${read.ledger.sum().count} records, ${read.filled} filled, ${read.connections} connections, ${read.gaps} gaps`
        yield* Console.log(`${read.series.name}: ${told}; ${isSame ? "as the service has them" : `${missing} missing`}`)
      }
      return { ...done, connections: yield* (yield* LiveClient.LiveClient).connections }
    })
  )
  const sum = (of: (read: LiveLoops.Read) => number) => reads.reduce((sum, read) => sum + of(read), 0)
  return yield* Verdict.tell(counts, [
    ...Verdict.of(evidence),
    Verdict.none(
      "records before one that was delivered",
      sum(({ ledger }) => ledger.late())
    ),
    Verdict.none(
      "gaps, where HTTP has everything",
      sum(({ gaps }) => gaps)
    ),
    Verdict.none("series without a broken connection", reads.filter((read) => read.connections < 2).length),
    Verdict.none("connections in use, once the loops have stopped", connections)
  ])
}, Effect.scoped)
