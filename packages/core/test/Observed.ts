import type { Client } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as FakeApi from "./FakeApi.ts"
import * as TestLog from "./TestLog.ts"

/** A client of a scripted service, with what is logged while it is used. */
export const make = (script: ReadonlyArray<FakeApi.Script>, options?: Client.Options) => {
  const said: Array<string> = []
  const api = FakeApi.make(script)
  const log = TestLog.layer((text, level) => said.push(`${level} ${text}`))
  const layer = api.layer(options)
  const run = <A, E>(effect: Effect.Effect<A, E, Client.Client>) =>
    effect.pipe(Effect.provide(layer), Effect.provide(log))
  return { api, said, run }
}
