import { BlockchainJobs, type Client } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as JobScript from "./JobScript.ts"
import * as TestLog from "../TestLog.ts"

export const key = "k3y+of/mine=="

/** Reads the results of a job while the clock goes on. */
export const read = (script: ReadonlyArray<FakeApi.Script>, options: Client.Options = {}) =>
  Effect.gen(function* () {
    const api = FakeApi.make(script)
    const records: Array<unknown> = []
    const said: Array<string> = []
    const log = TestLog.layer((text) => said.push(text))
    const result = yield* BlockchainJobs.accountBalances.results("job-1").pipe(
      Stream.runForEach((record) => Effect.sync(() => records.push(record))),
      Effect.result,
      Effect.provide(api.layer({ apiKey: Redacted.make(key), ...JobScript.patient, ...options })),
      JobScript.drive,
      Effect.provide(log),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
    const error = result._tag === "Failure" ? result.failure : undefined
    const cause = error?._tag === "JobUnread" ? error.error : undefined
    return { api, records, error, cause, said, open: yield* api.open }
  })

export const text = (body: string): FakeApi.Reply => ({ body })
