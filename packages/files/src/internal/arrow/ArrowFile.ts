/** Apache Arrow: records as a file or a stream of its IPC formats. */
import * as Collector from "@sluice/core/internal/columns/Collector"
import { type Column, type Source, wordsOf } from "@sluice/core/internal/columns/Column"
import type * as ColumnType from "@sluice/core/internal/columns/ColumnType"
import type { FileWriter } from "../format/FileWriter.ts"
import * as Ipc from "./Ipc.ts"

export interface Options extends ColumnType.Options {
  readonly as: "arrow" | "arrows"
}

/** The most rows of a batch. With up to 1,024 columns, numbers of 64 bits take at most 8 MiB, and 128 KiB of a column. */
const rowsOf = (columns: number) => Math.max(1_024, Math.min(16_384, Math.floor(1_048_576 / columns)))

/** The bytes of texts with which a batch ends: a record of an order book may have megabytes. */
const textSize = 4_194_304

export const make = (
  source: Source,
  params: object,
  columns: ReadonlyArray<Column>,
  { as, decimal, numbers }: Options
): (() => FileWriter) => {
  const making: Collector.Making = {
    columns,
    types: { decimal, numbers },
    words: wordsOf(source, params),
    rows: rowsOf(columns.length),
    textSize,
    as
  }
  return () => {
    const ipc = Ipc.make(as === "arrow" ? "file" : "stream")
    const waiting: Array<Uint8Array> = []
    const { add, end } = Collector.make(making, ({ columns, length }) =>
      waiting.push(...ipc.batch(Object.values(columns), length))
    )
    return {
      write: add,
      end: () => {
        end(true)
        waiting.push(ipc.end())
      },
      next: () => waiting.shift(),
      close: () => undefined
    }
  }
}
