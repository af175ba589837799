/** Faults while a body is sent: where it breaks off, stalls or ends, and how slowly it comes. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Body from "../reply/Body.ts"
import * as Table from "./Table.ts"
import * as Spec from "./Spec.ts"
import * as EncodingFaults from "./EncodingFaults.ts"

// What happens instead of sending further bytes.
type Ending = "reset" | "close" | "stall"

type Piece = Uint8Array | Ending

const kinds: ReadonlyArray<Table.Kind> = [...Table.ofGroup("body"), "bom", "split-utf8", "latin1", "slow"]

const endings: { readonly [kind in Table.Kind]?: Ending | "end" } = {
  "reset-after": "reset",
  "close-after": "close",
  "stall-after": "stall",
  "truncate-after": "end"
}

const PIECE = 64 * 1024

function* filled(pieces: Iterable<Uint8Array>, filler: string): Generator<Uint8Array> {
  yield* pieces
  const fill = new Uint8Array(PIECE).fill(filler.charCodeAt(0))
  while (true) yield fill
}

function* damaged(pieces: Iterable<Uint8Array>, at: number): Generator<Uint8Array> {
  let sent = 0
  for (const piece of pieces) {
    // A control character is wrong anywhere in JSON, within a string too.
    yield sent <= at && at < sent + piece.length ? piece.map((byte, n) => (sent + n === at ? 1 : byte)) : piece
    sent += piece.length
  }
}

// How much of a piece lies before the position; undefined when all of it does, and more may come.
const before = (piece: Uint8Array, number: number, sent: number, { count, unit }: Spec.Fault["position"]) => {
  if (unit === "byte") return piece.length > count - sent ? count - sent : undefined
  if (number !== count) return undefined
  return unit === "within" ? Math.ceil(piece.length / 2) : piece.length
}

function* ended(pieces: Iterable<Piece>, fault: Spec.Fault, ending: Ending | "end"): Generator<Piece> {
  let sent = 0
  let number = 0
  for (const piece of pieces) {
    if (typeof piece === "string") return yield piece
    number++
    const left = before(piece, number, sent, fault.position)
    if (left === undefined) {
      sent += piece.length
      yield piece
      continue
    }
    if (left > 0) yield piece.subarray(0, left)
    if (ending !== "end") yield ending
    return
  }
}

function* dripped(pieces: Iterable<Piece>, size: number): Generator<Piece> {
  let held = new Uint8Array()
  for (const piece of pieces) {
    if (typeof piece === "string") {
      if (held.length > 0) yield held
      return yield piece
    }
    const bytes = Body.join([held, piece])
    let at = 0
    for (; bytes.length - at >= size; at += size) yield bytes.subarray(at, at + size)
    held = bytes.slice(at)
  }
  if (held.length > 0) yield held
}

// The socket needs a turn of the event loop to send what it was given, before it is closed.
const breakOff = (how: Body.Cut["how"]): Stream.Stream<never, Body.Cut> =>
  Stream.fromEffect(
    Effect.andThen(Effect.yieldNow, Effect.andThen(Effect.yieldNow, Effect.fail(new Body.Cut({ how }))))
  )

const paced = (pieces: Iterable<Piece>, pause: number): Stream.Stream<Uint8Array, Body.Cut> =>
  Stream.suspend(() => {
    let ending: Ending | undefined
    function* bytes(): Generator<Uint8Array> {
      for (const piece of pieces) {
        if (typeof piece !== "string") yield piece
        else {
          ending = piece
          return
        }
      }
    }
    let isFirst = true
    const wait = Effect.suspend(() => {
      if (!isFirst) return Effect.sleep(pause)
      isFirst = false
      return Effect.void
    })
    const sent = Stream.fromIterable({ [Symbol.iterator]: bytes }, { chunkSize: 1 })
    return Stream.concat(
      pause === 0 ? sent : Stream.tap(sent, () => wait),
      Stream.suspend(() => {
        if (ending === undefined) return Stream.empty
        return ending === "stall" ? Stream.never : breakOff(ending)
      })
    )
  })

/** Tells whether a place in a body is counted in records, so that each must be a piece of its own. */
export const countsRecords = (faults: ReadonlyArray<Spec.Fault>): boolean =>
  faults.some(({ kind, position }) => endings[kind] !== undefined && position.unit !== "byte")

/** Makes the body of a reply from its pieces; a small one is sent whole, unless a fault needs it in pieces. */
export const content = (
  pieces: Iterable<Uint8Array>,
  isSmall: boolean,
  faults: ReadonlyArray<Spec.Fault>
): Body.Content => {
  if (!Spec.has(faults, ...kinds)) {
    return isSmall ? { _tag: "Whole", bytes: Body.join([...pieces]) } : Body.streamed(pieces)
  }
  const framing = Spec.find(faults, "close-after")?.framing ?? "chunked"
  const damage = Spec.find(faults, "damage")
  let text = EncodingFaults.apply(pieces, faults)
  if (damage !== undefined) text = damaged(text, damage.amount)
  let length: number | undefined
  if (framing === "length") {
    const whole = [...text]
    length = whole.reduce((sum, piece) => sum + piece.length, 0)
    text = whole
  }
  const filler = Spec.find(faults, "endless")?.value
  let sent: Iterable<Piece> = filler === undefined ? text : filled(text, filler === "lines" ? "\n" : " ")
  for (const fault of faults) {
    const ending = endings[fault.kind]
    // Where the connection is the only frame, closing it is a clean end.
    if (ending !== undefined) sent = ended(sent, fault, ending === "close" && framing === "none" ? "end" : ending)
  }
  if (Spec.has(faults, "split-utf8")) sent = EncodingFaults.split(sent)
  const drip = Spec.find(faults, "drip")
  if (drip !== undefined) sent = dripped(sent, drip.amount)
  const pause = (Spec.find(faults, "slow")?.amount ?? 0) + (drip?.every ?? 0)
  return { _tag: "Streamed", stream: paced(sent, pause), framing: length ?? (framing === "none" ? "none" : "chunked") }
}
