/** A reply decoded three times: by the reader of known layouts, as batches, and by `JSON.parse` and the schema alone. */
import * as util from "node:util"
import { ApiError, Batch, Retry } from "@sluice/core"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Call from "../../src/internal/call/Call.ts"
import * as PageRecords from "../../src/internal/pages/PageRecords.ts"
import * as JsonStream from "../../src/internal/resume/JsonStream.ts"
import * as BatchReader from "../../src/internal/wire/BatchReader.ts"
import * as Envelope from "../../src/internal/wire/Envelope.ts"
import * as Nesting from "../../src/internal/wire/Nesting.ts"
import * as RecordDecoder from "../../src/internal/wire/RecordDecoder.ts"
import * as RecordReader from "../../src/internal/wire/RecordReader.ts"
import * as Case from "./Case.ts"
import * as Oracle from "./Oracle.ts"

/** Records, and how they ended. */
interface Reading {
  readonly records: ReadonlyArray<unknown>
  readonly exit: Exit.Exit<unknown, unknown>
}

const endpoint = "fuzzed"
const scrub = (text: string) => text
const ignore = () => {}
const once = Retry.make({ times: 0 })

const readAll = <E>(records: Stream.Stream<unknown, E>): Effect.Effect<Reading> =>
  Effect.suspend(() => {
    const read: Array<unknown> = []
    const all = Stream.runForEachArray(records, (some) =>
      Effect.sync(() => {
        const batch = Batch.of(some)
        const texts = batch === undefined ? undefined : textsOf(batch)
        read.push(...some)
        if (texts !== undefined && texts.join("\n") !== some.map((record) => JSON.stringify(record)).join("\n")) {
          read.push(`another text: ${texts.join("\n")}`)
        }
      })
    )
    return Effect.map(Effect.exit(all), (exit) => ({ records: read, exit }))
  })

/** The texts of the records of a batch. */
const textsOf = ({ bytes, runs }: Batch.Batch): ReadonlyArray<string> =>
  runs.flatMap(({ count, first, keys, offsets }) =>
    Array.from({ length: count }, (_, index) => {
      const place = first + index * (2 * keys.length + 2)
      return Buffer.from(bytes.subarray(offsets[place], offsets[place + 2 * keys.length + 1])).toString("latin1")
    })
  )

const readLines = (
  given: Case.Case,
  decoder: RecordDecoder.RecordDecoder<unknown>,
  pieces: ReadonlyArray<Uint8Array>
) => {
  const target = Case.targetOf(given)
  return readAll(
    JsonStream.records({
      call: Call.make(target.endpoint, target.streamParams),
      decoder,
      retry: once,
      maxLineBytes: 8_388_608,
      sorted: [],
      onDisorder: "ignore",
      scrub,
      open: () =>
        Effect.map(Stream.toPull(Stream.rechunk(Stream.fromIterable(pieces), 1)), (body) => ({
          trace: undefined,
          body,
          notice: undefined,
          refuse: (error) => new ApiError.Decode({ endpoint, path: "", issue: JSON.stringify(error).slice(0, 200) })
        }))
    })
  )
}

const skip = Nesting.make()

const readPage = (decoder: RecordDecoder.RecordDecoder<unknown>, bytes: Uint8Array) => {
  const envelope = Envelope.read({ bytes: bytes.slice(), firstClose: bytes.indexOf(93), done: ignore, skip })
  if (Result.isFailure(envelope)) return readAll(Stream.fail(envelope.failure))
  const { chunks } = envelope.success
  if (chunks === undefined) return readAll(Stream.empty)
  const refetch = Effect.die("requested twice")
  const head = { endpoint, scrub, trace: undefined, page: 1 }
  const page = { head, decoder, retry: once, maxRecords: undefined }
  return readAll(Stream.fromPull(Effect.succeed(PageRecords.make({ ...page, chunks, refetch }))))
}

/** Compiled once for each target. */
const decoders = new Map<string, RecordDecoder.RecordDecoder<unknown>>()

const decoderOf = (given: Case.Case, record: Schema.Codec<unknown>) => {
  const decoder = decoders.get(given.target) ?? RecordDecoder.make(record)
  decoders.set(given.target, decoder)
  return decoder
}

/** Says how the two decoders differ in what they read from the bodies of a case, or nothing. */
export const difference = Effect.fnUntraced(function* (given: Case.Case) {
  const { endpoint, params } = Case.targetOf(given)
  // Type boundary: records need no services; endpoints known as data only do not say so.
  const record = endpoint.record(params) as Schema.Codec<unknown>
  const decoder = decoderOf(given, record)
  const decoderWith = ({ pieceSize, read }: RecordReader.RecordReader) => ({ ...decoder, pieceSize, read })
  const parsing = decoderWith({ read: () => undefined, pieceSize: () => 16_384 })
  const { isValid } = decoder
  // Layouts are learned from the first reply that is sound, and kept for those that are not.
  const readers = [decoderWith(RecordReader.make(record, isValid)), decoderWith(BatchReader.make(record, isValid))]
  const good = Case.goodOf(given)
  for (const [index, body] of [good, good, ...Case.bodiesOf(given)].entries()) {
    const cuts = given.answers[index - 2]?.cuts ?? []
    const read = (decoder: typeof parsing) =>
      Case.isStream(given) ? readLines(given, decoder, Case.piecesOf(body, cuts)) : readPage(decoder, body)
    const expected = yield* read(parsing)
    for (const reader of readers) {
      const found = compare(yield* read(reader), expected)
      if (found !== undefined) return found
    }
  }
  return undefined
})

const compare = (seen: Reading, expected: Reading): string | undefined => {
  const error = JSON.stringify(seen.exit)
  if (JSON.stringify(expected.exit) !== error) return `ends with ${error}, not ${JSON.stringify(expected.exit)}`
  if (seen.records.length !== expected.records.length) return `reads ${seen.records.length} records`
  const at = expected.records.findIndex((record, place) => !isSame(record, seen.records[place]))
  return at === -1
    ? undefined
    : `record ${at} is ${util.inspect(seen.records[at])}, not ${util.inspect(expected.records[at])}`
}

/** With keys in one order, zeros of one sign, and nothing but plain objects. */
const isSame = (record: unknown, other: unknown) =>
  Oracle.canonical(record) === Oracle.canonical(other) &&
  Oracle.foreign(other).length === 0 &&
  valuesOf(record).every((value, index) => typeof value !== "number" || Object.is(value, valuesOf(other)[index]))

const valuesOf = (record: unknown): ReadonlyArray<unknown> =>
  typeof record === "object" && record !== null ? Object.values(record) : [record]
