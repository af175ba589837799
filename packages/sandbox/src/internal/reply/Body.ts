/** Writes bodies: text in batches, and its bytes. */
import * as Data from "effect/Data"
import * as Stream from "effect/Stream"
import type * as Listing from "../listing/Listing.ts"

/** Ends the connection: reset or closed properly, after what is written by hand, piece by piece. */
export class Cut extends Data.TaggedError("Cut")<{
  readonly how: "reset" | "close"
  readonly last?: Stream.Stream<Uint8Array>
}> {}

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

type OnRecords = (count: number) => void

function* batches(
  listing: Listing.Listing,
  { from, to }: { readonly from: number; readonly to: number },
  batch: number,
  onRecords: OnRecords
): Generator<ReadonlyArray<string>> {
  for (let first = from; first < to; first += batch) {
    const rows = listing.rows(first, Math.min(to, first + batch))
    onRecords(rows.length)
    yield rows
  }
}

export function* lines(listing: Listing.Listing, batch: number, onRecords: OnRecords): Generator<string> {
  const whole = { from: 0, to: listing.length }
  for (const rows of batches(listing, whole, batch, onRecords)) yield `${rows.join("\n")}\n`
}

export function* between(
  begin: string,
  listing: Listing.Listing,
  part: { readonly from: number; readonly to: number },
  end: string,
  batch: number,
  onRecords: OnRecords
): Generator<string> {
  let before = begin
  for (const rows of batches(listing, part, batch, onRecords)) {
    yield `${before}${rows.join(",")}`
    before = ","
  }
  yield `${before === "," ? "" : before}${end}`
}

const encoder = new TextEncoder()

export function* encode(text: Iterable<string>): Generator<Uint8Array> {
  for (const part of text) if (part !== "") yield encoder.encode(part)
}

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

export const streamed = (pieces: Iterable<Uint8Array>): Content => ({
  _tag: "Streamed",
  stream: Stream.fromIterable(pieces, { chunkSize: 1 }),
  framing: "chunked"
})
