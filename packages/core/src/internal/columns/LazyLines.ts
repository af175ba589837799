/**
 * Lines of JSON that this library wrote, as records that are built when they are read: columns of them are made from the bytes.
 */
import * as Arr from "effect/Array"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import type * as Batches from "../../Batch.ts"
import * as BatchReader from "../wire/BatchReader.ts"
import * as Lines from "../wire/Lines.ts"
import * as Utf8 from "../wire/Utf8.ts"
import type { Source } from "./Column.ts"
import { Unreadable } from "./FormatError.ts"

/** Readers that are kept for later streams of an endpoint, with their memory and the layouts that they learned. */
const maxIdle = 4

// Each has a WebAssembly memory, for which V8 reserves gigabytes of addresses until it is collected.
const idleOf = new WeakMap<Source["record"], Array<BatchReader.BatchReader>>()

const take = ({ record }: Source, params: object): BatchReader.BatchReader => {
  const idle = idleOf.get(record) ?? []
  idleOf.set(record, idle)
  // Type boundary: code for all endpoints has parameters as data. The records were checked before they were written.
  return idle.pop() ?? BatchReader.make(record(params as never), () => true)
}

const [lineFeed, quote] = [10, 34]

const parse = (block: Lines.Block): Result.Result<ReadonlyArray<unknown>, Unreadable> => {
  const { texts, unreadable } = Lines.textsOf(block)
  const all = Result.try(() => texts.map((line): unknown => JSON.parse(line)))
  return unreadable === undefined && Result.isSuccess(all)
    ? Result.succeed(all.success)
    : Result.fail(new Unreadable({ reason: unreadable ?? "a line is not JSON" }))
}

/** The text of a key of a record of a batch, without building the record; nothing where it is no text. */
export const textAt = ({ bytes, runs }: Batches.Batch, index: number, key: string): string | undefined => {
  let at = index
  for (const { count, first, keys, offsets } of runs) {
    if (at >= count) {
      at -= count
      continue
    }
    const place = keys.indexOf(key)
    if (place === -1) return undefined
    const offset = first + at * (2 * keys.length + 2) + 1 + 2 * place
    const [from, to] = [offsets[offset]!, offsets[offset + 1]!]
    return bytes[from] === quote ? Utf8.ascii(bytes.subarray(from + 1, to - 1)) : undefined
  }
  return undefined
}

/** Reads chunks of bytes a piece at a time, each with the lines that it completes. */
const makeReader = (reader: BatchReader.BatchReader) => {
  const lines = Lines.make(Infinity)
  let waiting: ReadonlyArray<Uint8Array> = []

  /** The next bytes, as many as are read at once. Where a chunk has more, they end with a line, so that little is moved. */
  const next = (): Uint8Array | undefined => {
    const [chunk, ...others] = waiting
    if (chunk === undefined) return undefined
    const size = reader.pieceSize()
    const most = chunk.subarray(0, size)
    const end = chunk.length > size ? most.lastIndexOf(lineFeed) + 1 || size : chunk.length
    waiting = end < chunk.length ? [chunk.subarray(end), ...others] : others
    return chunk.subarray(0, end)
  }

  return {
    push: (chunks: ReadonlyArray<Uint8Array>) => {
      waiting = chunks
    },
    /** The records of the next piece; nothing where more bytes are needed. */
    read: (): Result.Result<ReadonlyArray<unknown>, Unreadable> | undefined => {
      for (let piece = next(); piece !== undefined; piece = next()) {
        const { block } = lines.push(piece)
        if (block === undefined) continue
        const found = reader.read(block, 0, block.length, lineFeed)
        return found === undefined ? parse(block) : Result.succeed(found)
      }
      return undefined
    },
    /** The text behind the last line feed. */
    rest: (): Result.Result<ReadonlyArray<unknown>, Unreadable> => {
      const rest = lines.rest()
      return rest === "" ? Result.succeed([]) : parse(new TextEncoder().encode(rest))
    }
  }
}

type Records<E> = Pull.Pull<Arr.NonEmptyReadonlyArray<unknown>, E | Unreadable>

/**
 * Reads the records of the lines of some bytes in arrays, of which each is valid until the next is pulled. The parameters say which
 * fields records may have: a record with others is read too, and takes longer.
 */
export const records = <E, R>(
  source: Source,
  params: object,
  bytes: Stream.Stream<Uint8Array, E, R>
): Stream.Stream<unknown, E | Unreadable, R> =>
  Stream.suspend(() => {
    const batches = take(source, params)
    const { push, read, rest } = makeReader(batches)
    let isEnded = false
    const release = Effect.sync(() => {
      batches.expire()
      const idle = idleOf.get(source.record)
      if (idle !== undefined && idle.length < maxIdle) idle.push(batches)
    })
    return Stream.transformPull(bytes, (pull) => {
      const emit = (found: Result.Result<ReadonlyArray<unknown>, Unreadable>): Records<E> => {
        if (Result.isFailure(found)) return Effect.fail(found.failure)
        return Arr.isReadonlyArrayNonEmpty(found.success) ? Effect.succeed(found.success) : next
      }
      const next: Records<E> = Effect.suspend(() => {
        batches.expire()
        if (isEnded) return Cause.done()
        const found = read()
        return found === undefined ? more : emit(found)
      })
      const more: Records<E> = Pull.matchEffect(pull, {
        onSuccess: (chunks) => {
          push(chunks)
          return next
        },
        onFailure: Effect.failCause,
        onDone: () => {
          isEnded = true
          return emit(rest())
        }
      })
      return Effect.succeed(next)
    }).pipe(Stream.ensuring(release))
  })
