/**
 * `sluice download`: a large request as files in a folder, which can be stopped and continued.
 */
import * as Discover from "@sluice/core/Discover"
import { harmless, harmlessJson } from "@sluice/core/PlainText"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Download from "@sluice/node/Download"
import * as EndpointIndex from "../endpoints/EndpointIndex.ts"
import * as Flags from "./Flags.ts"
import type { About, DownloadInput } from "./Flags.ts"
import * as NumbersNotice from "./NumbersNotice.ts"
import * as Connection from "../settings/Connection.ts"
import * as Parameters from "../endpoints/Parameters.ts"
import * as RelativeTime from "../endpoints/RelativeTime.ts"
import * as Suggestions from "../endpoints/Suggestions.ts"
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
  const seen = { parts: 0, done: 0, isEmpty: false }

  const tell = (event: Download.Event) => {
    if (event._tag === "Started") {
      seen.parts = event.parts
      seen.done = event.done
    }
    if (event._tag === "PartDone") seen.done += 1
    if (event._tag === "Finished") seen.isEmpty = event.records === 0
    if (isJson) return screen.print(harmlessJson(JSON.stringify(event)))
    const text = show(event) + (event._tag === "Started" && !event.resumed ? noticeOf(input) : "")
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

  /** Says what there is, where nothing was found. */
  const explained = ({ endpoint, params }: Download.Job) =>
    Effect.gen(function* () {
      if (!seen.isEmpty || isJson) return
      const lines = yield* Suggestions.onNothing(endpoint, params)
      yield* screen.say(lines.map((line) => `${screen.err.style.dim(harmless(line))}\n`).join(""))
    })

  yield* timed(input, jobOf(input, endpoint)).pipe(
    Effect.flatMap(expanded),
    Effect.flatMap((job) => Effect.andThen(Stream.runForEach(Download.run(job), tell), explained(job))),
    Suggestions.onRefused(Parameters.given(input.parameters)),
    Effect.tapError(() => cleared),
    Effect.onInterrupt(() => stopped),
    Effect.provide(Layer.provideMerge(Discover.layer(), Connection.layer))
  )
})

/** A line of its own. */
const noticeOf = ({ format, ...input }: DownloadInput) => {
  const notice = NumbersNotice.on({ as: format, ...Flags.formatOf(input) })
  return notice === "" ? "" : `${notice.trim()}\n`
}

/** Names what the wildcards of the list stand for that the download is cut along. */
export const expanded = Effect.fnUntraced(function* <Job extends Pick<Download.Job, "endpoint" | "params" | "split">>(
  job: Job
) {
  const by = job.split?.by
  if (by === undefined || !job.endpoint.splits.includes(by)) return job
  return { ...job, params: yield* Discover.expand(job.endpoint, job.params, by) }
})

/**
 * Puts moments in the place of times such as `-30d`. A download that continues, or is verified, has those it began with, if it
 * began with the same words.
 */
const timed = Effect.fnUntraced(function* (input: DownloadInput, job: Download.Job) {
  const { parameters } = job.endpoint
  const given = RelativeTime.among(parameters, job.params)
  if (Object.keys(given).length === 0) return job
  const params = yield* RelativeTime.resolve(parameters, job.params)
  const isBegun = input.resume || input.verify
  const begun = isBegun ? yield* Download.begun(input.output) : undefined
  const kept = Object.entries(given).flatMap(([name, words]) => {
    const moment = begun?.params[name]
    return begun?.given[name] === words && moment !== undefined ? [[name, moment] as const] : []
  })
  if (kept.length > 0 && !(yield* GlobalFlags.Json)) {
    const { say } = yield* Screen
    const times = kept.map(([name, moment]) => `--${name} ${given[name]} is ${String(moment)}`).join(" and ")
    yield* say(`${times}, as when the download began.\n`)
  }
  return { ...job, params: { ...params, ...Object.fromEntries(kept) }, given }
})

/** The flags that decide what the files hold. */
type FileFlags = Pick<
  DownloadInput,
  | "split"
  | "size"
  | "every"
  | "output"
  | "format"
  | "compression"
  | "decimal"
  | "columns"
  | "numbers"
  | "status-columns"
  | "parameters"
>

/** The part of a job that decides what the files hold. */
export const splitOf = (input: FileFlags, endpoint: EndpointIndex.Entry["endpoint"]) => ({
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
    ...Flags.formatOf(input)
  }
})

const jobOf = (input: DownloadInput, endpoint: EndpointIndex.Entry["endpoint"]): Download.Job => ({
  ...splitOf(input, endpoint),
  concurrency: Option.getOrUndefined(input.concurrency),
  onFailure: input["keep-going"] ? "continue" : "stop",
  resume: input.resume ? "allowed" : "never",
  verify: input.verify
})
