import type { Client } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import * as References from "effect/References"
import * as FakeApi from "./FakeApi.ts"

/** A client of a scripted service, with what is logged while it is used. */
export const make = (script: ReadonlyArray<FakeApi.Script>, options?: Client.Options) => {
  const said: Array<string> = []
  const api = FakeApi.make(script)
  const logger = Logger.make(({ logLevel, message }) => {
    const text = String(message)
    // The test clock warns of a test that takes a second, on a busy machine.
    if (!text.startsWith("A test is using time")) said.push(`${logLevel} ${text}`)
  })
  const layer = api.layer(options)
  const run = <A, E>(effect: Effect.Effect<A, E, Client.Client>) =>
    effect.pipe(
      Effect.provide(layer),
      Effect.provide(Logger.layer([logger])),
      // A canary run logs debug lines too.
      Effect.provideService(References.MinimumLogLevel, "Info")
    )
  return { api, said, run }
}
