/** Compression on the way out, and its faults: cut, damaged, or announced and not done. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Body from "../reply/Body.ts"
import * as BodyFaults from "./BodyFaults.ts"
import * as Spec from "./Spec.ts"
import * as Gzip from "../reply/Gzip.ts"
import type { Reply } from "../reply/Reply.ts"

type Bytes = Stream.Stream<Uint8Array, Body.Cut>

// The checksum and the length, with which every gzip body ends; as many bytes are flipped anywhere else.
const TRAILER = 8

const flipped = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  bytes.map((byte, n) => (n >= from && n < to ? byte ^ 0xff : byte))

interface Placed {
  readonly at: number
  readonly bytes: Uint8Array
}

const placed = (stream: Bytes): Stream.Stream<Placed, Body.Cut> =>
  Stream.mapAccum(
    stream,
    () => 0,
    (at, bytes) => [at + bytes.length, [{ at, bytes }]]
  )

const cut = (stream: Bytes, length: number): Bytes =>
  length === 0
    ? Stream.empty
    : placed(stream).pipe(
        Stream.takeUntil(({ at, bytes }) => at + bytes.length >= length),
        Stream.map(({ at, bytes }) => bytes.subarray(0, length - at))
      )

const damaged = (stream: Bytes, place: string): Bytes => {
  if (place === "checksum") {
    return Stream.mapAccum(
      stream,
      (): Uint8Array => new Uint8Array(),
      (held, bytes) => {
        const all = Body.join([held, bytes])
        return [all.subarray(-TRAILER), [all.subarray(0, -TRAILER)]]
      },
      { onHalt: (held) => [flipped(held, 0, TRAILER)] }
    )
  }
  const from = Number(place)
  return Stream.map(placed(stream), ({ at, bytes }) => flipped(bytes, from - at, from - at + TRAILER))
}

const faulty = (stream: Bytes, faults: ReadonlyArray<Spec.Fault>): Bytes => {
  const limit = Spec.find(faults, "gzip-cut")?.amount
  const damage = Spec.find(faults, "gzip-corrupt")?.value
  const whole = damage === undefined ? stream : damaged(stream, damage)
  return limit === undefined ? whole : cut(whole, limit)
}

const spoilt = (reply: Reply, faults: ReadonlyArray<Spec.Fault>): Effect.Effect<Reply, Body.Cut> => {
  const { content } = reply
  return content._tag === "Streamed"
    ? Effect.succeed({ ...reply, content: { ...content, stream: faulty(content.stream, faults) } })
    : Effect.map(Stream.runCollect(faulty(Stream.succeed(content.bytes), faults)), (pieces) => ({
        ...reply,
        content: { _tag: "Whole", bytes: Body.join(pieces) }
      }))
}

/** Compresses a reply for a client that asks for it, and for the faults that need it. */
export const apply = (
  reply: Reply,
  faults: ReadonlyArray<Spec.Fault>,
  wantsGzip: boolean
): Effect.Effect<Reply, Body.Cut> => {
  const coding = Spec.find(faults, "content-encoding")
  if (coding !== undefined) {
    return Effect.succeed({ ...reply, headers: { ...reply.headers, "Content-Encoding": coding.value } })
  }
  const isSpoilt = Spec.has(faults, "gzip-cut", "gzip-corrupt")
  // The length of a compressed body is known too late to be announced.
  const isAnnounced = reply.content._tag === "Streamed" && typeof reply.content.framing === "number"
  if (isAnnounced || !(wantsGzip || isSpoilt)) return Effect.succeed(reply)
  return Effect.flatMap(Gzip.compress(reply), (zipped) => (isSpoilt ? spoilt(zipped, faults) : Effect.succeed(zipped)))
}

/** Applies the faults of a body to a reply that is sent whole otherwise, and not compressed. */
export const ofWhole = (reply: Reply, faults: ReadonlyArray<Spec.Fault>): Effect.Effect<Reply, Body.Cut> =>
  apply(
    reply.content._tag === "Whole"
      ? { ...reply, content: BodyFaults.content([reply.content.bytes], true, faults) }
      : reply,
    faults,
    false
  )
