/** A file of records that is read back as a dataset does that compares others with them. */
import type * as Endpoint from "@sluice/core/Endpoint"
import * as Format from "@sluice/files/Format"
import * as LazyRows from "@sluice/files/internal/format/LazyRows"
import * as ParquetFile from "@sluice/files/internal/parquet/ParquetFile"
import * as Effect from "effect/Effect"
import type { JsonObject } from "effect/Schema"
import * as Stream from "effect/Stream"
import * as Comparing from "../../src/internal/versions/Comparing.ts"
import * as Gathered from "../../src/internal/versions/Gathered.ts"

/** Formats that are compared by bytes, and by columns of each type. */
export const formats = [
  { as: "ndjson" },
  { as: "parquet" },
  { as: "parquet", numbers: "decimal" },
  { as: "parquet", numbers: "text", times: "micros" }
] as const

/** A series, and the parameters that tell its columns. */
export interface Series {
  readonly endpoint: Endpoint.Any
  readonly params: JsonObject
  readonly entity: string
  readonly identity: ReadonlyArray<string> | undefined
}

/** Bytes of text that are read at once: fewer than most lines together, so that some are cut. */
const pieceSize = 999

/**
 * Writes records, and gives them as they are held, with what compares others with them. Files of one entity have no column of it, since their
 * folder names it.
 */
export const make = Effect.fnUntraced(function* (
  { endpoint, params, ...series }: Series,
  format: (typeof formats)[number],
  records: ReadonlyArray<object>,
  isOfEntity = false
) {
  const isLines = format.as === "ndjson"
  const all = isLines ? [] : yield* Format.columns(endpoint, params)
  const columns = all.filter(({ name }) => !isOfEntity || name !== series.entity)
  const names = columns.map(({ name }) => name)
  const encode = yield* Format.encode(endpoint, params, { ...format, ...(!isLines && { columns: names }) })
  const file = new Uint8Array(Buffer.concat(yield* Stream.runCollect(encode(Stream.fromIterable(records)))))
  const pieces = Stream.map(Stream.range(0, Math.ceil(file.length / pieceSize) - 1), (at) =>
    file.subarray(at * pieceSize, (at + 1) * pieceSize)
  )
  const pages = ParquetFile.pages(
    { size: file.length, read: (from, to) => Effect.sync(() => file.subarray(from, to)) },
    new Set()
  )
  const rows = Stream.mapEffect(pages, (page) => Effect.fromResult(ParquetFile.rowsOf(page)))
  const comparing = Comparing.make({ ...series, endpoint, time: "time" }, format, columns)
  const { entity } = series
  return {
    comparing,
    /** Gives records as they are compared. */
    gathered: <E>(sent: Stream.Stream<unknown, E>): Stream.Stream<unknown, E> =>
      isLines ? sent : Gathered.of(sent, { columns, entity, format }),
    read: isLines ? LazyRows.ofLines(pieces) : LazyRows.ofPages(rows)
  }
})
