import { assert, describe, it } from "@effect/vitest"
import { ApiError, ReferenceData, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import * as Arbitrary from "effect/Arbitrary"
import * as Cause from "effect/Cause"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Oracle from "../../core/test/fuzz/Oracle.ts"
import * as Secret from "../../core/test/fuzz/Secret.ts"
import * as RawReply from "./fuzz/RawReply.ts"
import * as RawServer from "./fuzz/RawServer.ts"
import { until } from "./Harness.ts"

// SLUICE_TEST_SEED and FUZZ_RUNS look further.
const runs = Number(process.env["FUZZ_RUNS"] ?? TestMode.times(150, 1_500))

class Broken extends Data.TaggedError("Broken")<{ readonly promises: ReadonlyArray<string> }> {}

const Case = Schema.Struct({
  format: Schema.Literals(["json", "json_stream"]),
  /** How many records a good reply has. */
  count: Schema.Literals([1, 3, 1_000]),
  replies: Schema.NonEmptyArray(RawReply.RawReply).check(Schema.isMaxLength(2))
})

const settings = {
  apiKey: Secret.apiKey,
  // Whoever has to wait a second for a 429 does not try again.
  retry: Retry.make({ base: "1 millis", times: 1, within: "200 millis" }),
  firstByte: "150 millis",
  idle: "150 millis",
  limits: { maxPageBytes: 1_000_000, maxLineBytes: 100_000 },
  deprecated: "ignore"
} satisfies NodeClient.Options

const bodyOf = ({ count, format }: typeof Case.Type) => {
  const records = Array.from({ length: count }, (_, index) => ({ asset: `asset${index}`, full_name: `é ${index}` }))
  const text =
    format === "json"
      ? JSON.stringify({ data: records })
      : records.map((record) => `${JSON.stringify(record)}\n`).join("")
  return new TextEncoder().encode(text)
}

const isAsset = Schema.is(ReferenceData.assets.record())

const shortened = (text: string) => (text.length > 500 ? `${text.slice(0, 500)}… (${text.length})` : text)

const endingOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit)) return undefined
  const [reason, ...more] = exit.cause.reasons
  if (reason?._tag !== "Fail" || more.length > 0 || !ApiError.isApiError(reason.error)) {
    return `ends by something else than an ApiError: ${shortened(Cause.pretty(exit.cause))}`
  }
  const { error } = reason
  const faces = [error.message, JSON.stringify(error), inspect(error, { depth: 10, showHidden: true })]
  if (faces.some(Secret.isIn)) return `tells the key: ${shortened(faces.join("\n"))}`
  return error.message.length > 10_000 ? `says too much: ${shortened(error.message)}` : undefined
}

/** Reads whatever the server sends, and fails with the promises that were not kept. */
const keepsPromises = (server: RawServer.RawServer) =>
  Effect.fnUntraced(function* (given: typeof Case.Type) {
    const { requests, root } = yield* server.client({ replies: given.replies, body: bodyOf(given) })
    const records: Array<unknown> = []
    const exit = yield* ReferenceData.assets({ format: given.format }).pipe(
      Stream.runForEach((record) => Effect.sync(() => records.push(record))),
      Effect.provide(NodeClient.layer({ root, ...settings })),
      Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.die(new Error("still running")) }),
      Effect.exit
    )
    const most = 2 * (given.format === "json" ? given.replies.length + 1 : given.count + 2)
    const promises = [
      endingOf(exit),
      requests() > most ? `sends ${requests()} requests` : undefined,
      records.every(isAsset) ? undefined : "delivers what is no record",
      Oracle.foreign(records).length === 0 ? undefined : "delivers what is no JSON"
    ].filter((breach) => breach !== undefined)
    return promises.length === 0 ? true : yield* new Broken({ promises })
  })

describe("for any bytes from the socket", () => {
  it.live("a call ends with records or an ApiError, in bounded time and requests, and every connection is closed", () =>
    Effect.gen(function* () {
      const server = yield* RawServer.make
      const result = yield* Arbitrary.checkEffect(Arbitrary.schema(Case), keepsPromises(server), {
        runs,
        seed: TestMode.firstSeed,
        size: 6,
        concurrency: 16,
        maxShrinks: 200
      })
      assert.isUndefined(Arbitrary.formatCheckFailure(result), `seed ${TestMode.firstSeed}`)
      yield* until(Effect.sync(server.open), (open) => open === 0)
    })
  )
})
