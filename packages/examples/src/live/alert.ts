import { NodeRuntime } from "@effect/platform-node"
import { Live } from "@sluice/core"
import { NodeLive } from "@sluice/node"
import { Console, Effect, Stream } from "effect"

type Side = "above" | "below" | undefined

/** Says when the rate of bitcoin crosses a line, and when nobody can know, because records may be missing. */
export const alerts = (line: number) =>
  Live.assetMetrics({ assets: ["btc"], metrics: ["ReferenceRateUSD"], frequency: "1s" }).pipe(
    Stream.mapAccum(
      (): Side => undefined,
      (side, message): readonly [Side, ReadonlyArray<string>] => {
        if (message._tag === "Gap") return [side, [`unknown from ${message.from} to ${message.to}`]]
        if (message._tag !== "Data" || message.record.ReferenceRateUSD == null) return [side, []]
        const { ReferenceRateUSD: rate, time } = message.record
        const now = Number(rate) >= line ? "above" : "below"
        return [now, side === undefined || side === now ? [] : [`${now} ${line} at ${time}: ${rate}`]]
      }
    )
  )

if (import.meta.main) {
  alerts(65_000).pipe(Stream.runForEach(Console.log), Effect.provide(NodeLive.layerConfig()), NodeRuntime.runMain)
}
