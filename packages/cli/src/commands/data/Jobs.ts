/** `sluice jobs`: starts jobs, shows their status and writes their results. */
import * as Jobs from "@sluice/core/endpoints/Jobs"
import { JobUnknown } from "@sluice/core/JobError"
import { harmless } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Connection from "../../settings/Connection.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import type { ResultsInput } from "../flags/Flags.ts"
import * as Output from "./Output.ts"

interface StartInput {
  readonly kind: string
  readonly parameters: Readonly<Record<string, unknown>>
}

/** The command takes no other word. */
const jobOf = (kind: string) => {
  const job = EndpointIndex.jobs.get(kind)
  return job === undefined ? Effect.die(new Error(`no job computes ${kind}`)) : Effect.succeed(job.endpoint)
}

const line = (value: unknown) => `${jsonOf(value)}\n`

export const start = Effect.fnUntraced(function* ({ kind, parameters }: StartInput) {
  const { write } = yield* Screen
  const job = yield* jobOf(kind)
  const params = yield* RelativeTime.resolve(job.parameters, Parameters.given(parameters))
  // Type boundary: the call checks its parameters.
  const { id } = yield* Effect.provide(job.submit(params as never), Connection.layer)
  yield* write(Stream.make((yield* GlobalFlags.Json) ? line({ id }) : `${harmless(id)}\n`))
})

/** Prints jobs, one on each line. Fails after that where the service does not list one. */
export const status = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const { write } = yield* Screen
  const jobs = yield* Effect.provide(Stream.runCollect(Jobs.list({ ids })), Connection.layer)
  yield* write(Stream.make(jobs.map(line).join("")))
  const unknown = ids.flatMap((id) => id.split(",")).find((id) => !jobs.some((job) => job.id === id.trim()))
  if (unknown !== undefined) return yield* new JobUnknown({ endpoint: Jobs.list.path, id: unknown.trim() })
})

export const results = Effect.fnUntraced(function* (input: ResultsInput) {
  const job = yield* jobOf(input.kind)
  // What a job was started with is not known here, and its records do not depend on it.
  const source = { endpoint: job, params: {} }
  const output = yield* Output.of(input, source)
  yield* Effect.provide(Output.write(output, input, source, job.results(input.id)), Connection.layer)
})
