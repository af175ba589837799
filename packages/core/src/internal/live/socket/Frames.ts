/** Tells the kinds of frames apart, before any record is checked. Source: docs/interface.md 6.3. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import { Decode } from "../../../ApiError.ts"
import type { LiveMessage } from "../../../LiveMessage.ts"
import type * as RecordDecoder from "../../wire/RecordDecoder.ts"
import * as Body from "../../wire/Body.ts"
import * as Json from "../../wire/Json.ts"
import * as Utf8 from "../../wire/Utf8.ts"
import { type Frame, sizeOf } from "./Inbox.ts"

/** What telling them apart needs to know about a subscription. */
export interface Kind {
  readonly endpoint: string
  /** The field that names a record's entity. */
  readonly entity: string
  /** Whether blocks may leave the main chain. */
  readonly hasReorgs: boolean
  readonly decoder: RecordDecoder.RecordDecoder<unknown>
  /** Removes the key from text of the service, and makes it safe to print. */
  readonly scrub: (text: string) => string
  /** The most characters or bytes of a frame. */
  readonly maxFrameBytes: number
}

/** A frame that is a record. A class, because V8 counts objects of a literal that survive (see `Builder.ts`). */
class RecordFrame {
  readonly _tag = "Record"
  declare readonly record: object
  declare readonly sequence: number | undefined

  constructor(record: object, sequence: number | undefined) {
    this.record = record
    this.sequence = sequence
  }
}

/** A frame whose kind is known. A record was checked. */
export type Classified =
  | RecordFrame
  | { readonly _tag: "Message"; readonly message: LiveMessage<never>; readonly sequence: number | undefined }
  /** The service gives the connection up. What it says is as it came. */
  | { readonly _tag: "Error"; readonly said: Body.ErrorBody }

/** A frame that cannot be read. */
export interface Damaged {
  readonly error: Decode
  /** What it is, as far as it tells it from others. */
  readonly frame: string
}

/** The frames of one batch, and what is wrong with the frame after the last of them, if anything. */
export interface Read {
  readonly frames: ReadonlyArray<Classified>
  readonly failure: Damaged | undefined
}

/** Bytes that are read together. */
const longestRun = Utf8.pieceSize

const lineFeed = 10

/** Builds a reader of batches of frames. Bytes of records of a known layout are read as lines are, which parses no JSON. */
export const make = (kind: Kind): ((batch: ReadonlyArray<Frame>) => Read) => {
  const lines = new Uint8Array(longestRun)
  const longestOne = Math.min(longestRun, kind.maxFrameBytes)

  const readLines = (batch: ReadonlyArray<Frame>): ReadonlyArray<unknown> | undefined => {
    let end = 0
    for (const frame of batch) {
      if (Predicate.isString(frame)) return undefined
      if (end > 0) lines[end++] = lineFeed
      lines.set(frame, end)
      end += frame.length
    }
    const records = kind.decoder.read(lines, 0, end, lineFeed)
    // A frame may hold several lines.
    return records?.length === batch.length ? records : undefined
  }

  const readRun = (batch: ReadonlyArray<Frame>): Read => {
    const isTooLong = sizeOf(batch) + batch.length > Math.min(longestRun, kind.maxFrameBytes)
    const records = isTooLong ? undefined : readLines(batch)
    return records === undefined
      ? readEach(kind, batch)
      : // Type boundary: the decoder reads objects.
        { frames: records.map((record) => classify(kind, record as object)), failure: undefined }
  }

  const readLine = (frame: Uint8Array): unknown => {
    const records = kind.decoder.read(frame, 0, frame.length, lineFeed)
    return records?.length === 1 ? records[0] : undefined
  }

  /** Reads a frame that comes alone, as most do: without the lists and the loops of a run. */
  const readOne = (batch: ReadonlyArray<Frame>): Read => {
    const frame = batch[0]!
    if (Predicate.isString(frame) || frame.length >= longestOne) return readEach(kind, batch)
    const record = kind.decoder.readOne(frame) ?? readLine(frame)
    // Type boundary: the decoder reads objects.
    return record === undefined
      ? readEach(kind, batch)
      : { frames: [classify(kind, record as object)], failure: undefined }
  }

  return (batch) => {
    if (batch.length === 1) return readOne(batch)
    const frames: Array<Classified> = []
    for (const run of slicesOf(batch, longestRun)) {
      const read = readRun(run)
      for (const frame of read.frames) frames.push(frame)
      if (read.failure !== undefined) return { frames, failure: read.failure }
    }
    return { frames, failure: undefined }
  }
}

/** Cuts a batch into slices of at most so many bytes, each with a byte more for every frame, unless a single frame has more. */
export const slicesOf = (batch: ReadonlyArray<Frame>, most: number): ReadonlyArray<ReadonlyArray<Frame>> => {
  const slices: Array<ReadonlyArray<Frame>> = []
  let [start, size] = [0, 0]
  for (let index = 0; index < batch.length; index++) {
    const length = batch[index]!.length + 1
    if (size > 0 && size + length > most) {
      slices.push(batch.slice(start, index))
      ;[start, size] = [index, 0]
    }
    size += length
  }
  return start === 0 ? [batch] : [...slices, batch.slice(start)]
}

/** Parses each frame. The records are checked together. */
const readEach = (kind: Kind, batch: ReadonlyArray<Frame>): Read => {
  const frames: Array<Classified> = []
  const records: Array<unknown> = []
  /** The index of each record among the frames. */
  const places: Array<number> = []
  let failure: Damaged | undefined
  for (const frame of batch) {
    const parsed = parse(kind, frame)
    if (Result.isFailure(parsed)) {
      failure = { error: parsed.failure, frame: startOf(frame) }
      break
    }
    const classified = classify(kind, parsed.success)
    if (classified._tag === "Record") {
      places.push(frames.length)
      records.push(classified.record)
    }
    frames.push(classified)
  }
  const checked = kind.decoder.check(records)
  if (Result.isSuccess(checked)) return { frames, failure }
  const { index, issue, path } = checked.failure
  const error = new Decode({ endpoint: kind.endpoint, path: kind.scrub(path), issue: kind.scrub(issue) })
  return { frames: frames.slice(0, places[index]), failure: { error, frame: startOf(batch[places[index]!]!) } }
}

/** The beginning of a frame as text. */
const startOf = (frame: Frame): string =>
  Predicate.isString(frame) ? frame.slice(0, 1_000) : new TextDecoder().decode(frame.subarray(0, 1_000))

const parse = ({ endpoint, maxFrameBytes }: Kind, frame: Frame): Result.Result<object, Decode> => {
  const fail = (issue: string, setting?: string) => Result.fail(new Decode({ endpoint, path: "", setting, issue }))
  if (frame.length > maxFrameBytes) return fail(`a frame is longer than ${maxFrameBytes} bytes`, "maxFrameBytes")
  const text = Predicate.isString(frame) ? frame : Utf8.decode([frame])
  if (text === undefined) return fail("a frame is not UTF-8")
  // The decoder of bytes leaves a byte order mark out.
  const json = Json.parseExact(text.startsWith("\uFEFF") ? text.slice(1) : text)
  if (Predicate.isObject(json)) return Result.succeed(json)
  return fail(json === undefined ? `a frame is ${Json.flawOf(text)}` : "a frame is not an object")
}

/** What is looked at of every frame. Named, because a key that is a variable takes several times as long to look up. */
interface Looked {
  readonly error?: unknown
  readonly warning?: unknown
  readonly time?: unknown
  readonly cm_sequence_id?: unknown
}

const classify = (kind: Kind, frame: object): Classified => {
  // Type boundary: any property of an object can be read, and no object inherits one of these.
  const looked = frame as Looked
  const { warning } = looked
  const isNotice = looked.error || (warning !== undefined && warning !== null)
  // A notice has no time; a record may have a field of that name.
  if (isNotice && looked.time === undefined) return classifyNotice(kind, frame)
  const sequence = sequenceOf(looked.cm_sequence_id)
  if (kind.hasReorgs && valueAt(frame, "type") === "reorg") {
    const reorg = {
      _tag: "Reorg" as const,
      asset: textAt(frame, "asset") ?? "",
      height: textAt(frame, "height"),
      hash: textAt(frame, "hash"),
      parent_hash: textAt(frame, "parent_hash"),
      time: textAt(frame, "time"),
      frame
    }
    return { _tag: "Message", message: reorg, sequence }
  }
  // A record without one of its keys is damaged; without both it is no record.
  return looked.time === undefined && valueAt(frame, kind.entity) === undefined
    ? { _tag: "Message", message: { _tag: "Unknown", frame }, sequence }
    : new RecordFrame(frame, sequence)
}

/** A frame that has an error or a warning. */
const classifyNotice = ({ scrub }: Kind, frame: object): Classified => {
  const error = Json.errorIn(frame)
  if (error !== undefined) return { _tag: "Error", said: Body.readError(error) }
  const told = valueAt(frame, "warning")
  const type = scrub(textAt(told, "type") ?? "")
  const message = scrub(textAt(told, "message") ?? "")
  return { _tag: "Message", message: { _tag: "Warning", type, message }, sequence: undefined }
}

// Type boundary: any property of an object can be read, and no object inherits one of the names asked for here. `Reflect.get` and
// `Object.hasOwn` take ten times as long.
const valueAt = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined

const textAt = (value: unknown, key: string): string | undefined => {
  const found = valueAt(value, key)
  if (typeof found === "number") return String(found)
  return Predicate.isString(found) ? found : undefined
}

/** The `cm_sequence_id` of a frame: text by the interface, a number by what one client has seen. */
const sequenceOf = (id: unknown): number | undefined => {
  const text = typeof id === "number" ? String(id) : id
  if (!Predicate.isString(text) || text === "" || text.length > 15) return undefined
  // A loop takes half the time of a regular expression, and every frame has such a number.
  let number = 0
  for (let at = 0; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) return undefined
    number = 10 * number + digit
  }
  return number
}
