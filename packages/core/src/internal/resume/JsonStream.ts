/**
 * A json_stream reply as batches of records: one JSON object a line, no envelope. Source: docs/interface.md 2.5.
 *
 * What is left of a reply that is cut off is asked for again: from the last record on where that is possible, all of it
 * elsewhere. What was already emitted is passed over, and its last record must come back, so nothing is lost and nothing
 * repeated.
 */
import * as Predicate from "effect/Predicate"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ApiError, Decode, Unavailable } from "../../ApiError.ts"
import type { DisorderPolicy } from "../../Client.ts"
import type * as Retry from "../../Retry.ts"
import type * as Call from "../call/Call.ts"
import type { Opened } from "../http/Engine.ts"
import * as Json from "../wire/Json.ts"
import * as Limit from "../wire/Limit.ts"
import * as Lines from "../wire/Lines.ts"
import * as Order from "../series/Order.ts"
import * as Overlap from "./Overlap.ts"
import type * as Progress from "./Progress.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import * as Resume from "./Resume.ts"
import * as Series from "../series/Series.ts"

/** What turns a json_stream into records. */
export interface Options<A, R> {
  readonly call: Call.Call
  readonly decoder: RecordDecoder<A>
  readonly retry: Retry.Policy
  /** Bytes a line may have. */
  readonly longestLine: number
  /** The fields by which the service promises to sort a list. */
  readonly sorted: ReadonlyArray<string>
  readonly onDisorder: DisorderPolicy
  readonly open: (call: Call.Call) => Effect.Effect<Opened, ApiError, R | Scope.Scope>
  /** Asks for the last record of a request, as a page; absent where the end is not to be checked. */
  readonly lastOf?:
    | ((call: Call.Call) => Effect.Effect<Option.Option<A>, ApiError, Exclude<R, Scope.Scope>>)
    | undefined
}

/**
 * Reads the records of one json_stream, an array for each 16 KiB that arrive.
 *
 * **Details**
 *
 * Blank lines and CRLF mean nothing. A line with `error` fails as the status of its type would. A reply that ends inside
 * a line, or without the last line end, counts as cut off. So does a line that is no UTF-8, no JSON or no record: it may
 * have been damaged on the way. When the line at the same place cannot be read in the next reply either, the stream fails
 * with `Decode`. The records before it are emitted first. A line longer than the limit fails at once.
 *
 * **Gotchas**
 *
 * The format has no end mark: a reply closed properly but too early, exactly between two lines, looks complete. With
 * `lastOf` its last record is held against the last there is; what is missing is then asked for. A service that leaves out the last line end is read twice, to know that it is not a cut.
 */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, Exclude<R, Scope.Scope>> =>
  Stream.suspend(() => {
    // Over all replies: what is resumed goes on in the same order.
    const order = Order.make({ ...options, reverse: false }, options.onDisorder === "fail")
    return Resume.records({
      ...options,
      read: (opened, progress) => makeReader(options, opened, progress, order),
      checkEnd: options.lastOf && checkEnd(options, options.lastOf)
    })
  })

/** Gives the error of a cut connection where a reply ended before the last record there is. */
const checkEnd =
  <A, R>({ call }: Options<A, R>, lastOf: NonNullable<Options<A, R>["lastOf"]>) =>
  (progress: Progress.Progress) =>
    Effect.map(lastOf(progress.call), (found) => {
      const isWhole = Option.match(found, {
        onNone: () => progress.last === undefined,
        onSome: (record) =>
          Series.isSame(progress.series, progress.call, progress.last, record) || progress.isEndOfFork(record)
      })
      const reason = "the reply ended before the last record"
      const { attempts } = progress
      const endpoint = call.endpoint.path
      return isWhole ? undefined : new Unavailable({ endpoint, phase: "body", reason, transient: true, attempts })
    })

type Failure = Pick<Resume.Read<never>, "failure" | "damage">

/** Turns the lines of one reply into records. */
const makeReader = <A, R>(
  { call, decoder, onDisorder, longestLine }: Options<A, R>,
  { trace, refuse, scrub }: Opened,
  progress: Progress.Progress,
  order: Order.Watch
): Resume.Reader<A> => {
  const endpoint = call.endpoint.path
  const lines = Lines.make(longestLine)
  const toArray = Lines.makeArrayWriter()
  const overlap = Overlap.make(progress)
  let line = 0
  /** Bytes of blank lines in a row. */
  let blank = 0

  const broken = (at: number, path: string, issue: string, setting?: string) =>
    new Decode({ endpoint, trace, line: at, path: scrub(path), issue: scrub(issue), setting })
  const cut = (reason: string, transient: boolean) =>
    new Unavailable({ endpoint, trace, phase: "body", reason, transient, attempts: progress.attempts })

  /** Leaves the lines still to be read, or says why the reply does not go on where the last one stopped. */
  const resume = (texts: ReadonlyArray<string>): Result.Result<ReadonlyArray<string>, Failure> => {
    const { left, passed, isBroken } = overlap.pass(texts)
    // An error takes the place of a record that was there before: it has to be heard, not passed over.
    const refused = passed.filter(mayBeError).map(errorOf).find(Predicate.isNotNullish)
    if (refused !== undefined) return Result.fail({ failure: refuse(refused) })
    return isBroken
      ? Result.fail({ failure: cut("the records changed while a cut stream was resumed", false), damage: "passed" })
      : Result.succeed(left)
  }

  /** Reads a block of whole lines in one go; gives up on anything unusual, which is then looked at line by line. */
  const readBlock = (block: Lines.Block): Resume.Read<A> | undefined => {
    const array = overlap.isOpen() ? undefined : toArray(block)
    const rows = array === undefined ? undefined : Json.parseExact(array.text)
    if (!Array.isArray(rows) || rows.length !== array?.lines) return undefined
    const checked = decoder.check(rows)
    if (Result.isFailure(checked)) return undefined
    const first = line + 1
    line += rows.length
    return deliver(
      checked.success,
      // A part of them is emitted before a failure only, after which nobody asks for the text of the last.
      (count) => (count === rows.length ? Lines.lastOf(block) : ""),
      (index) => first + index
    )
  }

  /** Records the progress of records about to be emitted, and fails or warns when one of them is out of order. */
  const deliver = (
    records: ReadonlyArray<A>,
    textBefore: (count: number) => string,
    lineOf: (index: number) => number
  ): Resume.Read<A> => {
    const found = order.see(records, false)
    if (found === undefined) {
      progress.deliver(records, textBefore(records.length))
      return { records }
    }
    const error = broken(lineOf(found.index), "", found.issue(scrub))
    const count = onDisorder === "fail" ? found.intact : records.length
    if (count > 0) progress.deliver(records.slice(0, count), textBefore(count))
    if (onDisorder === "fail") return { records: records.slice(0, count), failure: error }
    return { records, remark: onDisorder === "warn" ? error.message : undefined }
  }

  const readLines = (all: ReadonlyArray<string>): Resume.Read<A> => {
    const before = line
    line += all.length
    const texts = resume(all.filter((text) => text.trim() !== ""))
    if (Result.isFailure(texts)) return { records: [], ...texts.failure }
    // Blank and skipped lines shift the count; worked out only when there is an error to place.
    return parse(texts.success, (index) => before + 1 + all.indexOf(texts.success[index] ?? ""))
  }

  const parse = (texts: ReadonlyArray<string>, lineOf: (index: number) => number): Resume.Read<A> => {
    const rows: Array<unknown> = []
    const parsed = Result.try(() => {
      for (const text of texts) rows.push(Json.exact(text, JSON.parse(text)))
    })
    const checked = decoder.check(rows)
    const valid = Result.isSuccess(checked) ? rows.length : checked.failure.index
    // Type boundary: the decoder accepted the whole array, or everything before the record it names.
    const records = rows.slice(0, valid) as ReadonlyArray<A>
    const read = valid === 0 ? { records } : deliver(records, (count) => texts[count - 1]!, lineOf)
    if (read.failure !== undefined) return read
    if (Result.isFailure(checked)) {
      const { index, path, issue } = checked.failure
      const error = errorOf(texts[index]!)
      return error === undefined
        ? { ...read, failure: broken(lineOf(index), path, issue), damage: "next" }
        : { ...read, failure: refuse(error) }
    }
    return Result.isSuccess(parsed)
      ? read
      : { ...read, failure: broken(lineOf(rows.length), "", "the line is not JSON"), damage: "next" }
  }

  /** Adds why there is no more to what could be read before. */
  const ended = (read: Resume.Read<A>, unreadable: string | undefined, damage?: Progress.Damage): Resume.Read<A> =>
    read.failure !== undefined || unreadable === undefined
      ? read
      : { ...read, failure: broken(line + 1, "", unreadable), damage }

  const bounded = (read: Resume.Read<A>, issue: string | undefined): Resume.Read<A> =>
    read.failure !== undefined || issue === undefined
      ? read
      : { ...read, failure: broken(line + 1, "", issue, "limits.maxLineBytes") }

  return {
    push: (piece) => {
      const { block, unreadable } = lines.push(piece)
      if (block === undefined) return bounded({ records: [] }, unreadable)
      const read = readBlock(block)
      if (read !== undefined) return bounded(read, unreadable)
      const found = Lines.textsOf(block)
      const isBlank = found.texts.every((text) => text.trim() === "")
      blank = isBlank ? blank + block.length + 1 : 0
      const endless = blank > longestLine ? `nothing but blank lines for ${Limit.shown(longestLine)}` : undefined
      const readable = readLines(found.texts)
      const untilDamage = ended(readable, found.unreadable, overlap.isMissing() ? "passed" : "next")
      return bounded(untilDamage, unreadable ?? endless)
    },
    end: () => {
      const rest = lines.rest()
      if (rest?.trim() === "") {
        return overlap.isMissing()
          ? { records: [], failure: cut("the stream came back shorter than before", false), damage: "passed" }
          : { records: [] }
      }
      const ending = `${progress.total}\n${rest ?? ""}`
      const again = progress.ending === ending
      progress.ending = ending
      // An error object says why the reply ends here; a record that is whole does not say that it is the last.
      const isWhole = rest !== undefined && (errorOf(rest) !== undefined || (again && Json.parse(rest) !== undefined))
      return isWhole
        ? readLines([rest])
        : { records: [], failure: cut(`the reply ended inside line ${line + 1}`, true) }
    }
  }
}

const mayBeError = (line: string) => /^\s*\{\s*"error"/.test(line)

/** The error object of a line that is one. */
const errorOf = (line: string): unknown => Json.errorIn(Json.parse(line))
