import { NodeRuntime } from "@effect/platform-node"
import { Timeseries } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Duration, Effect, Schedule, Stream } from "effect"

/** The newest value of each asset, once. Every error that can happen has a name and an answer of its own. */
const poll = Timeseries.assetMetrics({ assets: ["btc", "eth"], metrics: ["PriceUSD"], limit_per_asset: 1 }).pipe(
  Stream.runForEach(({ asset, time, PriceUSD }) => Effect.log(`${asset} ${PriceUSD ?? "no value yet"} at ${time}`)),
  Effect.catchTags({
    // Others use the same key: the service said how long to stay away.
    RateLimited: ({ retryAfter }) => Effect.sleep(retryAfter ?? Duration.minutes(1)),
    // The retries are used up; the next round may do better.
    Unavailable: (error) => Effect.logWarning(error.message),
    // A person has to look, but the service goes on.
    Decode: ({ path, issue, trace }) => Effect.logError("unexpected reply", { path, issue, trace }),
    Deprecated: ({ replacement }) => Effect.logError(`move to ${replacement.join(" or ") || "another endpoint"}`)
  })
)

/** Runs for good, and ends only with what no waiting mends: Unauthorized, Forbidden, NotFound or InvalidRequest. */
export const service = poll.pipe(Effect.repeat(Schedule.spaced("1 minute")))

if (import.meta.main) {
  service.pipe(Effect.provide(NodeClient.layerConfig()), NodeRuntime.runMain)
}
