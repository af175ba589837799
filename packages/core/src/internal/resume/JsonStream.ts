/**
 * Reads a json_stream reply as batches of records: one JSON object per line, no envelope. See docs/interface.md 2.5.
 *
 * When a reply is cut off, the rest is requested: from the last record on where that is possible, otherwise the whole
 * reply again. Records already emitted are skipped, and the last of them must come back, so no record is lost or repeated.
 */
import * as Predicate from "effect/Predicate"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import type * as Stream from "effect/Stream"
import { type ApiError, Decode, Unavailable } from "../../ApiError.ts"
import type { DisorderPolicy } from "../../Client.ts"
import type * as Retry from "../../Retry.ts"
import type * as Call from "../call/Call.ts"
import type { Opened } from "../http/Engine.ts"
import * as CallSpan from "../observe/CallSpan.ts"
import * as Envelope from "../wire/Envelope.ts"
import * as Json from "../wire/Json.ts"
import * as Limit from "../wire/Limit.ts"
import * as Lines from "../wire/Lines.ts"
import * as Order from "../series/Order.ts"
import * as ReplayFilter from "./ReplayFilter.ts"
import type * as ResumeState from "./ResumeState.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import * as Resume from "./Resume.ts"
import * as Series from "../series/Series.ts"

/** Whether the last record that came is known to be the last of a call. */
export type IsAtEnd = (call: Call.Call, last: unknown) => boolean

export interface Options<A, R> {
  readonly call: Call.Call
  readonly decoder: RecordDecoder<A>
  readonly retry: Retry.Policy
  /** Makes the span of the call the parent of that of this stream. */
  readonly within?: CallSpan.Within | undefined
  readonly maxLineBytes: number
  /** The fields by which the service promises to sort a list. */
  readonly sorted: ReadonlyArray<string>
  readonly onDisorder: DisorderPolicy
  /** Removes the key from text of the service, and makes it safe to print. */
  readonly scrub: (text: string) => string
  readonly open: (call: Call.Call) => Effect.Effect<Opened, ApiError, R | Scope.Scope>
  /** Tells where the end needs no request. */
  readonly isAtEnd?: IsAtEnd | undefined
  /**
   * Requests the last record of the current call, or one behind the last that came, if there is any. Absent where the end is
   * not checked.
   */
  readonly readLast?:
    | ((state: ResumeState.ResumeState) => Effect.Effect<Option.Option<unknown>, ApiError, Exclude<R, Scope.Scope>>)
    | undefined
}

/**
 * Reads the records of one json_stream, an array for each 16 to 32 KiB, of lazy ones for each 64 KiB, that arrive.
 *
 * **Details**
 *
 * Blank lines and CRLF are ignored. A line with `error` fails as the status of its type would. A reply that ends inside a
 * line, or without the last line end, counts as cut off. So does a line that is not UTF-8, not JSON or not a record: it
 * may have been damaged in transit. When the same line cannot be read in the next reply either, the stream emits the
 * records before it and fails with `Decode`. A line longer than the limit fails at once.
 *
 * **Gotchas**
 *
 * The format has no end mark: a reply closed properly but too early, exactly between two lines, looks complete. With
 * `readLast`, its last record is compared with the last record of the service, and missing records are requested. A reply
 * without the last line end is read twice, to make sure that it was not cut off.
 */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, Exclude<R, Scope.Scope>> =>
  CallSpan.stream({ what: "stream", endpoint: options.call.endpoint.path, within: options.within }, (within) => {
    // One checker for all replies: a resumed reply continues in the same order.
    const order = Order.make({ ...options, reverse: false }, options.onDisorder === "fail")
    return Resume.records({
      ...options,
      within,
      read: (opened, state) => makeReader(options, opened, state, order),
      checkEnd: options.readLast && checkEnd(options, options.readLast)
    })
  })

/** Returns the error of a cut connection when a reply ended before the last record of the service. */
const checkEnd =
  <A, R>({ call, isAtEnd }: Options<A, R>, readLast: NonNullable<Options<A, R>["readLast"]>) =>
  (state: ResumeState.ResumeState) => {
    if (isAtEnd?.(state.call, state.last)) return Effect.undefined
    return Effect.map(readLast(state), (found) => {
      const isWhole = Option.match(found, {
        onNone: () => state.last === undefined,
        onSome: (record) =>
          Series.isSame(state.series, state.last, record, call.endpoint.identity) || state.isAtEnd(record)
      })
      const reason = "the reply ended before the last record"
      const { attempts } = state
      const endpoint = call.endpoint.path
      return isWhole ? undefined : new Unavailable({ endpoint, phase: "body", reason, transient: true, attempts })
    })
  }

type Failure = Pick<Resume.ReadResult<never>, "failure" | "damage">

/** Turns the lines of one reply into records. */
const makeReader = <A, R>(
  { call, decoder, onDisorder, maxLineBytes, scrub }: Options<A, R>,
  { trace, refuse }: Opened,
  state: ResumeState.ResumeState,
  order: Order.OrderChecker
): Resume.Reader<A> => {
  const endpoint = call.endpoint.path
  const lines = Lines.make(maxLineBytes)
  const toArray = Lines.makeArrayWriter()
  const replay = ReplayFilter.make(state)
  let line = 0
  /** Bytes of consecutive blank lines. */
  let blankBytes = 0

  const decodeError = (at: number, path: string, issue: string, setting?: string) =>
    new Decode({ endpoint, trace, line: at, path: scrub(path), issue: scrub(issue), setting })
  const cutError = (reason: string, transient: boolean) =>
    new Unavailable({ endpoint, trace, phase: "body", reason, transient, attempts: state.attempts })

  /** Returns the lines that were not emitted before, or why the reply does not continue the previous one. */
  const skipEmitted = (texts: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, Failure> => {
    const { rest, skipped, isMismatch } = replay.filter(texts)
    // An error line may stand where a record was before. It must fail the stream, not be skipped.
    const refused = skipped.filter(mayBeError).map(errorOf).find(Predicate.isNotNullish)
    if (refused !== undefined) return Result.fail({ failure: refuse(refused) })
    return isMismatch
      ? Result.fail({
          failure: cutError("the records changed while a cut stream was resumed", false),
          damage: "replayed"
        })
      : Result.succeed(rest)
  }

  /** Parses a block of whole lines as one JSON array, and checks its records. */
  const parseBlock = (block: Lines.Block): ReadonlyArray<A> | undefined => {
    const array = toArray(block)
    const rows = array === undefined ? undefined : Json.parseExact(array.text)
    if (!Array.isArray(rows) || rows.length !== array?.lines) return undefined
    return Result.getOrUndefined(decoder.check(rows))
  }

  /** Reads a block of whole lines at once. Returns nothing for an unusual block, which is then read line by line. */
  const readBlock = (block: Lines.Block): Resume.ReadResult<A> | undefined => {
    if (replay.isActive()) return undefined
    const records = decoder.read(block, 0, block.length, lineFeed) ?? parseBlock(block)
    if (records === undefined) return undefined
    const first = line + 1
    line += records.length
    return emit(
      records,
      // Only before a failure are fewer records emitted, and after it the text of the last one is not used.
      (count) => (count === records.length ? Lines.lastOf(block) : ""),
      (index) => first + index
    )
  }

  /** Notes records about to be emitted. Fails or warns when one of them is out of order. */
  const emit = (
    records: ReadonlyArray<A>,
    textBefore: (count: number) => string,
    lineOf: (index: number) => number
  ): Resume.ReadResult<A> => {
    const found = order.check(records, false)
    if (found === undefined) {
      state.noteEmitted(records, textBefore(records.length))
      return new Envelope.Records(records, true)
    }
    const error = decodeError(lineOf(found.index), "", found.issue)
    const count = onDisorder === "fail" ? found.emittable : records.length
    if (count > 0) state.noteEmitted(records.slice(0, count), textBefore(count))
    if (onDisorder === "fail") return { records: records.slice(0, count), failure: error }
    return { records, warning: onDisorder === "warn" ? error.message : undefined }
  }

  const readLines = (all: ReadonlyArray<string>): Resume.ReadResult<A> => {
    const before = line
    line += all.length
    const texts = skipEmitted(all.filter((text) => text.trim() !== ""))
    if (Result.isFailure(texts)) return { records: [], ...texts.failure }
    // Blank and skipped lines shift the line numbers, so they are computed only for an error.
    return parse(texts.success, (index) => before + 1 + all.indexOf(texts.success[index] ?? ""))
  }

  const parse = (texts: ReadonlyArray<string>, lineOf: (index: number) => number): Resume.ReadResult<A> => {
    const rows: Array<unknown> = []
    for (const text of texts) {
      const json = Json.parse(text)
      if (json === undefined) break
      rows.push(Json.exact(text, json))
    }
    const checked = decoder.check(rows)
    const valid = Result.isSuccess(checked) ? rows.length : checked.failure.index
    // Type boundary: the decoder accepted the whole array, or everything before the record it names.
    const records = rows.slice(0, valid) as ReadonlyArray<A>
    const read = valid === 0 ? { records } : emit(records, (count) => texts[count - 1]!, lineOf)
    if (read.failure !== undefined) return read
    if (Result.isFailure(checked)) {
      const { index, path, issue } = checked.failure
      const error = errorOf(texts[index]!)
      return error === undefined
        ? { ...read, failure: decodeError(lineOf(index), path, issue), damage: "new" }
        : { ...read, failure: refuse(error) }
    }
    const damaged = texts[rows.length]
    return damaged === undefined
      ? read
      : { ...read, failure: decodeError(lineOf(rows.length), "", `the line is ${Json.flawOf(damaged)}`), damage: "new" }
  }

  /** Adds the failure of the next line to the records before it: it is damaged, or longer than the limit. */
  const withFailure = (
    read: Resume.ReadResult<A>,
    issue: string | undefined,
    damage?: ResumeState.DamagePosition
  ): Resume.ReadResult<A> => {
    if (read.failure !== undefined || issue === undefined) return read
    const setting = damage === undefined ? "limits.maxLineBytes" : undefined
    return { ...read, failure: decodeError(line + 1, "", issue, setting), damage }
  }

  return {
    pieceSize: decoder.pieceSize,
    push: (piece) => {
      const { block, unreadable } = lines.push(piece)
      if (block === undefined) return withFailure({ records: [] }, unreadable)
      const read = readBlock(block)
      if (read !== undefined) return withFailure(read, unreadable)
      const found = Lines.textsOf(block)
      const isBlank = found.texts.every((text) => text.trim() === "")
      blankBytes = isBlank ? blankBytes + block.length + 1 : 0
      const endless =
        blankBytes > maxLineBytes ? `nothing but blank lines for ${Limit.format(maxLineBytes)}` : undefined
      const readable = readLines(found.texts)
      const untilDamage = withFailure(readable, found.unreadable, replay.isWaiting() ? "replayed" : "new")
      return withFailure(untilDamage, unreadable ?? endless)
    },
    end: () => {
      const rest = lines.rest()
      if (rest?.trim() === "") {
        return replay.isWaiting()
          ? { records: [], failure: cutError("the stream came back shorter than before", true) }
          : { records: [] }
      }
      const unfinished = `${state.total}\n${rest ?? ""}`
      const isRepeated = state.unfinished === unfinished
      state.unfinished = unfinished
      // An error object says why the reply ends here. A complete record does not say that it is the last one.
      const isWhole =
        rest !== undefined && (errorOf(rest) !== undefined || (isRepeated && Json.parse(rest) !== undefined))
      return isWhole
        ? readLines([rest])
        : { records: [], failure: cutError(`the reply ended inside line ${line + 1}`, true) }
    }
  }
}

const lineFeed = 10

const mayBeError = (line: string) => /^\s*\{\s*"error"/.test(line)

/** The error object of a line, if it is one. */
const errorOf = (line: string): unknown => Json.errorIn(Json.parse(line))
