/** Runs one case over the scripted service, on a clock of its own, and keeps all that comes of it. */
import * as util from "node:util"
import type { ApiError, Client, Endpoint, Paging } from "@sluice/core"
import { Retry } from "@sluice/core"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Random from "effect/Random"
import * as References from "effect/References"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import * as FakeApi from "../FakeApi.ts"
import * as Virtual from "../Virtual.ts"
import * as Case from "./Case.ts"
import type { Fuzzed } from "./Fuzzed.ts"
import * as Head from "./Head.ts"
import * as Promises from "./Promises.ts"
import * as Secret from "./Secret.ts"

const times = 2

/** A window of a month may have to pass before a second request. */
const longestWait = "400 days"

/** No more than this may be asked: each page so often, and a json_stream again after every line. */
const mostRequests = (given: Case.Case, bodies: ReadonlyArray<Uint8Array>) => {
  const lines = bodies.map((body) => body.filter((byte) => byte === 10).length + 1)
  return (times + 1) * (Case.isStream(given) ? Math.max(...lines) + 2 : bodies.length + 1)
}

const replyOf = (answer: Case.Case["answers"][number], body: Uint8Array): FakeApi.Script => {
  const ending = Case.endingOf(answer)
  if (ending === "refused") return Effect.fail(FakeApi.cut)
  if (ending === "never") return Effect.never
  const status = Case.statusOf(answer)
  const pieces = Case.piecesOf(body, answer.cuts)
  const after = ending === "cut" ? [FakeApi.cut] : ending === "stall" ? [Effect.never] : []
  const headers = Head.toRecord(answer.headers)
  // A `Response` begins at 200; what is below never reaches a client as a reply either.
  return Effect.succeed({ status: Math.max(200, status), headers, body: [...pieces, ...after] })
}

const serve = (given: Case.Case, bodies: ReadonlyArray<Uint8Array>) => {
  const most = mostRequests(given, bodies)
  let asked = 0
  return FakeApi.serve(() => {
    const turn = asked++ % bodies.length
    if (asked > most) return Effect.die(new Error(`more than ${most} requests`))
    const reply = replyOf(given.answers[turn]!, bodies[turn]!)
    return Effect.isEffect(reply) ? reply : Effect.succeed(reply)
  })
}

const batchesOf = (given: Case.Case): Endpoint.Records<unknown> => {
  const { endpoint, params, streamParams } = Case.targetOf(given)
  if (Case.isStream(given)) return endpoint(streamParams)
  if (given.face === "records") return endpoint(params)
  return Stream.flattenIterable(Stream.map(endpoint.pages(params), ({ data }: Paging.Page<unknown>) => data))
}

/** Runs a case with these bodies. */
export const observe = Effect.fnUntraced(function* (given: Case.Case, bodies: ReadonlyArray<Uint8Array>) {
  const records: Array<unknown> = []
  const lines: Array<string> = []
  const logger = Logger.make<unknown, void>(({ cause, message }) => {
    lines.push(`${[message].flat().map(String).join(" ")} ${cause.reasons.length === 0 ? "" : Cause.pretty(cause)}`)
  })
  const api = serve(given, bodies)
  const read: Effect.Effect<void, ApiError.ApiError, Client.Client> = Stream.runForEachArray(
    batchesOf(given),
    (batch) =>
      Effect.sync(() => {
        for (const record of batch) records.push(record)
      })
  )
  const client = api.layer({
    apiKey: Secret.apiKey,
    retry: Retry.make({ times }),
    deprecated: Case.policyOf(given),
    limits: Case.limitsOf(given)
  })
  const { exit } = yield* read.pipe(
    Effect.provide(Layer.orDie(client)),
    Effect.exit,
    (ended) => Virtual.timed(ended, longestWait),
    Effect.provide([TestClock.layer(), Logger.layer([logger])]),
    // An error may say how long is left to wait, which follows from the jitter of the retries before.
    Random.withSeed("fuzz"),
    Effect.provideService(References.MinimumLogLevel, "All"),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
  const requests = (yield* api.requests).length
  const ended = exit._tag === "Success" ? exit.value : exit
  return { given, bodies, requests, records, lines, exit: ended } satisfies Fuzzed
})

/** Fails with the promises that a case breaks; a defect of the run is one. */
export const keepsPromises = (given: Case.Case): Effect.Effect<boolean, Promises.Broken> =>
  Effect.suspend(() => observe(given, Case.bodiesOf(given))).pipe(
    Effect.flatMap((fuzzed) => Promises.assertKept(Promises.check(fuzzed))),
    Effect.as(true),
    Effect.catchDefect((defect) =>
      Effect.fail(new Promises.Broken({ promises: [`fails by a defect: ${util.inspect(defect).slice(0, 600)}`] }))
    )
  )
