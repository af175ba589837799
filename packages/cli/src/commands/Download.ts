/**
 * `sluice download`: a large request as files in a folder, which can be stopped and continued.
 */
import * as Discover from "@sluice/core/Discover"
import { harmlessJson } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Download from "@sluice/node/Download"
import * as EndpointIndex from "../endpoints/EndpointIndex.ts"
import type { About, DownloadInput } from "./Flags.ts"
import * as Connection from "../settings/Connection.ts"
import * as Parameters from "../endpoints/Parameters.ts"
import * as Progress from "../terminal/Progress.ts"
import { Screen } from "../terminal/Screen.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import * as Style from "../terminal/Style.ts"

/** Downloads, and shows progress on standard error; with `--json` on standard output, an event a line. */
export const run = Effect.fnUntraced(function* (input: DownloadInput, about: About | undefined) {
  const screen = yield* Screen
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.get(input.endpoint))
  const isJson = yield* GlobalFlags.Json
  const show = screen.err.isTerminal ? Progress.onTerminal(screen.err) : Progress.inLines()
  const seen = { parts: 0, done: 0 }

  const tell = (event: Download.Event) => {
    if (event._tag === "Started") {
      seen.parts = event.parts
      seen.done = event.done
    }
    if (event._tag === "PartDone") seen.done += 1
    if (isJson) return screen.print(harmlessJson(JSON.stringify(event)))
    const text = show(event)
    return text === "" ? Effect.void : screen.say(text)
  }
  const stopped = Effect.suspend(() => {
    if (seen.parts === 0) return Effect.void
    const { done, parts } = seen
    if (isJson)
      return Effect.ignore(screen.print(JSON.stringify({ _tag: "Stopped", folder: input.output, parts, done })))
    const end = `Stopped: ${done} of ${parts} parts are done in ${input.output}. The same command with --resume continues.\n`
    return screen.say((screen.err.isTerminal ? Style.wipe : "") + end)
  })
  // The error message begins on a line of its own.
  const cleared = screen.err.isTerminal && !isJson ? screen.say(Style.wipe) : Effect.void

  yield* expanded(jobOf(input, endpoint)).pipe(
    Effect.flatMap((job) => Stream.runForEach(Download.run(job), tell)),
    Effect.tapError(() => cleared),
    Effect.onInterrupt(() => stopped),
    Effect.provide(Layer.provideMerge(Discover.layer(), Connection.layer))
  )
})

/** Names what the wildcards of the list stand for that the download is cut along. */
const expanded = Effect.fnUntraced(function* (job: Download.Job) {
  const by = job.split?.by
  if (by === undefined || !job.endpoint.splits.includes(by)) return job
  return { ...job, params: yield* Discover.expand(job.endpoint, job.params, by) }
})

const jobOf = (input: DownloadInput, endpoint: EndpointIndex.Entry["endpoint"]): Download.Job => ({
  endpoint,
  params: Parameters.given(input.parameters),
  split: {
    by: Option.getOrUndefined(input.split)?.replaceAll("-", "_"),
    size: Option.getOrUndefined(input.size),
    every: Option.getOrUndefined(input.every)
  },
  to: input.output,
  format: {
    as: input.format,
    compression: Option.getOrUndefined(input.compression),
    decimal: Option.getOrUndefined(input.decimal),
    columns: Option.getOrUndefined(input.columns)
  },
  concurrency: Option.getOrUndefined(input.concurrency),
  onFailure: input["keep-going"] ? "continue" : "stop",
  resume: input.resume ? "allowed" : "never",
  verify: input.verify
})
