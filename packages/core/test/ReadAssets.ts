import { type Client, ReferenceData } from "@sluice/core"
import * as Effect from "effect/Effect"
import type * as FakeApi from "./FakeApi.ts"
import * as Reading from "./records/Reading.ts"

/** Reads assets as json_stream to the end or the error while the clock goes on. */
export const readAssets = (script: ReadonlyArray<FakeApi.Script>, options?: Client.Options) =>
  Effect.map(
    Reading.read(ReferenceData.assets({ format: "json_stream" }), script, options),
    ({ records, ...result }) => ({
      ...result,
      names: records.map(({ asset }) => asset)
    })
  )
