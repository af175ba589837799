/**
 * What people write by hand to have records as Arrow: a page loop, and the row objects given to the builders of apache-arrow.
 */
import * as Arrow from "apache-arrow"
import { eachPage, reader } from "./HandWritten.ts"
import * as Workload from "./Workload.ts"

/** Writes each page as a batch of the IPC stream. Doubles, and times in milliseconds. */
export const arrow = reader(async (get, workload) => {
  const seen = Workload.nothing()
  const metrics = Workload.metricsOf(workload)
  const fields = [
    new Arrow.Field("asset", new Arrow.Dictionary(new Arrow.Utf8(), new Arrow.Int32())),
    new Arrow.Field("time", new Arrow.TimestampMillisecond("UTC")),
    ...metrics.map((name) => new Arrow.Field(name, new Arrow.Float64(), true))
  ]
  const schema = new Arrow.Schema(fields)
  const builder = Arrow.makeBuilder({ type: new Arrow.Struct(fields), nullValues: [null, undefined] })
  const writer = new Arrow.RecordBatchStreamWriter()
  await eachPage(get, workload, workload.assets, (rows) => {
    for (const row of rows) {
      const values = metrics.map((name) => [name, row[name] === null ? null : Number(row[name])] as const)
      const time = Date.parse(String(row["time"]))
      // Type boundary: the builder takes objects too.
      builder.append({ asset: row["asset"], time, ...Object.fromEntries(values) } as never)
    }
    seen.records += rows.length
    writer.write(new Arrow.RecordBatch(schema, builder.flush()))
  })
  writer.finish()
  if (writer.toUint8Array(true).length === 0) throw new Error("nothing was written")
  return seen
})
