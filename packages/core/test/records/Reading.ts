import { type Client, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"

/** Reads a stream from scripted replies while the clock goes on: what came, how it ended, and what was asked. */
export const read = Effect.fnUntraced(function* <A, E>(
  stream: Stream.Stream<A, E, Client.Client>,
  script: ReadonlyArray<FakeApi.Script>,
  options: Client.Options = {}
) {
  const api = FakeApi.make(script)
  const records: Array<A> = []
  const outcome = yield* stream.pipe(
    Stream.runForEach((one) => Effect.sync(() => records.push(one))),
    Effect.result,
    Effect.provide(api.layer(options)),
    Virtual.run
  )
  const error = outcome._tag === "Failure" ? outcome.failure : undefined
  return { records, error, requests: yield* api.requests, open: yield* api.open }
})

/** A policy with so many repetitions. */
export const retries = (times: number): Client.Options => ({ retry: Retry.make({ times }) })
