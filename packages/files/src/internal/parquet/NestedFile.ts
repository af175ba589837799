/**
 * Small Parquet files whose columns have structure, such as the checkpoint of a Delta log: not compressed, in one row group.
 */
import { ByteWriter, parquetWrite, type SchemaElement } from "hyparquet-writer"

export type { SchemaElement } from "hyparquet-writer"

/** Writes rows. Each has some of the columns that the schema begins with; those it lacks are null. */
export const write = (
  schema: ReadonlyArray<SchemaElement>,
  columns: ReadonlyArray<string>,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>
): Uint8Array => {
  const writer = new ByteWriter()
  const columnData = columns.map((name) => ({ name, data: rows.map((row) => row[name]) }))
  // With bytes in memory it is done when it returns.
  void parquetWrite({ writer, schema: [...schema], columnData, statistics: false, codec: "UNCOMPRESSED" })
  return writer.getBytes()
}
