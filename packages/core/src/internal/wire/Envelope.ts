/**
 * Reads the envelope of a page that was received completely. Its records are parsed in chunks as they are pulled.
 *
 * So a page holds its permit only during its transfer, however slow the reader is. Of a large page only the bytes are in memory,
 * never its whole text or all its records.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Json from "./Json.ts"
import * as Limit from "./Limit.ts"
import * as Outline from "./Outline.ts"
import type * as RecordReader from "./RecordReader.ts"
import * as Utf8 from "./Utf8.ts"

/** Why a body cannot be read. */
export interface Unreadable {
  /**
   * `cut`: the body ended early, so the request is retried. `damaged`: it is not JSON in UTF-8, so it is requested once more.
   * `refused`: it came as the service sent it, and cannot be accepted.
   */
  readonly as: "cut" | "damaged" | "refused"
  /** The member of the envelope; empty for the body itself. */
  readonly path: string
  readonly issue: string
}

/** Some records of a body. A class, because V8 counts objects of a literal that survive (see `Builder.ts`). */
export class Records<A = unknown> {
  declare readonly records: ReadonlyArray<A>
  /** Whether they are known to be valid; otherwise they are still to be checked. */
  declare readonly isValid: boolean

  constructor(records: ReadonlyArray<A>, isValid: boolean) {
    this.records = records
    this.isValid = isValid
  }
}

/** Some of the records of a page, or why they cannot be read. */
export type PageChunk = Result.Result<Records, Unreadable>

/** The envelope of a page, and its records in chunks. */
export interface Envelope {
  /** The JSON of the envelope. For a large page its `data` is empty: read `chunks` instead. */
  readonly json: unknown
  /**
   * Reads the records; `undefined` where `data` is no array. Can be read once. A chunk that `read` returns nothing for is
   * parsed as JSON.
   */
  readonly chunks: ((reader: RecordReader.RecordReader) => Iterator<PageChunk, undefined>) | undefined
}

/** A received body. */
export interface Body {
  readonly bytes: Uint8Array
  /** Offset of the first `]`, or -1. */
  readonly firstClose: number
  /** Called when the bytes are no longer needed. */
  readonly done: () => void
  /** Skips long nested values; by default a byte at a time. */
  readonly skip?: Outline.SkipNested | undefined
}

/** The most bytes of any page. */
export const largestPage = 256 * 1_048_576

/** The most bytes of a reply that is one record: of a block with everything in it. */
export const largestRecord = 64 * 1_048_576

/** The most bytes parsed at once: a record, or the envelope around the records. */
export const longestPiece = 8 * 1_048_576

const unreadable = (as: Unreadable["as"], issue: string, path = ""): Unreadable => ({ as, path, issue })

const cut = unreadable("cut", "the body ended early or is damaged JSON")
const notText = unreadable("damaged", "the body is not UTF-8")
const notJson = (text: string) => unreadable("damaged", `the body is ${Json.flawOf(text)}`)
const inexact = unreadable("refused", Json.inexact)
const tooLong = (what: string) => unreadable("refused", `${what} is longer than ${Limit.format(longestPiece)}`)

/** The members read from an envelope. Other members may occur twice. */
const readNames = new Set(["data", "error", "heartbeats", "next_page_token", "next_page_url", "warning", "warnings"])

/** Reads an envelope from its body. */
export const read = (body: Body): Result.Result<Envelope, Unreadable> => {
  const { bytes, done } = body
  const large = bytes.length > Utf8.pieceSize ? readLarge(body) : undefined
  if (large !== undefined && Result.isSuccess(large)) return large
  done()
  if (large !== undefined) return large
  return bytes.length > longestPiece ? Result.fail(tooLong("what is no list of records")) : readWhole(bytes)
}

/** Reads a body that is one record without an envelope. It is parsed at once. */
export const readRecord = ({ bytes, done }: Body): Result.Result<Pick<Envelope, "json">, Unreadable> => {
  const text = Utf8.decode([bytes])
  done()
  if (text === undefined) return Result.fail(notText)
  const json = Json.parse(text)
  if (json === undefined) return Result.fail(notParsed(text))
  const exact = Json.exact(text, json)
  return exact === undefined ? Result.fail(inexact) : Result.succeed({ json: exact })
}

/** The token in a `next_page_url`, if it has one. */
export const tokenIn = (url: string) => URL.parse(url, "http://relative")?.searchParams.get("next_page_token")

/** Replaces `next_page_url`, which holds the key, by its token alone. The token is not changed. */
export const withoutKey = (envelope: Envelope): Envelope => {
  const url = Json.textAt(envelope.json, "next_page_url")
  if (url === undefined) return envelope
  const next_page_token = tokenIn(url) ?? ""
  const next_page_url = `?${new URLSearchParams({ next_page_token })}`
  // Type boundary: it has a property, and JSON has properties only in objects.
  return { ...envelope, json: Object.assign(envelope.json as object, { next_page_url }) }
}

/** JSON that does not parse, and an empty body, were probably cut off in transit. */
const notParsed = (text: string): Unreadable =>
  /^\s*(?:[{[]|$)/.test(text) && !Json.isTooDeep(text) ? cut : notJson(text)

const readWhole = (bytes: Uint8Array): Result.Result<Envelope, Unreadable> => {
  const text = Utf8.decode([bytes])
  if (text === undefined) return Result.fail(notText)
  const json = Json.parse(text)
  if (json === undefined) return Result.fail(notParsed(text))
  const outline = Outline.make(bytes, readNames)
  const repeatedName = Predicate.isString(outline) ? undefined : repeatedIn(outline)
  if (repeatedName !== undefined) return Result.fail(repeatedName)
  if (!Array.isArray(Json.valueAt(json, "data"))) return Result.succeed({ json, chunks: undefined })
  const data = Json.valueAt(Json.exact(text, json), "data")
  return Array.isArray(data) ? Result.succeed({ json, chunks: () => [some(data)].values() }) : Result.fail(inexact)
}

const some = (records: ReadonlyArray<unknown>, isValid = false): PageChunk =>
  Result.succeed(new Records(records, isValid))

const repeatedIn = ({ repeatedName }: Outline.Outline): Unreadable | undefined =>
  repeatedName === undefined
    ? undefined
    : unreadable("refused", "stands in the page twice, so that it can be read in two ways", repeatedName)

// Only ASCII, so that its length in characters is that in bytes.
const opening = /^[ \t\r\n]*\{[ \t\r\n]*"data"[ \t\r\n]*:[ \t\r\n]*\[/

/**
 * Reads an envelope with a list of records. Returns `undefined` for other bodies, which are then parsed at once.
 *
 * Where no record contains a `]`, as in a time series, the first one of the body ends the list, which takes no scan to find. If
 * it were inside a text, the rest would be read with texts and structure exchanged, its end would be inside a text, and it would
 * not parse.
 */
const readLarge = (body: Body): Result.Result<Envelope, Unreadable> | undefined => {
  const { bytes, firstClose } = body
  const isAtEnd = firstClose !== -1 && bytes.length - firstClose <= Utf8.pieceSize
  const before = isAtEnd ? opening.exec(Utf8.peek(bytes))?.[0] : undefined
  const likely = before && readAround(body, { from: before.length - 1, to: firstClose + 1 })
  return likely && Result.isSuccess(likely) ? likely : readAround(body)
}

/** Reads what is around the list of records, which is searched where it is not given. */
const readAround = (body: Body, given?: Outline.Value): Result.Result<Envelope, Unreadable> | undefined => {
  const { bytes, skip } = body
  const outline = Outline.make(bytes, readNames, given && ["data", given], skip)
  if (outline === "no object") return undefined
  if (outline === "cut") return Result.fail(cut)
  const repeatedName = repeatedIn(outline)
  if (repeatedName !== undefined) return Result.fail(repeatedName)
  const list = outline.members.get("data")
  if (list === undefined || bytes[list.from] !== openBracket) return undefined
  if (list.from + bytes.length - list.to >= longestPiece) return Result.fail(tooLong("the envelope around the records"))
  const text = Utf8.decode([bytes.subarray(0, list.from), emptyList, bytes.subarray(list.to)])
  if (text === undefined) return Result.fail(notText)
  const json = Json.parse(text)
  return json === undefined
    ? Result.fail(notParsed(text))
    : Result.succeed({ json, chunks: (reader) => chunks(reader, body, list) })
}

const { closeBrace, closeBracket, comma, openBrace, openBracket } = Outline.marks

const emptyList = Uint8Array.of(openBracket, closeBracket)

/** Offset of the last comma in a piece that seems to separate two records, or NaN; of the end in the last piece. */
const borderBehind = (bytes: Uint8Array, from: number, close: number): number => {
  if (close - from <= Utf8.pieceSize) return close
  for (let at = from + Utf8.pieceSize; at > from; at--) {
    if (bytes[at] !== comma || bytes[at - 1] !== closeBrace) continue
    const next = bytes[at + 1]!
    if (next === openBrace || next <= 32) return at
  }
  return Number.NaN
}

/**
 * Splits the records into chunks of some 16 KiB. Where the commas between them are not known, a likely comma is tried. Text that
 * begins at a record and parses as a list of records ends at the end of a record, so a wrong guess never parses. After the
 * first wrong guess the commas are found by a scan.
 *
 * The reader takes as many of these chunks at once as it asks for. Those that it cannot read are parsed one by one, so that what
 * comes before an error does not depend on it.
 *
 * The bytes are modified: the commas around a chunk become brackets, so that its text is decoded once and parsed directly.
 *
 * Not a generator: that would keep the records that it gave last, until it is pulled again. V8 copies what is kept at each
 * collection of its young generation, which grows with what it copies.
 */
const chunks = (
  reader: RecordReader.RecordReader,
  { bytes, done, skip = Outline.skipNested }: Body,
  { commas, from: open, to: end }: Outline.Value
): Iterator<PageChunk, undefined> => {
  const close = end - 1
  let known = commas
  let index = 0
  let from = open
  const read = (): PageChunk => {
    let to = borderBehind(bytes, from, close)
    let far = to
    if (known === undefined) {
      const most = from + reader.pieceSize()
      let next = borderBehind(bytes, to, close)
      for (; next > far && next <= most; next = borderBehind(bytes, next, close)) far = next
    } else {
      while (index < known.length && known[index]! <= from) index++
      far = to = known[index] ?? close
    }
    const records = far - from <= longestPiece ? reader.read(bytes, from + 1, far, comma) : undefined
    let part = records && some(records, true)
    if (part !== undefined) to = far
    else if (to > 0) part = parseChunk(bytes, from, to, open)
    if (known === undefined && to !== close && (part === undefined || Result.isFailure(part))) {
      const found: Array<number> = []
      skip(bytes, open, found)
      known = found
      return read()
    }
    from = to
    return part ?? Result.fail(notJson(""))
  }
  const next = (): IteratorResult<PageChunk, undefined> => {
    if (from < close) {
      const value = read()
      if (Result.isSuccess(value)) return { value }
      from = Infinity
      done()
      return { value }
    }
    // Only now: the last records may be a batch, which is in these bytes.
    if (from === close) done()
    return { value: undefined, done: true }
  }
  return { next }
}

const parseChunk = (bytes: Uint8Array, from: number, to: number, open: number): PageChunk => {
  if (to - from > longestPiece) return Result.fail(tooLong("a record"))
  const [first, last] = [bytes[from]!, bytes[to]!]
  bytes[from] = openBracket
  bytes[to] = closeBracket
  const text = Utf8.decode([bytes.subarray(from, to + 1)])
  bytes[from] = first
  bytes[to] = last
  if (text === undefined) return Result.fail(notText)
  const plain = Json.parse(text)
  // After a comma there must be a record.
  if (!Array.isArray(plain) || (plain.length === 0 && from !== open)) return Result.fail(notJson(text))
  const part = Json.exact(text, plain)
  return Array.isArray(part) ? some(part) : Result.fail(inexact)
}
