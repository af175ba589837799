/**
 * Bodies as they are sent: text is written batch by batch, and faults of the body change it on the way.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import type { Fault } from "./Fault.ts"
import * as Listing from "./Listing.ts"

/** The connection is to be destroyed here, as the fault `reset` or `reset-after` asks. */
export class Cut extends Data.TaggedError("Cut") {}

// About 64 KiB of the usual series rows.
const BATCH = 512

/** Writes records as one JSON text per line. */
export function* lines(listing: Listing.Listing, onRecords: (count: number) => void): Generator<string> {
  for (let from = 0; from < listing.length; from += BATCH) {
    const rows = listing.rows(from, Math.min(listing.length, from + BATCH))
    onRecords(rows.length)
    yield `${rows.join("\n")}\n`
  }
}

/** Writes the envelope around one page (interface.md 2.1). */
export function* page(
  listing: Listing.Listing,
  from: number,
  to: number,
  tail: string,
  onRecords: (count: number) => void
): Generator<string> {
  let before = '{"data":['
  for (let first = from; first < to; first += BATCH) {
    const rows = listing.rows(first, Math.min(to, first + BATCH))
    onRecords(rows.length)
    yield `${before}${rows.join(",")}`
    before = ","
  }
  yield `${before === "," ? "" : before}]${tail}}`
}

const isKind = (kind: Fault["kind"]) => (fault: Fault) => fault.kind === kind

/** Applies the faults that change records; `first` is the position of the first record of the reply. */
export const records = (listing: Listing.Listing, faults: ReadonlyArray<Fault>, first: number): Listing.Listing =>
  faults.reduce((listing, fault) => {
    switch (fault.kind) {
      case "extra-fields":
        return Listing.map(
          listing,
          (row, n) => `${row.slice(0, -1)},"sandbox_extra":"new","sandbox_nested":{"list":[${n},null,true]}}`
        )
      case "split-utf8":
        return Listing.map(listing, (row) => `${row.slice(0, -1)},"sandbox_note":"Ξ→₿ 🌊"}`)
      case "missing":
        return Listing.map(listing, (row) => change(row, fault.value, () => undefined))
      case "wrong-type":
        return Listing.map(listing, (row, n) =>
          n === first ? change(row, fault.value, (value) => (typeof value === "string" ? 12345 : { value })) : row
        )
      default:
        return listing
    }
  }, listing)

// Type boundary: rows are written by this package, and every one is a JSON object.
const change = (row: string, field: string, f: (value: unknown) => unknown): string => {
  const record = JSON.parse(row) as Record<string, unknown>
  return field in record ? JSON.stringify({ ...record, [field]: f(record[field]) }) : row
}

const errorLine = '{"error":{"type":"internal_error","message":"The stream was ended by the sandbox."}}'

/** Applies the faults that change lines of a json_stream. */
export function* lineFaults(text: Iterable<string>, faults: ReadonlyArray<Fault>): Generator<string> {
  const limit = (kind: Fault["kind"]) => faults.find(isKind(kind))?.amount ?? Number.POSITIVE_INFINITY
  const truncate = limit("truncate-line")
  const cut = limit("cut-line")
  const error = limit("error-line")
  const isBlank = faults.some(isKind("blank-lines"))
  const end = faults.some(isKind("crlf")) ? "\r\n" : "\n"
  let number = 0
  for (const batch of text) {
    let out = ""
    for (const line of batch.split("\n")) {
      if (line === "") continue
      if (number >= truncate) return yield out
      number++
      if (number === cut) return yield out + line.slice(0, Math.ceil(line.length / 2))
      if (number === error) return yield `${out}${errorLine}${end}`
      out += isBlank ? `${line}${end}${end}` : `${line}${end}`
    }
    yield out
  }
  if (number < error && error !== Number.POSITIVE_INFINITY && number + 1 === error) yield `${errorLine}${end}`
}

const encoder = new TextEncoder()

function* encode(text: Iterable<string>): Generator<Uint8Array> {
  for (const part of text) if (part !== "") yield encoder.encode(part)
}

function* splitUtf8(chunks: Iterable<Uint8Array>): Generator<Uint8Array> {
  for (const chunk of chunks) {
    const first = chunk.findIndex((byte) => byte >= 0xc0)
    if (first < 0) yield chunk
    else {
      yield chunk.subarray(0, first + 1)
      yield chunk.subarray(first + 1)
    }
  }
}

/** Encodes a text as one piece. */
export const whole = (text: Iterable<string>): Uint8Array => encoder.encode([...text].join(""))

/** Encodes a text piece by piece. */
export const pieces = (text: Iterable<string>): ReadonlyArray<Uint8Array> => [...encode(text)]

const ends = new Set<Fault["kind"]>(["reset-after", "stall-after", "truncate-after"])

// The socket needs a turn of the event loop to send what it was given, before it is destroyed.
const breakOff: Stream.Stream<never, Cut> = Stream.fromEffect(
  Effect.andThen(Effect.yieldNow, Effect.andThen(Effect.yieldNow, Effect.fail(new Cut())))
)

/** Streams a text as bytes, applying the faults that cut, stall or slow it. */
export const stream = (text: Iterable<string>, faults: ReadonlyArray<Fault>): Stream.Stream<Uint8Array, Cut> =>
  Stream.suspend(() => {
    const fault = faults.filter((fault) => ends.has(fault.kind)).sort((a, b) => a.amount - b.amount)[0]
    const slow = faults.find(isKind("slow"))
    const chunks = faults.some(isKind("split-utf8")) ? splitUtf8(encode(text)) : encode(text)
    let isCut = false
    function* limited(): Generator<Uint8Array> {
      let left = fault?.amount ?? Number.POSITIVE_INFINITY
      for (const chunk of chunks) {
        if (chunk.length <= left) {
          left -= chunk.length
          yield chunk
          continue
        }
        isCut = true
        if (left > 0) yield chunk.subarray(0, left)
        return
      }
    }
    const sent = Stream.fromIterable({ [Symbol.iterator]: limited }, { chunkSize: 1 })
    let isFirst = true
    const pause = Effect.suspend(() => {
      if (slow === undefined || isFirst) {
        isFirst = false
        return Effect.void
      }
      return Effect.sleep(slow.amount)
    })
    const paced = slow === undefined ? sent : Stream.tap(sent, () => pause)
    if (fault === undefined) return paced
    return Stream.concat(
      paced,
      Stream.suspend(() => {
        if (!isCut || fault.kind === "truncate-after") return Stream.empty
        return fault.kind === "stall-after" ? Stream.never : breakOff
      })
    )
  })
