/**
 * Newline-delimited JSON: one record a line, unchanged. Absent stays absent, null stays null, and keys that the
 * interface does not know are kept.
 */
import * as Batch from "@sluice/core/Batch"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Stream from "effect/Stream"
import { type FileWriter, linesOf, makeSlot } from "./FileWriter.ts"
import * as LazyRows from "./LazyRows.ts"
import { Unreadable } from "@sluice/core/internal/columns/FormatError"
import * as JsonText from "@sluice/core/internal/columns/JsonText"

export const make = (): FileWriter => {
  const slot = makeSlot()
  return {
    write: (records) => {
      const { from = 0, source } = LazyRows.of(records) ?? {}
      if (source?._tag === "Lines") {
        const { bytes, starts } = source
        return Result.succeed(slot.put(bytes.subarray(starts[from], starts[from + records.length])))
      }
      const batch = Batch.of(records)
      if (batch !== undefined) return Result.succeed(slot.put(linesOfBatch(batch, slot.room)))
      const lines = Result.try(() => linesOf(records, lineOf))
      return Result.succeed(slot.putText(Result.getOrElse(lines, () => linesOf(records, deepLineOf))))
    },
    end: () => undefined,
    next: slot.next,
    close: () => undefined
  }
}

/** Reads the text of a file as {@link make} writes it. */
export const records = <E, R>(text: Stream.Stream<string, E, R>): Stream.Stream<unknown, E | Unreadable, R> =>
  Stream.mapArrayEffect(Stream.splitLines(text), (lines) => {
    const records = Result.try(() => Arr.map(lines, (line): unknown => JSON.parse(line)))
    return Effect.mapError(Effect.fromResult(records), () => new Unreadable({ reason: "a line is not JSON" }))
  })

const lineFeed = 10

/** The bytes of a batch are those of its lines, but for commas between the records of a page. */
const linesOfBatch = ({ bytes, from, runs, to }: Batch.Batch, room: (size: number) => Buffer): Uint8Array => {
  const [first] = runs
  // All records of a batch are separated by the same byte.
  const end = first === undefined ? to : first.offsets[first.first + 2 * first.keys.length + 1]!
  if (bytes[end] === lineFeed) return bytes.subarray(from, to + 1)
  const size = to - from + 1
  const lines = room(size)
  lines.set(bytes.subarray(from, to + 1))
  for (const { count, first, keys, offsets } of runs) {
    const stride = 2 * keys.length + 2
    for (let record = 1; record <= count; record++) lines[offsets[first + record * stride - 1]! - from] = lineFeed
  }
  return lines.subarray(0, size)
}

const lineOf = (record: unknown) => `${JSON.stringify(record)}\n`

/** For a batch with a record that is nested too deep for `JSON.stringify`. */
const deepLineOf = (record: unknown) => `${JsonText.write(record)}\n`
