/** Live frames read by a bare loop: the `ws` package and `JSON.parse`, nothing checked. Free of Effect otherwise. */
import { WebSocket } from "@effect/platform-node/NodeWS"
import * as Workload from "./Workload.ts"

const now = () => process.hrtime.bigint()

/** The baseline: a listener, `JSON.parse`, and what is done with a record. */
export const bare = (root: string): Workload.Reader => ({
  close: () => Promise.resolve(),
  read: (workload) =>
    new Promise((resolve, reject) => {
      const seen = Workload.nothing()
      const total = Workload.total(workload)
      const delays = Workload.delays(workload)
      const socket = new WebSocket(Workload.liveUrl(root, workload), { perMessageDeflate: false })
      socket.on("error", reject)
      socket.on("message", (data: Buffer) => {
        const record = JSON.parse(data.toString()) as Workload.Trade
        delays?.add(record, now())
        Workload.countTrade(seen, record)
        if (seen.records === total) {
          socket.terminate()
          resolve({ ...seen, latency: delays?.median() })
        }
      })
    })
})
