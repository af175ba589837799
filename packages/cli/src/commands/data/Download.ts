/** `sluice download`: a large request as files in a folder, which can be stopped and continued. */
import * as Discover from "@sluice/core/Discover"
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Download from "@sluice/files/Download"
import * as Format from "@sluice/files/Format"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import type { About } from "../flags/About.ts"
import type { DownloadInput } from "../flags/DownloadFlags.ts"
import * as EventOutput from "./EventOutput.ts"
import * as NumbersNotice from "./NumbersNotice.ts"
import * as Output from "./Output.ts"
import * as PlaceFlags from "./PlaceFlags.ts"
import * as Connection from "../../settings/Connection.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as RelativeTime from "../../endpoints/RelativeTime.ts"
import * as Suggestions from "../../endpoints/Suggestions.ts"
import * as Progress from "../../terminal/Progress.ts"
import * as Amount from "../../terminal/Amount.ts"
import { Screen } from "../../terminal/Screen.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"

export class FolderLikeFile extends Schema.TaggedError<FolderLikeFile>()("FolderLikeFile", {
  folder: Schema.String,
  format: Format.Name
}) {
  override get message() {
    return `--output is the folder of a download, and ${JSON.stringify(this.folder)} is the name of a file`
  }
}

/** Fails where a file is named in place of a folder. One that exists is what was wanted. */
const expectFolder = Effect.fnUntraced(function* (folder: string) {
  yield* PlaceFlags.expectFolder(folder, "download")
  const format = Output.formatNamedBy(folder)
  if (format === undefined || isObject(folder)) return
  const fs = yield* FileSystem.FileSystem
  const isFolder = Effect.map(fs.stat(folder), ({ type }) => type === "Directory")
  if (yield* Effect.orElseSucceed(isFolder, () => false)) return
  return yield* new FolderLikeFile({ folder, format: format === "arrows" ? "arrow" : format })
})

export const run = Effect.fnUntraced(function* (input: DownloadInput, about: About | undefined) {
  yield* expectFolder(input.output)
  const { endpoint } = about?.entry ?? (yield* EndpointIndex.get(input.endpoint))
  const seen = { parts: 0, done: 0, isEmpty: false }
  const output = yield* EventOutput.make((side) => {
    const show = Progress.on(side)
    return (event: Download.Event) => show(event) + (isBegun(event) ? NumbersNotice.line(formatOf(input)) : "")
  })

  const tell = (event: Download.Event) => {
    if (event._tag === "Started") {
      seen.parts = event.parts
      seen.done = event.done
    }
    if (event._tag === "PartDone") seen.done += 1
    if (event._tag === "Finished") seen.isEmpty = event.records === 0
    return output.tell(event)
  }
  const stopped = Effect.suspend(() => {
    if (seen.parts === 0) return Effect.void
    const { done, parts } = seen
    return output.stopped(
      { _tag: "Stopped", folder: input.output, parts, done },
      `Stopped: ${done} of ${Amount.some(parts, "part")} ${parts === 1 ? "is" : "are"} done in ${input.output}. ${continued(parts - done, parts)}`
    )
  })

  /** Says what there is, where nothing was found. */
  const explained = ({ endpoint, params }: Download.Job) =>
    Effect.suspend(() => (seen.isEmpty && !output.isJson ? Suggestions.sayOnNothing(endpoint, params) : Effect.void))

  yield* timed(input, jobOf(input, endpoint)).pipe(
    Effect.flatMap(expanded),
    Effect.flatMap((job) => Effect.andThen(Stream.runForEach(Download.run(job), tell), explained(job))),
    Suggestions.onRefused(Parameters.given(input.parameters)),
    Effect.tapError(() => output.clear),
    Effect.onInterrupt(() => stopped),
    Effect.provide(Connection.layerDiscover)
  )
})

/** What `--resume` does: a part that was stopped is read from its beginning. */
const continued = (left: number, parts: number) => {
  const command = "The same command with --resume"
  if (left === 0) return `${command} continues.`
  return parts === 1
    ? `${command} reads it from its beginning; --split or --every cut a download into parts, which are kept one by one.`
    : `${command} continues, with parts that were begun from their beginning.`
}

const isBegun = (event: Download.Event) => event._tag === "Started" && !event.resumed

export const formatOf = ({ format }: Pick<DownloadInput, "format">) => ({ ...format, as: format.as ?? "ndjson" })

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
  const begun = input.resume || input.verify ? yield* Download.begun(input.output) : undefined
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

const jobOf = (input: DownloadInput, endpoint: EndpointIndex.Entry["endpoint"]): Download.Job => ({
  endpoint,
  params: Parameters.given(input.parameters),
  split: input.split,
  to: input.output,
  format: formatOf(input),
  concurrency: input.concurrency,
  onFailure: input.keepGoing ? "continue" : "stop",
  resume: input.resume ? "allowed" : "never",
  verify: input.verify,
  plan: input.plan,
  maxRequests: input.maxRequests,
  maxBytes: input.maxBytes
})
