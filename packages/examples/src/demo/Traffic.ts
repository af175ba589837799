/**
 * What goes on between the client and the service, seen from the client's side.
 */
import { Client, Metrics, type Quota } from "@sluice/core"
import { Clock, Duration, Effect, Metric, Stream } from "effect"

/** The traffic at one moment. */
export interface Traffic {
  readonly quota: Quota.State
  /** Replies of 429 so far. */
  readonly limited: number
  /** Milliseconds that the latest 429 asked to wait. */
  readonly asked: number
  /** Connections cut and replies that broke off or did not come, so far. */
  readonly broken: number
  /** Milliseconds in which requests had to wait because the service wanted no more. */
  readonly held: number
}

/** Watches the client in force until the scope closes; the effect within tells the traffic now. */
export const watch = Effect.gen(function* () {
  const { quota } = yield* Client.Client
  const seen = { at: 0, wait: 0, limited: 0, asked: 0, held: 0 }
  // A state that says how long requests must wait holds until the next state, or until that time is over.
  const note = (state: Quota.State) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      seen.held += Math.min(now - seen.at, seen.wait)
      seen.at = now
      seen.wait = state.waiting === 0 ? 0 : pause(state)
      if (state.rejected > seen.limited) seen.asked = pause(state)
      seen.limited = state.rejected
    })
  yield* quota.changes.pipe(Stream.runForEach(note), Effect.forkScoped)

  return Effect.gen(function* () {
    const state = yield* quota.state
    yield* note(state)
    const { asked, held, limited } = seen
    const traffic: Traffic = { quota: state, limited, asked, broken: yield* broken, held }
    return traffic
  })
})

/** What the client counts of its own accord, as every Sluice client does. */
const broken = Effect.map(Metric.snapshot, (metrics) =>
  metrics
    .filter(({ attributes, id }) => id === Metrics.retries.name && attributes?.["error.type"] === "Unavailable")
    .reduce((sum, retry) => sum + (retry.type === "Counter" ? Number(retry.state.count) : 0), 0)
)

/** How long the service wants no more requests, in milliseconds; zero while only replies are awaited. */
export const pause = ({ reset }: Quota.State): number => (Duration.isFinite(reset) ? Duration.toMillis(reset) : 0)
