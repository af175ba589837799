/**
 * Live frames read by the bare loop, and handed to an Effect stream: what the fiber of a reader costs, without anything of Sluice.
 */
import { WebSocket } from "@effect/platform-node/NodeWS"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Workload from "./Workload.ts"

type Trades = readonly [Workload.Trade, ...Array<Workload.Trade>]

/** Parses the frames, and wakes a fiber that waits for records. */
const follow = (url: string) => {
  let resume: ((records: Effect.Effect<Trades>) => void) | undefined
  let records: Array<Workload.Trade> = []
  const socket = new WebSocket(url, { perMessageDeflate: false })
  const give = () => {
    const [first, ...others] = records
    if (first === undefined || resume === undefined) return
    const wake = resume
    resume = undefined
    records = []
    wake(Effect.succeed([first, ...others]))
  }
  socket.on("message", (data: Buffer) => {
    records.push(JSON.parse(data.toString()) as Workload.Trade)
    give()
  })
  const take = Effect.callback<Trades>((wake) => {
    resume = wake
    give()
  })
  return { socket, stream: Stream.fromPull(Effect.succeed(take)) }
}

/** Each record is handled within the event of its frame, as with Sluice. */
export const bare = (root: string): Workload.Reader => ({
  close: () => Promise.resolve(),
  read: (workload) => {
    const seen = Workload.nothing()
    const total = Workload.total(workload)
    const delays = Workload.delays(workload)
    const { socket, stream } = follow(Workload.liveUrl(root, workload))
    return stream.pipe(
      Stream.mapArrayEffect((records) =>
        Effect.sync(() => {
          for (const record of records) {
            delays?.add(record, process.hrtime.bigint())
            Workload.countTrade(seen, record)
          }
          return records
        })
      ),
      Stream.takeUntil(() => seen.records >= total),
      Stream.runDrain,
      Effect.map(() => {
        socket.terminate()
        return { ...seen, latency: delays?.median() }
      }),
      Effect.runPromise
    )
  }
})
