/**
 * A program that reads records, keeps them all, and lets V8 collect garbage. Twice as many objects of a literal are kept as well:
 * V8 counts those, so what it prints of them shows that it counts.
 */
import * as Schema from "effect/Schema"
import * as Frames from "../../src/internal/live/socket/Frames.ts"
import * as fields from "../../src/internal/wire/fields.ts"
import * as RecordDecoder from "../../src/internal/wire/RecordDecoder.ts"
import * as RecordReader from "../../src/internal/wire/RecordReader.ts"

const count = 800

const text = JSON.stringify(
  Array.from({ length: count }, (_, index) => ({
    time: `2026-01-01T00:00:00.${String(index).padStart(9, "0")}Z`,
    PriceUSD: index % 7 === 0 ? null : `${index}.5`
  }))
)

const nested = JSON.stringify(
  Array.from({ length: count }, () => ({
    time: "2026-01-01",
    bids: Array.from({ length: 2 }, (_, index) => ({ price: `${index}` }))
  }))
)

const Metrics = Schema.Struct({ time: fields.id, PriceUSD: fields.decimal })
const Book = Schema.Struct({ time: fields.id, bids: fields.many(Schema.Struct({ price: fields.decimal })) })

const comma = 44

/** Reads the list of a page in one run. */
const read = (schema: Schema.Codec<unknown>, text: string): ReadonlyArray<unknown> => {
  const bytes = new TextEncoder().encode(text)
  const records = RecordReader.make(schema, () => true).read(bytes, 1, bytes.length - 1, comma)
  if (records === undefined) throw new Error("the records were not read by their layout")
  return records
}

/** Reads frames that come at once. */
const readFrames = (schema: Schema.Codec<unknown>, texts: ReadonlyArray<string>): ReadonlyArray<Frames.Classified> =>
  Frames.make({
    endpoint: "/timeseries-stream/asset-metrics",
    entity: "asset",
    hasReorgs: false,
    decoder: RecordDecoder.make(schema, RecordReader.make),
    scrub: (text) => text,
    maxFrameBytes: text.length
  })(texts.map((text) => new TextEncoder().encode(text))).frames

const { gc } = globalThis
if (gc === undefined) throw new Error("run with --expose-gc")
gc()
const literals = Array.from({ length: 2 * count }, (_, index) => ({ time: "", PriceUSD: index }))
const frames = Array.from({ length: count }, (_, index) => `{"time":"2026-01-01","PriceUSD":"${index}"}`)
const kept = [...literals, ...read(Metrics, text), ...read(Book, nested), ...readFrames(Metrics, frames)]
gc()
process.stdout.write(`kept ${kept.length}\n`)
