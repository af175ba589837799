/**
 * CSV of records that were not built: values are copied from the bytes of the reply into lines.
 *
 * Their texts are ASCII without quotes and line ends, so only a comma needs quotes.
 */
import type * as Batch from "@sluice/core/Batch"

const [quote, comma, carriageReturn, lineFeed, letterN] = [34, 44, 13, 10, 110]

/** Writes the cells of these columns, a line for each record, behind a header, into the room that it asks for. */
export const write = (
  names: ReadonlyArray<string>,
  batch: Batch.Batch,
  header: string,
  roomOf: (size: number) => Buffer
): Uint8Array => {
  const { bytes, from, length, runs, to } = batch
  // Each value with its quotes, a separator for each cell, the line feed, and quotes for an empty line. Four bytes are copied
  // at a time, so up to three more are written.
  const room = Buffer.byteLength(header) + (to - from) + length * (names.length + 3) + 4
  const lines = roomOf(room)
  const source = new DataView(bytes.buffer, bytes.byteOffset, to)
  const target = new DataView(lines.buffer, lines.byteOffset, room)
  let at = lines.write(header)

  /** Copies a text without its quotes. Tells whether it holds a comma. */
  const copy = (start: number, end: number): boolean => {
    let commas = 0
    let place = start
    for (; place + 4 <= end; place += 4, at += 4) {
      const four = source.getInt32(place, true)
      const other = four ^ 0x2c2c2c2c
      commas |= (other - 0x01010101) & ~other
      target.setInt32(at, four, true)
    }
    for (; place < end; place++) {
      const byte = bytes[place]!
      if (byte === comma) commas = highest
      lines[at++] = byte
    }
    return (commas & highest) !== 0
  }

  const cell = (start: number, end: number) => {
    const first = bytes[start]
    if (first === letterN) return
    if (first !== quote) return void copy(start, end)
    const before = at
    // An empty text is a pair of quotes, as it is in JSON. So is a text with a comma, between its quotes.
    const isBare = end - start > 2 && !copy(start + 1, end - 1)
    if (isBare) return
    at = before
    copy(start, end)
  }

  for (const { count, first, keys, offsets } of runs) {
    const columns = Int32Array.from(names, (name) => 2 * keys.indexOf(name))
    const stride = 2 * keys.length + 2
    for (let record = 0, values = first + 1; record < count; record++, values += stride) {
      const start = at
      for (let column = 0; column < columns.length; column++) {
        if (column > 0) lines[at++] = comma
        const place = columns[column]!
        if (place >= 0) cell(offsets[values + place]!, offsets[values + place + 1]!)
      }
      if (at === start) {
        lines[at++] = quote
        lines[at++] = quote
      }
      lines[at++] = carriageReturn
      lines[at++] = lineFeed
    }
  }
  return lines.subarray(0, at)
}
/** The highest bit of each of four bytes. */
const highest = -0x7f7f7f80
