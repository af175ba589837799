/**
 * A bounded buffer between two fibers: one offers arrays of items, the other takes all that are there, or has a function called
 * with them.
 */
import type * as Arr from "effect/Array"
import type * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Latch from "effect/Latch"
import { type Handler, restOf } from "./Direct.ts"

/** What happens when the buffer of a stream is full: hold the socket back, discard the oldest and count, or fail. */
export type WhenFull = "suspend" | "dropOldest" | "fail"

/** Items between those who bring them and the one reader who takes them. */
export interface Buffer<A, E, Full extends E = E> {
  /** Adds items of so many bytes together. Waits for room, discards the oldest, or fails, as the settings say. */
  readonly offer: (items: ReadonlyArray<A>, bytes: number) => Effect.Effect<void, Full>
  /** Does the same, at once where that is possible; else it returns what does it. */
  readonly offerNow: (items: ReadonlyArray<A>, bytes: number) => Effect.Effect<void, Full> | undefined
  /**
   * Adds items that can be read as slowly as the reader likes: waits until those before them that came in this way are taken,
   * whatever the settings say. They use up no room. They are made when they are added, so that nothing overtakes them.
   */
  readonly offerPatiently: (items: () => ReadonlyArray<A>) => Effect.Effect<void>
  /** Ends the buffer. What it holds can still be taken; only the first end counts. */
  readonly end: (cause: Cause.Cause<E>) => void
  /** Takes all items, or waits for some. Fails with the cause of the end once all are taken. */
  readonly take: Effect.Effect<Arr.NonEmptyReadonlyArray<A>, E>
  /**
   * Takes all items, again and again. As long as the handler returns no effect, it is called by whoever offers items. Fails with
   * the cause of the end once all are taken.
   */
  readonly run: <E2, R2>(handler: Handler<A, E2, R2>) => Effect.Effect<never, E | E2, R2>
}

/** Who waits for items. It waits no longer once it was given some, or told of the end. */
interface Reader<A, E> {
  readonly give: (items: Arr.NonEmptyReadonlyArray<A>) => void
  readonly end: (cause: Cause.Cause<E>) => void
}

export interface Options<A, Full> {
  /** The most items, unless a single offer has more. */
  readonly capacity: number
  /** The most bytes, unless a single offer has more. */
  readonly maxBytes: number
  readonly whenFull: WhenFull
  /** Builds the error of a full buffer, for `fail`. */
  readonly overflow: () => Full
  /** Adds to `kept` what is to be kept of the oldest items, for `dropOldest`. What it keeps uses up no room. */
  readonly discard: (kept: Array<A>, oldest: ReadonlyArray<A>) => void
  /** Is told of items that were taken, such as to count them. A reader that waits has them before. */
  readonly taken?: ((items: ReadonlyArray<A>) => void) | undefined
}

/** The weight of an item that uses up no room. */
const patient = -1

export const make = <A, E, Full extends E = E>(options: Options<A, Full>): Buffer<A, E, Full> => {
  const { capacity, maxBytes, whenFull } = options
  const room = Latch.makeUnsafe(true)
  /** What was kept of the oldest items. It comes before `items`. */
  let kept: Array<A> = []
  let items: Array<A> = []
  let weights: Array<number> = []
  let [count, bytes, waiting] = [0, 0, 0]
  let ending: Cause.Cause<E> | undefined
  let reader: Reader<A, E> | undefined

  const put = (added: ReadonlyArray<A>, weight: number) => {
    if (reader !== undefined) {
      // Nothing is buffered where the reader waits.
      const waited = reader
      reader = undefined
      waited.give(nonEmpty(added))
      return options.taken?.(added)
    }
    for (const item of added) {
      items.push(item)
      weights.push(weight)
    }
    if (weight === patient) waiting += added.length
    else {
      count += added.length
      bytes += weight * added.length
    }
  }

  const discardOldest = () => {
    let end = 0
    for (; end < items.length - 1 && (count > capacity || bytes > maxBytes); end += 1) {
      const weight = weights[end] ?? patient
      if (weight === patient) continue
      count -= 1
      bytes -= weight
    }
    if (end === 0) return
    weights.splice(0, end)
    options.discard(kept, items.splice(0, end))
  }

  const waitUntil = (hasRoom: () => boolean, then: () => void): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (ending !== undefined) return Effect.void
      if (hasRoom()) {
        then()
        return Effect.void
      }
      room.closeUnsafe()
      return Effect.andThen(room.await, waitUntil(hasRoom, then))
    })

  const offerPatiently: Buffer<A, E, Full>["offerPatiently"] = (items) =>
    waitUntil(
      () => waiting === 0,
      () => {
        const added = items()
        if (added.length > 0) put(added, patient)
      }
    )

  const offerNow: Buffer<A, E, Full>["offerNow"] = (added, size) => {
    if (ending !== undefined || added.length === 0) return undefined
    // There is always room where a reader waits.
    if (reader !== undefined) return void put(added, patient)
    const weight = size / added.length
    if (whenFull === "suspend") {
      const hasRoom = () => count < capacity && (count === 0 || bytes + size <= maxBytes)
      if (!hasRoom()) return waitUntil(hasRoom, () => put(added, weight))
      put(added, weight)
      return undefined
    }
    const isTooMuch = count + added.length > capacity || bytes + size > maxBytes
    if (whenFull === "fail" && count > 0 && isTooMuch) return Effect.fail(options.overflow())
    put(added, weight)
    if (whenFull === "dropOldest") discardOldest()
    return undefined
  }

  const offer: Buffer<A, E, Full>["offer"] = (added, size) => Effect.suspend(() => offerNow(added, size) ?? Effect.void)

  const forget = Effect.sync(() => {
    reader = undefined
  })
  // The fiber may have yielded since it looked: what came meanwhile is before what comes next.
  const hasMore = () => items.length > 0 || ending !== undefined
  const wait = Effect.callback<Arr.NonEmptyReadonlyArray<A>, E>((resume) => {
    if (hasMore()) return resume(take)
    reader = { give: (given) => resume(Effect.succeed(given)), end: (cause) => resume(Effect.failCause(cause)) }
    return forget
  })

  const takeAll = () => {
    const taken = kept.length === 0 ? items : [...kept, ...items]
    kept = []
    items = []
    weights = []
    count = bytes = waiting = 0
    room.openUnsafe()
    options.taken?.(taken)
    return nonEmpty(taken)
  }

  const take: Buffer<A, E, Full>["take"] = Effect.suspend(() => {
    if (items.length > 0) return Effect.succeed(takeAll())
    return ending === undefined ? wait : Effect.failCause(ending)
  })

  const run: Buffer<A, E, Full>["run"] = <E2, R2>(handler: Handler<A, E2, R2>) => {
    const waitFor = Effect.callback<unknown, E | E2, R2>((resume) => {
      if (hasMore()) return resume(Effect.void)
      let isWaiting = true
      const waiting: Reader<A, E> = {
        give: (given) => {
          let rest: Effect.Effect<unknown, E2, R2> | undefined
          // Turns an exception into a defect of the run: the socket is above.
          try {
            rest = restOf(handler, given)
          } catch (defect) {
            rest = Effect.die(defect)
          }
          if (!isWaiting) return
          // The handler may have brought further items, or the end.
          if (rest !== undefined || hasMore()) return resume(rest ?? Effect.void)
          reader = waiting
        },
        end: (cause) => resume(Effect.failCause(cause))
      }
      reader = waiting
      return Effect.sync(() => {
        isWaiting = false
        reader = undefined
      })
    })
    const next = Effect.suspend((): Effect.Effect<unknown, E | E2, R2> => {
      if (items.length > 0) return restOf(handler, takeAll()) ?? Effect.void
      return ending === undefined ? waitFor : Effect.failCause(ending)
    })
    return Effect.forever(next, { disableYield: true })
  }

  const end = (cause: Cause.Cause<E>) => {
    ending ??= cause
    room.openUnsafe()
    const waited = reader
    reader = undefined
    waited?.end(ending)
  }

  return { offer, offerNow, offerPatiently, end, take, run }
}

// Type boundary: whoever calls it has seen an item.
const nonEmpty = <A>(items: ReadonlyArray<A>) => items as Arr.NonEmptyReadonlyArray<A>
