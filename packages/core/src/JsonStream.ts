/**
 * A json_stream reply as batches of records: one JSON object a line, no envelope. Source: interface.md 2.1, facts.md 1.6.
 *
 * A reply that is cut off is asked for again, and what was already emitted is skipped by counting lines; the last
 * emitted line must stand where it stood, so nothing is lost and nothing repeated.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Predicate from "effect/Predicate"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import { type ApiError, Decode, Unavailable } from "./ApiError.ts"
import type { Opened } from "./Client.ts"
import { noteFault, withAttempts } from "./internal/Attempts.ts"
import { parseJson } from "./internal/Body.ts"
import * as Lines from "./internal/Lines.ts"
import type { RecordDecoder } from "./RecordDecoder.ts"
import * as Retry from "./Retry.ts"

/** What turns a json_stream into records. */
export interface Options<A, R> {
  readonly endpoint: string
  readonly decoder: RecordDecoder<A>
  readonly retry: Retry.Policy
  readonly open: Effect.Effect<Opened, ApiError, R | Scope.Scope>
}

/** Where the stream stands, over all its attempts. */
interface Progress {
  /** Records emitted so far. */
  delivered: number
  /** Text of the line of the last of them. */
  last: string
  /** Requests sent since the last record. */
  attempts: number
  /** Where and with what a reply ended without its last line end; twice the same is the service's habit. */
  unterminated: string | undefined
}

/**
 * Reads the records of one json_stream, an array per network chunk.
 *
 * **Details**
 *
 * Blank lines and CRLF mean nothing. A line with `error` fails as the status of its type would, a line that is no JSON
 * or no record fails with `Decode`; the records before it are emitted first. A reply that ends inside a line, or
 * without the last line end, counts as cut off.
 *
 * **Gotchas**
 *
 * The format has no end mark: a reply closed properly but too early, exactly between two lines, cannot be told from a
 * complete one. A service that leaves out the last line end is read twice, to know that it is not a cut.
 */
export const records = <A, R>(options: Options<A, R>): Stream.Stream<A, ApiError, Exclude<R, Scope.Scope>> =>
  Stream.suspend(() => {
    const progress: Progress = { delivered: 0, last: "", attempts: 0, unterminated: undefined }
    const open = Effect.suspend(() => {
      progress.attempts += 1
      return options.open
    })
    return Stream.unwrap(Effect.map(open, (opened) => attempt(options, opened, progress))).pipe(
      Stream.tapError((error) => (Retry.isTransient(error) ? noteFault(error) : Effect.void)),
      // Safe here alone: an attempt goes on where the last one stopped, and the policy begins anew after each record.
      Stream.retry(Schedule.while(options.retry, ({ input }) => Retry.isTransient(input))),
      Stream.mapError((error) => withAttempts(error, progress.attempts))
    )
  })

type Batch<A> = Pull.Pull<Arr.NonEmptyReadonlyArray<A>, ApiError>

const attempt = <A, R>(options: Options<A, R>, opened: Opened, progress: Progress): Stream.Stream<A, ApiError> =>
  Stream.transformPull(opened.body, (pull) =>
    Effect.sync(() => {
      const read = makeReader(options, opened, progress)
      const lines = Lines.make()
      let then: Batch<A> | undefined

      const emit = ({ records, failure }: Read<A>): Batch<A> => {
        if (failure !== undefined) then = Effect.fail(failure)
        return Arr.isReadonlyArrayNonEmpty(records) ? Effect.succeed(records) : next
      }
      const next: Batch<A> = Effect.suspend(
        () =>
          then ??
          Pull.matchEffect(pull, {
            onSuccess: (chunks) => emit(read.lines(lines.push(chunks))),
            onFailure: Effect.failCause,
            onDone: () => {
              then = Cause.done()
              return emit(read.end(lines.rest()))
            }
          })
      )
      return next
    })
  )

/** Records to emit, and the error that follows them. */
interface Read<A> {
  readonly records: ReadonlyArray<A>
  readonly failure?: ApiError | undefined
}

/** Turns the lines of one reply into records, passing over those an earlier attempt has emitted. */
const makeReader = <A, R>({ endpoint, decoder }: Options<A, R>, { trace, refuse }: Opened, progress: Progress) => {
  let line = 0
  let skip = progress.delivered

  const broken = (at: number, path: string, issue: string) => new Decode({ endpoint, trace, line: at, path, issue })
  const cut = (reason: string, transient: boolean) =>
    new Unavailable({ endpoint, trace, phase: "body", reason, transient, attempts: progress.attempts })

  /** Leaves the lines still to be read; `undefined` when the last emitted line is not where it was. */
  const resume = (lines: ReadonlyArray<string>): ReadonlyArray<string> | undefined => {
    const passed = Math.min(skip, lines.length)
    skip -= passed
    if (passed > 0 && skip === 0 && lines[passed - 1] !== progress.last) return undefined
    return passed === 0 ? lines : lines.slice(passed)
  }

  const parse = (texts: ReadonlyArray<string>, lineOf: (index: number) => number): Read<A> => {
    const rows: Array<unknown> = []
    const parsed = Result.try(() => {
      for (const text of texts) rows.push(JSON.parse(text))
    })
    const checked = decoder.check(rows)
    const valid = Result.isSuccess(checked) ? rows.length : checked.failure.index
    // Type boundary: the decoder accepted the whole array, or everything before the record it names.
    const records = (valid === rows.length ? rows : rows.slice(0, valid)) as ReadonlyArray<A>
    if (valid > 0) {
      progress.delivered += valid
      progress.last = texts[valid - 1]!
      progress.attempts = 1
    }
    if (Result.isFailure(checked)) {
      const { index, path, issue } = checked.failure
      const error = Predicate.isObject(rows[index]) ? Reflect.get(rows[index], "error") : undefined
      return { records, failure: Predicate.isNullish(error) ? broken(lineOf(index), path, issue) : refuse(error) }
    }
    return {
      records,
      failure: Result.isFailure(parsed) ? broken(lineOf(rows.length), "", "the line is not JSON") : undefined
    }
  }

  return {
    lines: (arrived: Result.Result<ReadonlyArray<string>, Lines.Unreadable>): Read<A> => {
      if (Result.isFailure(arrived)) return { records: [], failure: broken(line + 1, "", arrived.failure) }
      const before = line
      line += arrived.success.length
      const full = arrived.success.some(Lines.isBlank)
        ? arrived.success.filter((text) => !Lines.isBlank(text))
        : arrived.success
      const texts = resume(full)
      if (texts === undefined)
        return { records: [], failure: cut("the records changed while a cut stream was resumed", false) }
      // Blank and skipped lines shift the count; worked out only when there is an error to place.
      const lineOf = (index: number) => before + 1 + arrived.success.indexOf(texts[index] ?? "")
      return parse(texts, lineOf)
    },
    end: (rest: string): Read<A> => {
      if (rest.trim() === "") {
        return skip === 0
          ? { records: [] }
          : { records: [], failure: cut("the stream came back shorter than before", false) }
      }
      const json = parseJson(rest)
      const ending = `${line}\n${rest}`
      const again = progress.unterminated === ending
      progress.unterminated = ending
      // An error object says why the reply ends here; a record that is whole does not say that it is the last.
      const isWhole = Predicate.hasProperty(json, "error") || (again && json !== undefined)
      const texts = isWhole ? resume([rest]) : undefined
      return texts === undefined
        ? { records: [], failure: cut(`the reply ended inside line ${line + 1}`, true) }
        : parse(texts, () => line + 1)
    }
  }
}
