/**
 * One run of any stream, of a family of endpoints or of a job, under a fault: what came of it, held against an undisturbed run.
 */
import { ApiError, type Client, JobError, Retry } from "@sluice/core"
import { NodeClient } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { inspect } from "node:util"
import * as Run from "./Run.ts"

/** What a user saw of one run. */
export interface Seen {
  readonly records: ReadonlyArray<string>
  /** Nothing where the stream completed. */
  readonly error: unknown
  /** Whether the service served the fault. */
  readonly wasMet: boolean
}

/** A fault, and how the undisturbed run and the disturbed one went. */
export interface Case {
  readonly fault: string
  readonly whole: Seen
  readonly seen: Seen
}

const key = "key-of-a-family-or-job"

/** Records as text, without the addresses of files, which lead to the stand-in under the same fault. */
const textOf = (record: unknown) =>
  JSON.stringify(record, (name, value: unknown) => (name === "url" ? undefined : value))

/** Reads a stream from a service of its own, under a fault where one is given. */
export const run = Effect.fnUntraced(
  function* <E>(stream: Stream.Stream<unknown, E, Client.Client>, fault?: string) {
    const sandbox = yield* Sandbox.Sandbox
    const wait = Duration.seconds(fault?.startsWith("stall") === true ? Run.limit.silent : Run.limit.other)
    const client = NodeClient.layer({
      root: fault === undefined ? sandbox.url : sandbox.faultUrl(fault),
      apiKey: Redacted.make(key),
      plan: "download",
      deprecated: "ignore",
      retry: Retry.make({ base: "1 millis", times: Run.attempts - 1 }),
      firstByte: wait,
      idle: wait
    })
    const records: Array<string> = []
    const ended = yield* stream.pipe(
      Stream.runForEach((record) => Effect.sync(() => records.push(textOf(record)))),
      Effect.timeout("60 seconds"),
      Effect.result,
      Effect.provide(Layer.merge(client, Logger.layer([])))
    )
    const { faults } = yield* sandbox.stats
    const error: unknown = Result.isFailure(ended) ? ended.failure : undefined
    return { records, error, wasMet: Object.keys(faults).length > 0 } satisfies Seen
  },
  Effect.provide(Layer.fresh(Sandbox.layer({ jobTime: "20 millis", keys: { [key]: { plan: "download" } } })), {
    local: true
  })
)

/** How the records came: all of them, or what is wrong. After an error, those before it must be what the service has. */
const wrongWith = ({ seen, whole }: Case): string | undefined => {
  const changed = seen.records.findIndex((record, index) => record !== whole.records[index])
  if (changed !== -1) return `record ${changed} is not the one that comes there undisturbed`
  return seen.error === undefined && seen.records.length < whole.records.length ? "records were lost" : undefined
}

/** Lists everything that is wrong; empty for a correct run. */
export const problems = (one: Case): ReadonlyArray<string> => {
  const { seen, whole } = one
  const { error } = seen
  const isTyped = error === undefined || ApiError.isApiError(error) || JobError.isJobError(error)
  const visible = `${String(error)}${JSON.stringify(error)}${inspect(error)}`
  return [
    !seen.wasMet && "the service did not serve it",
    whole.records.length === 0 && "there are no records undisturbed",
    whole.error !== undefined && `it fails undisturbed: ${String(whole.error)}`,
    !isTyped && `it ended with no error of the library: ${String(error)}`,
    visible.includes(key) && "the key stands in the error",
    wrongWith(one)
  ].filter((problem) => typeof problem === "string")
}

/** A run in a cell: all records, or the tag of the error. */
export const saw = ({ seen: { error } }: Case): string =>
  error === undefined
    ? "all records"
    : `\`${ApiError.isApiError(error) || JobError.isJobError(error) ? error._tag : "?"}\``
