/** The client of an invocation that follows live streams. Apart, since commands that follow none need not load it. */
import * as Discover from "@sluice/core/Discover"
import * as NodeLive from "@sluice/node/NodeLive"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Connection from "./Connection.ts"
import * as GlobalFlags from "./GlobalFlags.ts"

/**
 * Provides it. Live streams go on through an outage for as long as it takes, unless `--retries` says how often to try.
 */
export const layer = Connection.layerWith(
  Layer.unwrap(
    Effect.gen(function* () {
      const isLimited = (yield* GlobalFlags.Retries) !== undefined
      return Layer.merge(
        NodeLive.layerConfigNoDeps(isLimited ? { retry: yield* Connection.retry } : {}),
        Discover.layer()
      )
    })
  )
)
