/** A download into a folder, whose processes are killed and whose machine loses power, until one comes to its end. */
import { Timeseries } from "@sluice/core"
import { Download } from "@sluice/files"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect, Exit, Stream } from "effect"
import * as Auditor from "./Auditor.ts"
import * as Disk from "../../../files/test/storage/Disk.ts"
import * as Process from "./Process.ts"
import * as Reading from "./Reading.ts"

const params = {
  assets: ["btc", "eth"],
  metrics: ["PriceUSD"],
  start_time: "2024-01-01",
  end_time: "2024-03-31"
} as const

const job = {
  endpoint: Timeseries.assetMetrics,
  params,
  split: { by: "assets", every: "1 month" },
  format: { as: "ndjson" },
  concurrency: 3
} as const

/** No time, or about as long as a lock lasts that its owner does not write again. */
const wait = Effect.flatMap(Simulation.below(3), (nth) => Effect.sleep([0, 400, 90_000][nth]!))

/** The most processes before one that is left alone. */
const lives = 4

/** Runs processes one after another, now and then one on another machine beside them, and reads the folder afterwards. */
export const make = Effect.map(Reading.truthOf(Timeseries.assetMetrics(params)), (truth) =>
  Effect.gen(function* () {
    const disk = Disk.make(Simulation.below, (yield* Simulation.below(2)) === 1)
    const run = (how: Pick<Partial<Download.Job>, "verify" | "resume" | "concurrency"> = {}) =>
      Stream.runDrain(Download.run({ ...job, to: disk.folder, ...how }))
    for (let number = 1; number <= lives; number++) {
      const isLast = number === lives
      const process = yield* Process.make(disk, number)
      if (!isLast && (yield* Simulation.below(4)) === 1) {
        const other = yield* Process.make(disk, number + lives, { machine: `beside ${number}` })
        yield* Effect.forkDetach(other.run(run({ concurrency: 1 })))
        yield* wait
      }
      const end = yield* Process.live(disk, process, run(), isLast)
      if (end._tag === "Ended" && Exit.isSuccess(end.exit)) break
      if ((yield* Simulation.below(4)) === 1) yield* disk.damage(".ndjson", "removed")
      yield* wait
    }
    // That on the other machine may have the folder: it is done by then.
    yield* Effect.sleep("1 hour")
    yield* (yield* Process.make(disk, 2 * lives + 1)).run(run())
    // What has ended needs no more of the service, whatever happens to its machine.
    yield* disk.loseUnsynced("one")
    yield* Auditor.same(Disk.recordsOf(disk), truth)
    yield* disk.expectOneHolder
    const isCut = (yield* Simulation.below(2)) === 1 && (yield* disk.damage(".ndjson", "cut"))
    const proof = yield* Effect.exit(
      (yield* Process.make(disk, 2 * lives + 2)).run(run({ verify: !isCut, resume: "never" }))
    )
    yield* Auditor.released({ unseen: Exit.isSuccess(proof) === isCut ? 1 : 0 })
  }).pipe(Effect.provide(Sandbox.layerMemory()))
)
