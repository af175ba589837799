/**
 * Delivers what a connection brings, in order: closes the seams before it, leaves out what was delivered, and notices what is
 * missing.
 *
 * All this is one function of a batch of frames as long as nothing has to be waited for. Only then it is an effect: that of
 * each batch would take as long as its records.
 */
import * as Effect from "effect/Effect"
import type { ApiError } from "../../ApiError.ts"
import type { TooSlow } from "../../LiveError.ts"
import type { Gap, LiveMessage, Warning } from "../../LiveMessage.ts"
import * as Json from "../wire/Json.ts"
import * as Asked from "./Asked.ts"
import * as Closing from "./Closing.ts"
import * as Frames from "./socket/Frames.ts"
import { fromFrame, unavailable } from "./socket/Handshake.ts"
import { type Frame, sizeOf } from "./socket/Inbox.ts"
import * as Lanes from "./lanes/Lanes.ts"
import * as Memory from "./lanes/Memory.ts"
import { andThen, type Rest } from "./socket/Rest.ts"
import * as Sequence from "./Sequence.ts"
import type { State } from "./State.ts"

/** The bytes of frames that are parsed in one turn. */
const turn = 262_144

/** Builds what delivers the batches of one connection. */
export const make = (state: State, isFirst: boolean) => {
  const { jumps, plan } = state
  const read = Frames.make(plan.kind)
  Sequence.connected(jumps)
  // The first number of a connection may be any.
  let last = -1
  const deliverPart = (part: Sequence.Part, bytes: number): Rest => {
    const rest = stepInto(state, part)
    return andThen(rest, () => deliver(state, part, bytes, isFirst))
  }
  const deliverParts = (parts: ReadonlyArray<Sequence.Part>, bytes: number): Rest => {
    for (let index = 0; index < parts.length; index++) {
      // The bytes of a batch count with its first part.
      const rest = deliverPart(parts[index]!, index === 0 ? bytes : 0)
      if (rest === undefined) continue
      const others = parts.slice(index + 1)
      return others.length === 0 ? rest : andThen(rest, () => deliverParts(others, 0))
    }
    return undefined
  }
  const deliverSlice = (slice: ReadonlyArray<Frame>, bytes: number): Rest => {
    const { failure, frames } = read(slice)
    const next = frames.length === 1 && failure === undefined ? nextRecord(state, frames[0]!, last) : undefined
    if (next !== undefined) {
      last = next.sequence ?? last
      return deliverNext(state, next, bytes)
    }
    const cut = Sequence.partsOf(frames, last, state.jumps)
    last = cut.last
    return andThen(deliverParts(cut.parts, bytes), () =>
      failure === undefined ? undefined : fail(state, failure.error, failure.frame)
    )
  }
  return (batch: ReadonlyArray<Frame>): Rest => {
    if (batch.length === 1) return deliverSlice(batch, batch[0]!.length)
    const bytes = sizeOf(batch)
    // In slices each frame counts a byte more.
    if (bytes + batch.length <= turn) return deliverSlice(batch, bytes)
    const slices = Frames.slicesOf(batch, turn)
    if (slices.length === 1) return deliverSlice(batch, bytes)
    return Effect.forEach(
      slices,
      (slice) =>
        Effect.andThen(
          Effect.suspend(() => deliverSlice(slice, sizeOf(slice)) ?? Effect.void),
          Effect.yieldNow
        ),
      { discard: true }
    )
  }
}

/** A record that is plainly the next of its series. */
interface Next {
  readonly record: object
  readonly lane: Lanes.Lane
  readonly sequence: number | undefined
  /** Where it is placed, if that was needed to tell. */
  readonly placed: Lanes.Placed | undefined
}

/**
 * The record of a frame that comes alone, if it is plainly the next of its series: most frames of a connection.
 * {@link deliver} would deliver it too, but the checks for all other cases take half as long as reading the record.
 */
const nextRecord = ({ jumps, lanes, plan }: State, frame: Frames.Classified, before: number): Next | undefined => {
  if (frame._tag !== "Record" || plan.verify !== undefined) return undefined
  const { record, sequence } = frame
  // A jump that proved false is none.
  if (sequence !== undefined && sequence !== before + 1 && !(jumps.areFalse && sequence > before)) return undefined
  const lane = lanes.later(record)
  if (lane !== undefined) return { record, lane, sequence, placed: undefined }
  const placed = Lanes.place(plan.shape, record)
  const following = placed === undefined || !lanes.isSound(placed) ? undefined : lanes.following(placed)
  return following === undefined ? undefined : { record, lane: following, sequence, placed }
}

/** Notes it, and delivers it after that: the reader may change what it gets. The note takes half a microsecond. */
const deliverNext = (state: State, { lane, placed, record }: Next, bytes: number): Rest => {
  state.hasNews = true
  const noted = placed ?? Lanes.place(state.plan.shape, record)
  if (noted !== undefined) state.lanes.note(lane, noted, "live")
  return state.out.offerNow([{ _tag: "Data", record, origin: "live", received: state.received }], bytes)
}

/** What there is to do before the frames of a part: most follow from the one before. */
const stepInto = ({ jumps, lanes, out, plan }: State, part: Sequence.Part): Rest => {
  const { before, frames, number, step } = part
  const broken = (reason: string) => Effect.fail(unavailable(plan.kind, "body", reason))
  const [first] = frames
  if (first?._tag === "Error") return Effect.fail(fromFrame(first.said, { ...plan.kind, ...plan.connection }))
  if (step === "fall") return broken(`cm_sequence_id fell from ${before} to ${number}`)
  if (step !== "jump" || jumps.areFalse) return undefined
  const beginsWhole = plan.shape.isWhole !== undefined
  if (beginsWhole && !jumps.hasReplaced) {
    jumps.hasReplaced = true
    return broken(`frames ${before + 1} to ${number - 1} are missing`)
  }
  if (plan.fill !== undefined && !beginsWhole && Sequence.isChecked(jumps)) {
    jumps.count += 1
    lanes.doubt()
    return undefined
  }
  if (jumps.isTold) return undefined
  jumps.isTold = true
  return out.offerNow([Sequence.unchecked(part)], 0)
}

/** Delivers frames in their order, after what closes the seams before them. */
const deliver = (state: State, part: Sequence.Part, bytes: number, isFirst: boolean): Rest => {
  const { lanes, plan } = state
  const { frames } = part
  const placed: Array<Lanes.Placed | undefined> = []
  let unasked: Set<number> | undefined
  for (const frame of frames) {
    const at = frame._tag === "Record" ? Lanes.place(plan.shape, frame.record) : undefined
    if (at !== undefined && !lanes.admits(at)) unasked = (unasked ?? new Set()).add(placed.length)
    placed.push(at)
  }
  if (unasked !== undefined) {
    return deliver(state, { ...part, frames: Asked.without(state, frames, unasked) }, bytes, isFirst)
  }
  const unsound = placed.findIndex((at) => at !== undefined && !lanes.isSound(at))
  if (unsound >= 0) {
    const at = placed[unsound]!
    return andThen(deliver(state, { ...part, frames: frames.slice(0, unsound) }, bytes, isFirst), () =>
      fail(state, Closing.damageOf(plan)(at), Json.written(at.record))
    )
  }
  const seams = Closing.findSeams(state, placed, isFirst)
  return andThen<ApiError | TooSlow>(seams.length === 0 ? undefined : Closing.close(state, seams), () => {
    const { broken, messages } = messagesOf(state, part, placed)
    if (messages.length > 0) state.hasNews = true
    return andThen<ApiError | TooSlow>(state.out.offerNow(messages, bytes), () =>
      broken === undefined ? undefined : unavailable(plan.kind, "body", broken)
    )
  })
}

/** Ends the connection because of a frame, which is told from others without its number. */
const fail = (state: State, error: ApiError, frame: string) => {
  state.damaged = frame.replace(/"cm_sequence_id": ?"?\d+"?/, "")
  return Effect.fail(error)
}

/** What frames tell the reader, and why the connection cannot be right, if it cannot. */
const messagesOf = (
  state: State,
  { before, frames, step }: Sequence.Part,
  placed: ReadonlyArray<Lanes.Placed | undefined>
) => {
  const { lanes, plan } = state
  const { shape } = plan
  const messages: Array<LiveMessage<object>> = []
  for (let index = 0; index < frames.length; index++) {
    const frame = frames[index]!
    const isRepeat = step === "repeat" && index === 0
    if (frame._tag === "Message" && !isRepeat) {
      const { message } = frame
      const isTold =
        message._tag === "Reorg" && message.hash !== undefined && !lanes.noteGone(message.asset, message.hash)
      if (!isTold) messages.push(message)
    }
    if (frame._tag !== "Record") continue
    const at = placed[index]
    // A record without a place, such as one of metrics that holds none, cannot be told from others.
    if (at === undefined || at.columns.length === 0) {
      messages.push({ _tag: "Data", record: frame.record, origin: "live", received: state.received })
      continue
    }
    const fresh = lanes.fresh(at)
    const wanted = plan.since === undefined ? fresh : fresh.filter((column) => isWanted(state, at, column))
    if (wanted.length < fresh.length) messages.push(...tooEarly(state, at))
    if (wanted.length < at.columns.length) messages.push(...leftOut(state, at))
    if (wanted.length === 0 || (isRepeat && areRepeats(state, at, wanted))) continue
    const broken = isRepeat
      ? `cm_sequence_id ${before} came again with another record`
      : plan.verify?.(frame.record, "live", lanes.connection())
    if (broken !== undefined) return { messages, broken }
    for (const column of wanted) lanes.note(lanes.of(at.entity, column), at, "live")
    messages.push({ _tag: "Data", record: Lanes.only(shape, at, wanted), origin: "live", received: state.received })
  }
  return { messages, broken: undefined }
}

/**
 * Says once for each connection that records of a lane are left out because nobody remembers whether they were delivered: the
 * service repeats old ones, or the times of those that were delivered before were wrong.
 */
const leftOut = ({ lanes, plan }: State, at: Lanes.Placed): ReadonlyArray<Gap> =>
  at.columns.flatMap((column) => {
    const lane = lanes.of(at.entity, column)
    const to = Memory.latest(lane.memory)
    if (to === undefined || Lanes.isKnown(lane, at) || !Lanes.isForgotten(lane.memory, at)) return []
    if (lane.leftOutIn === lanes.connection()) return []
    lane.leftOutIn = lanes.connection()
    const metrics = column === "" ? undefined : [column]
    const { position: unit } = plan.shape
    return [
      { _tag: "Gap", entity: at.entity, metrics, unit, from: at.position, to, reason: "forgotten", error: undefined }
    ]
  })

/**
 * Says once that records of before `since` come. The first of an entity is its last one so far, with which a connection begins; of a
 * second nobody would know why nothing comes.
 */
const tooEarly = (state: State, { columns, entity, id, position }: Lanes.Placed): ReadonlyArray<Warning> => {
  const { lanes, plan } = state
  const lane = lanes.of(entity, columns[0] ?? "")
  lane.early ??= id
  if (state.hasToldEarly || lane.early === id) return []
  state.hasToldEarly = true
  const message = `records of ${entity} come that are of ${position}, before since (${plan.since}); they are left out`
  return [{ _tag: "Warning", type: "before_since", message }]
}

/** Whether a record is not from before `since`. What later records change is needed, however old it is. */
const isWanted = (state: State, placed: Lanes.Placed, column: string) =>
  Lanes.isWhole(state.plan.shape, placed.record) ||
  !Closing.isBeforeStart(state, state.lanes.of(placed.entity, column), placed)

/** Whether a record was delivered as it is, which one that is always delivered may have been too. */
const areRepeats = ({ lanes, plan }: State, placed: Lanes.Placed, columns: ReadonlyArray<string>) =>
  columns.every((column) => Lanes.isRepeat(plan.shape, lanes.of(placed.entity, column), placed))
