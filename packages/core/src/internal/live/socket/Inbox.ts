/**
 * The frames of one connection that were not read yet.
 *
 * The socket calls a listener with them, and the listener reads and delivers them before it returns: an effect for each frame,
 * or a turn of the event loop for each batch, would take longer than reading them.
 */
import * as Effect from "effect/Effect"
import type { ApiError } from "../../../ApiError.ts"
import type { Rest } from "./Rest.ts"

/** A frame as it came. */
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
   * Takes all frames there are, again and again. As long as `step` returns nothing, it is called by whoever brings the
   * frames, and what it returns is run before the next call. Fails with the end once the frames before it were taken.
   * One run at a time.
   */
  readonly run: <E>(step: Step<E>) => Effect.Effect<never, E | ApiError>
  /** Whether the socket is held back because the inbox is full. */
  readonly isHeld: () => boolean
  /** Whether a frame came since the last look. A look at the clock for each would cost as much as reading it. */
  readonly isHeard: () => boolean
}

/** Takes frames. Returns what is still to be done with them, if anything. */
export type Step<E> = (frames: ReadonlyArray<Frame>) => Effect.Effect<void, E> | undefined

/** Settings of {@link make}. */
export interface Options {
  /** The most frames, unless more come at once. */
  readonly capacity: number
  /** The most bytes, unless more come at once. */
  readonly maxBytes: number
  /** Holds the socket back, and lets it go on; absent where it cannot be held back. */
  readonly flow: { readonly hold: () => void; readonly release: () => void } | undefined
  /** Builds the error of a socket that cannot be held back. */
  readonly overflow: () => ApiError
}

/** Gives frames to who waits for them. Returns false where nobody does. */
type Hand = (frames: ReadonlyArray<Frame>) => boolean

const nobody: Hand = () => false

const none: ReadonlyArray<Frame> = []

/** Builds an inbox. */
export const make = ({ capacity, flow, maxBytes, overflow }: Options): Inbox => {
  let frames: Array<Frame> = []
  let bytes = 0
  let isHeld = false
  let hasHeard = false
  let ending: ApiError | undefined
  let hand = nobody

  const takeAll = (): ReadonlyArray<Frame> => {
    const taken = frames
    frames = []
    bytes = 0
    if (isHeld) {
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
    for (const frame of added) frames.push(frame)
    bytes += sizeOf(added)
    if (flow === undefined) {
      // By bytes alone: a connection to many entities may begin with more frames than `capacity`.
      if (bytes > maxBytes) return end(overflow())
    } else if (!isHeld && (frames.length >= capacity || bytes >= maxBytes)) {
      isHeld = true
      flow.hold()
    }
  }

  const run: Inbox["run"] = <E>(step: Step<E>) => {
    /** Takes frames, and then what is there. Returns what has to be waited for, if anything. */
    const advance = (first: ReadonlyArray<Frame>, isStopped: () => boolean): Rest<E | ApiError> => {
      for (let taken = first; ; taken = takeAll()) {
        const rest = taken.length === 0 ? undefined : step(taken)
        if (rest !== undefined) return rest
        if (frames.length === 0 || isStopped()) break
      }
      return ending === undefined ? undefined : Effect.fail(ending)
    }
    const wait = Effect.callback<void, E | ApiError>((resume) => {
      let isWaiting = true
      // What is delivered may bring further frames, and may end the run.
      let isBusy = false
      const isStopped = () => !isWaiting
      const take: Hand = (first) => {
        if (isBusy) return false
        isBusy = true
        let rest: Rest<E | ApiError>
        // Turns an exception into a defect of the run: nobody but the socket is above, and it would end the process.
        try {
          // Most frames come alone to who waits, so that there is no more to be done.
          rest = first.length === 0 ? undefined : step(first)
          const hasMore = frames.length > 0 || ending !== undefined
          if (rest === undefined && hasMore && !isStopped()) rest = advance(takeAll(), isStopped)
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
      hand = take
      // The fiber may have yielded since it looked.
      if (frames.length > 0 || ending !== undefined) take(takeAll())
      return Effect.sync(() => {
        isWaiting = false
        hand = nobody
      })
    })
    return Effect.forever(
      Effect.suspend(() => advance(takeAll(), () => false) ?? wait),
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
