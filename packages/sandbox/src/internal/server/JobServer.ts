/** Starts jobs, and serves their files at the other origin. */
import * as Effect from "effect/Effect"
import * as BodyFaults from "../faults/BodyFaults.ts"
import * as GzipFaults from "../faults/GzipFaults.ts"
import * as HeadFaults from "../faults/HeadFaults.ts"
import * as LineFaults from "../faults/LineFaults.ts"
import * as RecordFaults from "../faults/RecordFaults.ts"
import * as ReplacedReply from "../faults/ReplacedReply.ts"
import type * as Spec from "../faults/Spec.ts"
import type { EchoedText } from "../faults/EchoedText.ts"
import type { Dialect } from "../../Dialect.ts"
import * as File from "../jobs/File.ts"
import type * as JobStore from "../jobs/JobStore.ts"
import type * as Jobs from "../../endpoints/jobs/Jobs.ts"
import * as Body from "../reply/Body.ts"
import * as Offered from "../request/Offered.ts"
import * as Query from "../request/Query.ts"
import * as Reply from "../reply/Reply.ts"

/** The longest form that is read, in characters. */
const longestForm = 16 * 1_048_576

export interface Starting {
  readonly start: Jobs.Start
  readonly form: Effect.Effect<string>
  readonly owner: string | undefined
  /** Where `job_url` leads, without its query. */
  readonly jobsUrl: string
  readonly dialect: Dialect
  readonly now: number
}

/** Starts a job and names it. Its address holds the key, as that of the service does. */
export const start = Effect.fnUntraced(function* (store: JobStore.JobStore, request: Starting) {
  const text = yield* request.form
  const form = Query.parse(text.slice(0, longestForm))
  const operation = Offered.find(request.start.path)
  if (request.dialect.unknownParameters === "reject") yield* Query.refuseUnknown(form, Offered.known(operation))
  const task = yield* request.start.task(yield* Offered.read(operation, form), request.dialect)
  const id = store.start(task, request.owner, request.now)
  const query = new URLSearchParams({ api_key: request.owner ?? "", ids: id })
  return Reply.json(200, JSON.stringify({ job_id: id, job_url: `${request.jobsUrl}?${query}` }))
})

/** Refuses a file, in the form of a store of files. */
const denied = Reply.whole(
  403,
  "application/xml",
  "<Error><Code>AccessDenied</Code><Message>Request has expired</Message></Error>"
)

export interface FileRequest {
  readonly url: string
  readonly dialect: Dialect
  readonly faults: ReadonlyArray<Spec.Fault>
  readonly quotation: EchoedText
  readonly now: number
  readonly onRecords: (count: number) => void
}

/** Serves a file. It is a compressed file, not a compressed reply, so no header says so. */
export const file = Effect.fnUntraced(function* (store: JobStore.JobStore, request: FileRequest) {
  const { dialect, faults, now, onRecords, quotation, url } = request
  yield* HeadFaults.apply(faults)
  const instead = ReplacedReply.make(faults, url, quotation)
  if (instead !== undefined) return yield* GzipFaults.ofWhole(instead, faults)
  // A key has no business here.
  if (/[?&]api_key=/.test(url)) return Reply.error(400, "json", "bad_parameter", "A key was sent to the host of files.")
  const found = store.file(url, now)
  if (found === undefined) return denied
  const { index, task } = found
  const listing = File.listing(task, index)
  const whole = { from: 0, to: listing.length }
  const batch = BodyFaults.countsRecords(faults) ? 1 : Body.BATCH
  const text = task.wishes.has("array")
    ? Body.between("[", RecordFaults.apply(listing, faults, 0, listing.length), whole, "]", batch, onRecords)
    : File.lines(
        LineFaults.apply(
          Body.lines(RecordFaults.apply(listing, faults, 0, listing.length), batch, onRecords),
          faults,
          quotation.sentence
        ),
        dialect
      )
  const plain: Reply.Reply = {
    status: 200,
    headers: { "Content-Type": "application/gzip" },
    content: BodyFaults.content(Body.encode(text), false, faults)
  }
  const packed = yield* GzipFaults.apply(plain, faults, !task.wishes.has("plain"))
  const { "Content-Encoding": _, ...headers } = packed.headers
  return { ...packed, headers }
})
