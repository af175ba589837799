/**
 * A bounded buffer between two fibers: one offers arrays of items, the other takes all that are there.
 */
import type * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"

/** What happens when the buffer is full. */
export type WhenFull = "suspend" | "dropOldest" | "fail"

export interface Buffer<A, E, Full extends E = E> {
  /** Adds items. Waits for room, discards the oldest, or fails, as the settings say. */
  readonly offer: (items: ReadonlyArray<A>) => Effect.Effect<void, Full>
  /** Adds items, and waits for room whatever the settings say: for what can be read as slowly as the reader likes. */
  readonly offerPatiently: (items: ReadonlyArray<A>) => Effect.Effect<void>
  /** Ends the buffer. What it holds can still be taken; only the first end counts. */
  readonly end: (cause: Cause.Cause<E>) => void
  /** Takes all items, or waits for some. Fails with the cause of the end once all are taken. */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<A>, E>
  /** The number of items. */
  readonly size: () => number
}

/** Settings of {@link make}. */
export interface Options<A, Full> {
  /** The most items, unless a single offer has more. */
  readonly capacity: number
  readonly whenFull: WhenFull
  /** Builds the error of a full buffer, for `fail`. */
  readonly overflow: () => Full
  /** Builds the item that stands for discarded ones, for `dropOldest`. */
  readonly dropped: (discarded: ReadonlyArray<A>, before: A | undefined) => A
}

/** Builds a buffer. */
export const make = <A, E, Full extends E = E>(options: Options<A, Full>): Buffer<A, E, Full> => {
  const { capacity, whenFull } = options
  const filled = Latch.makeUnsafe(false)
  const room = Latch.makeUnsafe(true)
  let items: Array<A> = []
  let standIn: A | undefined
  let ending: Cause.Cause<E> | undefined

  const put = (added: ReadonlyArray<A>) => {
    for (const item of added) items.push(item)
    if (items.length > 0) filled.openUnsafe()
  }

  const offerPatiently: Buffer<A, E, Full>["offerPatiently"] = (added) =>
    Effect.suspend(() => {
      if (ending !== undefined || added.length === 0) return Effect.void
      if (items.length >= capacity) {
        room.closeUnsafe()
        return Effect.andThen(room.await, offerPatiently(added))
      }
      put(added)
      return Effect.void
    })

  const offer: Buffer<A, E, Full>["offer"] = (added) =>
    Effect.suspend(() => {
      if (whenFull === "suspend") return offerPatiently(added)
      if (ending !== undefined || added.length === 0) return Effect.void
      if (whenFull === "fail" && items.length > 0 && items.length + added.length > capacity) {
        return Effect.fail(options.overflow())
      }
      put(added)
      if (whenFull === "dropOldest" && items.length > capacity) {
        standIn = options.dropped(items.splice(0, items.length - capacity), standIn)
      }
      return Effect.void
    })

  const take: Buffer<A, E>["take"] = Effect.suspend(() => {
    if (items.length > 0) {
      const taken = standIn === undefined ? items : [standIn, ...items]
      items = []
      standIn = undefined
      room.openUnsafe()
      // Type boundary: at least one item is there.
      return Effect.succeed(taken as unknown as Arr.NonEmptyReadonlyArray<A>)
    }
    if (ending !== undefined) return Effect.failCause(ending)
    filled.closeUnsafe()
    return Effect.andThen(filled.await, take)
  })

  const end = (cause: Cause.Cause<E>) => {
    ending ??= cause
    filled.openUnsafe()
    room.openUnsafe()
  }

  return { offer, offerPatiently, end, take, size: () => items.length }
}
