import { type Client, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "./FakeApi.ts"
import * as Virtual from "./Virtual.ts"

/** Reads assets as json_stream to the end or the error while the clock goes on. */
export const readAssets = (script: ReadonlyArray<FakeApi.Script>, options?: Client.Options) =>
  Effect.gen(function* () {
    const api = FakeApi.make(script)
    const names: Array<string> = []
    const outcome = yield* ReferenceData.assets({ format: "json_stream" }).pipe(
      Stream.runForEach(({ asset }) => Effect.sync(() => names.push(asset))),
      Effect.result,
      Effect.provide(api.layer(options)),
      Virtual.run
    )
    const error = outcome._tag === "Failure" ? outcome.failure : undefined
    return { names, error, requests: yield* api.requests, open: yield* api.open }
  })
