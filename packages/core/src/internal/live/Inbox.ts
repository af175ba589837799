/**
 * The frames of one connection that were not read yet.
 *
 * They come by a listener, and whoever waits for them goes on within it: an effect for each frame, or a turn of the event loop
 * for each batch, would take longer than reading them.
 */
import type * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import type { ApiError } from "../../ApiError.ts"

/** A frame as it came. */
export type Frame = string | Uint8Array

/** The bytes of frames; of text its characters, which may be up to three bytes each. */
export const sizeOf = (frames: ReadonlyArray<Frame>): number => {
  let size = 0
  for (const { length } of frames) size += length
  return size
}

export interface Inbox {
  /** Adds frames that came at once. */
  readonly push: (added: ReadonlyArray<Frame>) => void
  /** Ends the inbox. What it holds can still be taken; only the first end counts. */
  readonly end: (error: ApiError) => void
  /** Takes all frames, or waits for some. Fails once those before the end were taken. */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<Frame>, ApiError>
  /** Whether the socket is held back because the inbox is full. */
  readonly isHeld: () => boolean
}

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

/** Builds an inbox. */
export const make = ({ capacity, flow, maxBytes, overflow }: Options): Inbox => {
  type Frames = Arr.NonEmptyReadonlyArray<Frame>
  let frames: Array<Frame> = []
  let bytes = 0
  let isHeld = false
  let ending: ApiError | undefined
  let waiter: ((taken: Effect.Effect<Frames, ApiError>) => void) | undefined

  const takeAll = (): Frames => {
    // Type boundary: it is called when a frame is there.
    const taken = frames as unknown as Frames
    frames = []
    bytes = 0
    if (isHeld) {
      isHeld = false
      flow?.release()
    }
    return taken
  }

  const wake = () => {
    if (waiter === undefined) return
    const resume = waiter
    waiter = undefined
    resume(take)
  }

  const end: Inbox["end"] = (error) => {
    ending ??= error
    wake()
  }

  const push: Inbox["push"] = (added) => {
    if (ending !== undefined) return
    for (const frame of added) frames.push(frame)
    bytes += sizeOf(added)
    if (flow === undefined) {
      // By bytes alone: a connection to many entities may begin with more frames than `capacity`.
      if (bytes > maxBytes) return end(overflow())
    } else if (!isHeld && (frames.length >= capacity || bytes >= maxBytes)) {
      isHeld = true
      flow.hold()
    }
    wake()
  }

  const wait = Effect.callback<Frames, ApiError>((resume) => {
    waiter = resume
    return Effect.sync(() => {
      if (waiter === resume) waiter = undefined
    })
  })

  const take: Inbox["take"] = Effect.suspend(() => {
    if (frames.length > 0) return Effect.succeed(takeAll())
    return ending === undefined ? wait : Effect.fail(ending)
  })

  return { push, end, take, isHeld: () => isHeld }
}
