/**
 * Lines of records as columns, by way of batches and by way of objects.
 */
import { assert } from "@effect/vitest"
import { Batch, Columns, type Endpoint } from "@sluice/core"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import * as LazyDecoder from "../../src/internal/read/LazyDecoder.ts"
import * as Json from "../../src/internal/wire/Json.ts"
import type { RecordDecoder } from "../../src/internal/wire/RecordDecoder.ts"

export type AnyBatch = Columns.Batch<Readonly<Record<string, Columns.AnyColumn>>>

/** All batches of a stream, and how it ended. */
export interface Read<E = unknown> {
  readonly batches: ReadonlyArray<AnyBatch>
  readonly error: E | undefined
}

/** Blocks of lines, each read when it is pulled, in memory that the next one uses again. */
const recordsOf = <A>(
  blocks: ReadonlyArray<ReadonlyArray<A>>,
  read: (block: ReadonlyArray<A>) => ReadonlyArray<unknown>
) => Stream.flatMap(Stream.fromIterable(blocks), (block) => Stream.suspend(() => Stream.fromArray(read(block))))

/** Records of lines as objects. */
export const objects = (blocks: ReadonlyArray<ReadonlyArray<string>>) =>
  recordsOf(blocks, (block) => block.map((line) => Json.parseExact(line)))

/** Records of lines as batches where they can be; `onBatch` is called for each of these. */
export const lazily = (
  decoder: RecordDecoder<unknown>,
  blocks: ReadonlyArray<ReadonlyArray<string>>,
  onBatch: (batch: Batch.Batch) => void = () => {}
) =>
  Stream.suspend(() => {
    const { decoder: reader, release } = LazyDecoder.make(decoder)
    return recordsOf(blocks, (block) => {
      const bytes = new TextEncoder().encode(block.join("\n"))
      const records = reader.read(bytes, 0, bytes.length, 10)
      const batch = records === undefined ? undefined : Batch.of(records)
      if (batch !== undefined) onBatch(batch)
      return records ?? block.map((line) => Json.parseExact(line))
    }).pipe(Stream.ensuring(Effect.sync(release)))
  })

/** All batches of records that are known as data only. */
export const read = <E>(
  endpoint: Pick<Endpoint.Info, "path">,
  params: object,
  records: Stream.Stream<unknown, E>,
  options?: Columns.Options<string>
): Effect.Effect<Read<E | Columns.FormatError>> =>
  Effect.gen(function* () {
    const batches: Array<AnyBatch> = []
    // Type boundary: endpoints and options that are known as data only are checked when the stream runs.
    const columns = Columns.fromRecords(endpoint as never, params as never, records, options as never)
    const end = yield* Effect.result(Stream.runForEach(columns, (batch) => Effect.sync(() => batches.push(batch))))
    // Type boundary: the error type is lost with the types of the endpoint.
    return { batches, error: Result.isFailure(end) ? (end.failure as E | Columns.FormatError) : undefined }
  })

const bytesOf = (view: ArrayBufferView) => Buffer.from(view.buffer, view.byteOffset, view.byteLength)

/** The arrays of a column, by name. */
const arraysOf = (column: Columns.AnyColumn): Readonly<Record<string, ArrayBufferView>> => {
  const { validity } = column
  const bits = validity === undefined ? {} : { validity }
  switch (column.type) {
    case "word":
      return { ...bits, codes: column.codes }
    case "text":
    case "json":
      return { ...bits, bytes: column.bytes, offsets: column.offsets }
    default:
      return { ...bits, values: column.values }
  }
}

const headOf = ({ length, name, nulls, type }: Columns.AnyColumn) => ({ name, type, length, nulls })

const assertSameColumn = (seen: Columns.AnyColumn, expected: Columns.AnyColumn, isLast: boolean) => {
  assert.deepStrictEqual(headOf(seen), headOf(expected))
  const [arrays, others] = [arraysOf(seen), arraysOf(expected)]
  assert.deepStrictEqual(Object.keys(arrays), Object.keys(others), seen.name)
  for (const [name, array] of Object.entries(arrays)) {
    if (!bytesOf(array).equals(bytesOf(others[name]!)))
      assert.deepStrictEqual(array, others[name], `${seen.name}.${name}`)
  }
  if (seen.type !== "word" || expected.type !== "word") return
  // Records behind one that does not fit may have brought further words.
  const count = isLast ? Math.min(seen.words.length, expected.words.length) : Infinity
  assert.deepStrictEqual(seen.words.slice(0, count), expected.words.slice(0, count), seen.name)
}

/** Compares batches to the last bit. */
export const assertSame = (seen: Read, expected: Read) => {
  assert.deepStrictEqual(seen.error, expected.error)
  assert.deepStrictEqual(
    seen.batches.map(({ length }) => length),
    expected.batches.map(({ length }) => length)
  )
  for (const [index, batch] of seen.batches.entries()) {
    const other = expected.batches[index]!
    const isLast = seen.error !== undefined && index === seen.batches.length - 1
    assert.deepStrictEqual(Object.keys(batch.columns), Object.keys(other.columns))
    for (const [name, column] of Object.entries(batch.columns)) assertSameColumn(column, other.columns[name]!, isLast)
  }
}

/** Gives all values of a column over some batches. */
export function* valuesOf({ batches }: Read, name: string): Iterable<unknown> {
  for (const { columns, length } of batches) {
    const column = columns[name]!
    for (let index = 0; index < length; index++) yield column.at(index)
  }
}
