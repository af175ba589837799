/**
 * A service whose past changes, day after day: the stand-in in memory, whose clock stands still while a day is synced.
 */
import { Client, Retry } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import * as WallClock from "../../../core/test/WallClock.ts"

/** A service, and what sets its clock. */
export interface Service {
  /** The client and the clock of a sync. */
  readonly layer: Layer.Layer<Client.Client>
  /** Goes to a day after the first. */
  readonly at: (day: number) => void
}

/** The moment at which a service begins. */
export const first = Date.UTC(2026, 9, 1, 6)
const dayLength = 86_400_000

/**
 * Starts a service of a seed: values come late, are corrected and taken back, assets are added, renamed and dropped, and metrics
 * retired.
 */
export const make = Effect.fnUntraced(function* (
  seed: number,
  retired: Readonly<Record<string, string>> = {},
  ask: (request: HttpClientRequest.HttpClientRequest) => HttpClientRequest.HttpClientRequest = (request) => request
) {
  let now = first
  const real = yield* Clock.Clock
  const standing = WallClock.at(real, () => now)
  const history = { seed, settles: 2 * dayLength, fills: 2 * dayLength, renamed: "unknown", retired } as const
  const sandbox = yield* Layer.build(Sandbox.layerMemory({ history, live: { from: now, httpLag: 0 } })).pipe(
    Effect.provideService(Clock.Clock, standing)
  )
  const http = Context.get(sandbox, HttpClient.HttpClient).pipe(
    HttpClient.mapRequest(ask),
    HttpClient.transformResponse(Effect.provideService(Clock.Clock, standing))
  )
  const root = Context.get(sandbox, Sandbox.Sandbox).url
  const layer = Client.layer({ root, apiKey: Redacted.make("demo-key"), retry: Retry.none }).pipe(
    Layer.provide(Layer.succeed(HttpClient.HttpClient, http)),
    Layer.orDie
  )
  return {
    layer,
    clock: standing,
    at: (day: number) => {
      now = Math.round(first + day * dayLength)
    }
  }
})
