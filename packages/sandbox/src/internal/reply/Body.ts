/**
 * Writes bodies: text in batches, and its bytes.
 */
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"
import type * as Listing from "../listing/Listing.ts"

/** Ends the connection: reset or closed properly, after an optional last text. */
export class Cut extends Data.TaggedError("Cut")<{ readonly how: "reset" | "close"; readonly last?: string }> {}

/** A body: whole with its length, or streamed as it is written. */
export type Content =
  | { readonly _tag: "Whole"; readonly bytes: Uint8Array }
  | {
      readonly _tag: "Streamed"
      readonly stream: Stream.Stream<Uint8Array, Cut>
      /** Sent in chunks, or with a length that is announced, or up to the end of the connection. */
      readonly framing: "chunked" | "none" | number
    }

/** About 64 KiB of the usual series rows. */
export const BATCH = 512

/** Writes records as one JSON text per line. */
export function* lines(listing: Listing.Listing, batch: number, onRecords: (count: number) => void): Generator<string> {
  for (let from = 0; from < listing.length; from += batch) {
    const rows = listing.rows(from, Math.min(listing.length, from + batch))
    onRecords(rows.length)
    yield `${rows.join("\n")}\n`
  }
}

/** Writes the envelope around one page (docs/interface.md 2.1). */
export function* page(
  listing: Listing.Listing,
  { from, tail, to }: { readonly from: number; readonly to: number; readonly tail: string },
  batch: number,
  onRecords: (count: number) => void
): Generator<string> {
  let before = '{"data":['
  for (let first = from; first < to; first += batch) {
    const rows = listing.rows(first, Math.min(to, first + batch))
    onRecords(rows.length)
    yield `${before}${rows.join(",")}`
    before = ","
  }
  yield `${before === "," ? "" : before}]${tail}}`
}

const encoder = new TextEncoder()

/** Encodes a text piece by piece. */
export function* encode(text: Iterable<string>): Generator<Uint8Array> {
  for (const part of text) if (part !== "") yield encoder.encode(part)
}

/** Concatenates pieces. */
export const join = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const [first] = pieces
  if (first !== undefined && pieces.length === 1) return first
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    bytes.set(piece, at)
    at += piece.length
  }
  return bytes
}

/** Sends pieces as they are written. */
export const streamed = (pieces: Iterable<Uint8Array>): Content => ({
  _tag: "Streamed",
  stream: Stream.fromIterable(pieces, { chunkSize: 1 }),
  framing: "chunked"
})
