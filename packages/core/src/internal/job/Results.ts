/**
 * Reads the files of a completed job as one stream of records.
 *
 * A file is read like a json_stream: where its download breaks off, it is read again, the records emitted before are skipped,
 * and the last of them must come back, so no record is lost or repeated.
 */
import * as Cause from "effect/Cause"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import * as Predicate from "effect/Predicate"
import { type ApiError, Unavailable } from "../../ApiError.ts"
import type { DisorderPolicy } from "../../Client.ts"
import * as Gzip from "../../Gzip.ts"
import { type JobError, JobResultGone, JobResultRefused, JobUnread } from "../../JobError.ts"
import type * as Retry from "../../Retry.ts"
import * as Call from "../call/Call.ts"
import type * as Engine from "../http/Engine.ts"
import type { Within } from "../observe/CallSpan.ts"
import * as JsonStream from "../resume/JsonStream.ts"
import type * as ByteStream from "../wire/ByteStream.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import * as ArrayLines from "./ArrayLines.ts"
import * as Gunzip from "./Gunzip.ts"
import * as ResultFile from "./ResultFile.ts"
import * as ResultUrl from "./ResultUrl.ts"

export interface Options<A, R> {
  readonly endpoint: string
  readonly id: string
  readonly engine: Engine.Engine
  readonly decoder: RecordDecoder<A>
  readonly retry: Retry.Policy
  readonly longestWait: Duration.Duration
  readonly onDisorder: DisorderPolicy
  /** Makes the span of the call the parent of those of its files. */
  readonly within: Within
  readonly url: ResultUrl.Options
  /** Addresses of the files, in order. */
  readonly urls: ReadonlyArray<unknown>
  /** Asks for the addresses again, because those given may have expired. */
  readonly renew: Effect.Effect<ReadonlyArray<unknown>, JobError, R>
}

/** Reads the records of all files, one file after the other. */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, JobError, Exclude<R, Scope.Scope>> =>
  Stream.unwrap(
    Effect.gen(function* () {
      // All are checked before any is read.
      const urls = yield* Effect.forEach(options.urls, (url, index) => check(options, url, index + 1))
      const delivered = { count: 0 }
      return Stream.flatMap(Stream.fromIterable(urls.entries()), ([index, url]) =>
        readFile(options, index + 1, url, delivered)
      )
    })
  )

const check = <A, R>({ endpoint, id, url: options, urls }: Options<A, R>, url: unknown, file: number) => {
  const earlier = urls.indexOf(url)
  const reason =
    ResultUrl.issue(url, options) ??
    (earlier !== -1 && earlier < file - 1 ? `its address is that of file ${earlier + 1}` : undefined)
  return reason === undefined
    ? Effect.succeed(String(url))
    : Effect.fail(new JobResultRefused({ endpoint, id, file, reason }))
}

/** The records of all files emitted so far. */
interface Delivered {
  count: number
}

const readFile = <A, R>(
  options: Options<A, R>,
  file: number,
  first: string,
  delivered: Delivered
): Stream.Stream<A, JobError, Exclude<R, Scope.Scope>> =>
  Stream.suspend(() => {
    const { decoder, endpoint, engine, id, longestWait, onDisorder, retry, within } = options
    let url = first
    /** The reader of lines knows errors of requests alone, so another error waits here while that one ends the stream. */
    let found: JobError | undefined
    const stop = (error: JobError) => {
      found = error
      return new Unavailable({ endpoint, phase: "reply", transient: false, attempts: 1, reason: error.message })
    }

    const openFile = Effect.suspend(() =>
      ResultFile.open({ engine, longestWait, scrub: options.url.scrub }, endpoint, url)
    )
    const openRenewed = Effect.fnUntraced(function* (status: number) {
      const gone = (status: number) =>
        stop(new JobResultGone({ endpoint, id, file, status, delivered: delivered.count }))
      const renewed = yield* Effect.mapError(options.renew, stop)
      const next = renewedUrl(options.urls, renewed, first)
      if (next === url || next === undefined) return yield* gone(status)
      url = yield* Effect.mapError(check(options, next, file), stop)
      return yield* Effect.mapError(openFile, (error) => {
        const status = statusOf(error)
        return status === undefined ? error : gone(status)
      })
    })
    const open = Effect.catch(openFile, (error) => {
      const status = statusOf(error)
      return status === undefined ? Effect.fail(error) : openRenewed(status)
    })

    const call = Call.make({ path: endpoint, parameters: new Map(), order: "list", pageSize: undefined })
    return JsonStream.records({
      call,
      decoder,
      retry,
      within,
      maxLineBytes: engine.limits.maxLineBytes,
      sorted: [],
      onDisorder,
      scrub: options.url.scrub,
      open: () =>
        Effect.flatMap(open, (opened) =>
          Effect.map(asLines(endpoint, opened.body, engine.decompress), (body) => ({ ...opened, body }))
        )
    }).pipe(
      Stream.mapArray((some) => {
        delivered.count += some.length
        return some
      }),
      Stream.mapError((error) => found ?? new JobUnread({ endpoint, id, error, delivered: delivered.count }))
    )
  })

/** The status with which a host says that it does not give out a file. */
const statusOf = (error: ApiError): number | undefined => {
  switch (error._tag) {
    case "Unauthorized":
      return 401
    case "Forbidden":
      return 403
    case "NotFound":
      return 404
    case "Deprecated":
      return 410
    default:
      return undefined
  }
}

const lineFeed = Uint8Array.of(10)

type Body = ByteStream.ByteStream<Unavailable>

/** The bytes of a file as lines, whatever its form: compressed or not, an array or an object on each line. */
const asLines = Effect.fnUntraced(function* (endpoint: string, body: Body, decompress: Gzip.Decompress | undefined) {
  const cut = (reason: string, transient = true) =>
    new Unavailable({ endpoint, phase: "body", transient, attempts: 1, reason })
  const [bytes, isPacked, isEmpty] = yield* begin(body)
  // A compressed file without records has a head, and an array its brackets. No byte at all is a download that was lost.
  if (isEmpty) return yield* cut("the file is empty")
  const unpacked = isPacked
    ? yield* Gunzip.unpack(bytes, decompress, (issue) =>
        issue === "tooLarge"
          ? cut(`the compressed file ${Gzip.tooLarge}`, false)
          : cut("the compressed file ended early or is damaged")
      )
    : bytes
  const lines = ArrayLines.make()
  let isOver = false
  return Effect.suspend((): Body => {
    if (isOver) return Cause.done()
    return Pull.matchEffect(unpacked, {
      onSuccess: ([first, ...rest]) => Effect.succeed([lines.push(first), ...rest.map(lines.push)] as const),
      onFailure: Effect.failCause,
      onDone: () => {
        isOver = true
        const last = lines.end()
        if (last === undefined) return Effect.fail(cut("the array of the file is not closed"))
        // A compressed file is known to be whole, so its last line is too, which may lack its line feed.
        return Effect.succeed([isPacked ? lineFeed : last] as const)
      }
    })
  })
})

/** Pulls until the first two bytes are known, which tell a compressed file. The body given back begins with them. */
const begin = Effect.fnUntraced(function* (body: Body) {
  let held: ReadonlyArray<Uint8Array> = []
  let isDone = false
  const joined = () => Uint8Array.from(held.flatMap((chunk) => [...chunk.subarray(0, 2)]))
  while (!isDone && joined().length < 2) {
    const chunks = yield* Pull.catchDone(body, () => Effect.succeed([]))
    isDone = chunks.length === 0
    held = [...held, ...chunks]
  }
  const isPacked = Gunzip.isPacked(joined())
  const bytes = Effect.suspend((): Body => {
    const [first, ...rest] = held
    held = []
    if (first !== undefined) return Effect.succeed([first, ...rest] as const)
    return isDone ? Cause.done() : body
  })
  return [bytes, isPacked, joined().length === 0] as const
})

/**
 * The address in `renewed` of the file that `old` lists as `url`; nothing where it cannot be told for certain. It differs in its
 * query, which holds the signature. The order of a list of addresses is not promised, so the position says nothing.
 */
const renewedUrl = (old: ReadonlyArray<unknown>, renewed: ReadonlyArray<unknown>, url: string): unknown => {
  if (renewed.length !== old.length) return undefined
  const file = fileOf(url)
  const isSame = (other: unknown) => fileOf(other) === file
  const found = renewed.filter(isSame)
  return found.length === 1 && old.filter(isSame).length === 1 ? found[0] : undefined
}

/** What identifies a file: origin and path. */
const fileOf = (url: unknown) => {
  const parsed = Predicate.isString(url) ? URL.parse(url) : null
  return parsed === null ? undefined : `${parsed.origin}${parsed.pathname}`
}
