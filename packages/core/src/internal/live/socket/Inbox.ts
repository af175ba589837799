/**
 * The frames of one connection that were not read yet.
 *
 * The socket calls a listener with them, and the listener reads and delivers them before it returns: an effect for each frame,
 * or a turn of the event loop for each batch, would take longer than reading them.
 */
import * as Effect from "effect/Effect"
import type { ApiError } from "../../../ApiError.ts"
import type * as Moment from "../../retry/Moment.ts"
import type { Rest } from "./Rest.ts"

export type Frame = string | Uint8Array

/** The bytes of frames; of text its characters, which may be up to three bytes each. */
export const sizeOf = (frames: ReadonlyArray<Frame>): number => {
  let size = 0
  for (const { length } of frames) size += length
  return size
}

/** The frames of a connection that were not read yet. */
export interface Inbox {
  /** Adds frames that came at once. */
  readonly push: (added: ReadonlyArray<Frame>) => void
  /** Ends the inbox. What it holds can still be taken; only the first end counts. */
  readonly end: (error: ApiError) => void
  /**
   * Takes the frames there are, again and again. As long as `step` returns nothing, it is called by whoever brings the
   * frames, and what it returns is run before the next call. Fails with the end once the frames before it were taken.
   * One run at a time.
   */
  readonly run: <E>(step: Step<E>) => Effect.Effect<never, E | ApiError>
  /** Whether the socket is held back because the inbox is full. */
  readonly isHeld: () => boolean
  /** Whether a frame came since the last look. A look at the clock for each would cost as much as reading it. */
  readonly isHeard: () => boolean
}

/** Frames had to wait: since when by the monotonic clock, and when the last of them came by that of the wall. In milliseconds. */
export interface Waited {
  readonly since: number
  readonly last: number
}

/** Takes frames, and when they came if they had to wait. Returns what is still to be done with them, if anything. */
export type Step<E> = (frames: ReadonlyArray<Frame>, waited: Waited | undefined) => Effect.Effect<void, E> | undefined

export interface Options {
  /** The most frames, unless more come at once. */
  readonly capacity: number
  /** The most bytes, unless more come at once. */
  readonly maxBytes: number
  /** Holds the socket back, and lets it go on; absent where it cannot be held back. */
  readonly flow: { readonly hold: () => void; readonly release: () => void } | undefined
  /** Builds the error of a socket that cannot be held back. */
  readonly overflow: () => ApiError
  readonly now: () => Moment.Moment
}

/** Frames that are taken together. */
interface Waiting extends Waited {
  readonly frames: Array<Frame>
  last: number
  bytes: number
}

/** Frames that wait are taken together if they came within so many milliseconds: how long each has waited matters. */
const together = 1_000

/** Gives frames to who waits for them. Returns false where nobody does. */
type Hand = (frames: ReadonlyArray<Frame>) => boolean

const nobody: Hand = () => false

const none: ReadonlyArray<Frame> = []

export const make = ({ capacity, flow, maxBytes, now, overflow }: Options): Inbox => {
  const queue: Array<Waiting> = []
  let [count, bytes] = [0, 0]
  let isHeld = false
  let hasHeard = false
  let ending: ApiError | undefined
  let hand = nobody

  const isFull = () => count >= capacity || bytes >= maxBytes

  const take = (): Waiting => {
    const taken = queue.shift()!
    count -= taken.frames.length
    bytes -= taken.bytes
    if (isHeld && !isFull()) {
      isHeld = false
      flow?.release()
    }
    return taken
  }

  const end: Inbox["end"] = (error) => {
    ending ??= error
    hand(none)
  }

  const push: Inbox["push"] = (added) => {
    hasHeard = true
    if (ending !== undefined) return
    // Who waits has taken all others.
    if (hand(added)) return
    const { monotonic, wall } = now()
    let last = queue.at(-1)
    if (last === undefined || monotonic - last.since >= together) {
      queue.push((last = { frames: [], since: monotonic, last: wall, bytes: 0 }))
    }
    last.last = wall
    for (const frame of added) last.frames.push(frame)
    const size = sizeOf(added)
    last.bytes += size
    count += added.length
    bytes += size
    if (flow === undefined) {
      // By bytes alone: a connection to many entities may begin with more frames than `capacity`.
      if (bytes > maxBytes) return end(overflow())
    } else if (!isHeld && isFull()) {
      isHeld = true
      flow.hold()
    }
  }

  const run: Inbox["run"] = <E>(step: Step<E>) => {
    /** Takes what is there. Returns what has to be waited for, if anything. */
    const advance = (isStopped: () => boolean): Rest<E | ApiError> => {
      while (queue.length > 0) {
        const taken = take()
        const rest = step(taken.frames, taken)
        if (rest !== undefined) return rest
        if (isStopped()) break
      }
      return ending === undefined ? undefined : Effect.fail(ending)
    }
    const wait = Effect.callback<void, E | ApiError>((resume) => {
      let isWaiting = true
      // What is delivered may bring further frames, and may end the run.
      let isBusy = false
      const isStopped = () => !isWaiting
      const receive: Hand = (first) => {
        if (isBusy) return false
        isBusy = true
        let rest: Rest<E | ApiError>
        // Turns an exception into a defect of the run: nobody but the socket is above, and it would end the process.
        try {
          // Most frames come alone to who waits, so that there is no more to be done.
          rest = first.length === 0 ? undefined : step(first, undefined)
          const hasMore = queue.length > 0 || ending !== undefined
          if (rest === undefined && hasMore && !isStopped()) rest = advance(isStopped)
        } catch (defect) {
          rest = Effect.die(defect)
        }
        isBusy = false
        if (rest !== undefined && isWaiting) {
          hand = nobody
          resume(rest)
        }
        return true
      }
      hand = receive
      // The fiber may have yielded since it looked.
      if (queue.length > 0 || ending !== undefined) receive(none)
      return Effect.sync(() => {
        isWaiting = false
        hand = nobody
      })
    })
    return Effect.forever(
      Effect.suspend(() => advance(() => false) ?? wait),
      { disableYield: true }
    )
  }

  const isHeard = () => {
    const has = hasHeard
    hasHeard = false
    return has
  }

  return { push, end, run, isHeld: () => isHeld, isHeard }
}
