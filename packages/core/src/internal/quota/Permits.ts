/**
 * Permits shared fairly between lanes: one that comes free goes to the lane that waits and holds the fewest.
 *
 * Effect's `PartitionedSemaphore` goes round the lanes that wait, whatever they hold: a lane of long streams would keep
 * what it got first. Here every lane that always waits comes to hold the same number, and what one leaves others take.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"

/** A number of permits, and those who wait for one. */
export interface Permits<K> {
  /** Waits for a permit, first come first served within the lane, and holds it until the scope closes. */
  readonly takeScoped: (lane: K) => Effect.Effect<void, never, Scope.Scope>
  /** Changes how many there are. With fewer, those held beyond the number are kept, and not given again. */
  readonly resize: (count: number) => void
}

/** What a lane holds, and who of it waits. */
interface Line<K> {
  readonly lane: K
  readonly waiting: Set<Deferred.Deferred<void>>
  held: number
  /** The turn at which it last got a permit; between lanes that hold as many, the one longest without comes first. */
  served: number
}

/** Builds a number of permits. */
export const make = <K>(count: number): Permits<K> => {
  const lines = new Map<K, Line<K>>()
  let size = count
  /** Below zero while more are held than there are. */
  let free = count
  let waiting = 0
  let turns = 0

  const lineOf = (lane: K): Line<K> => {
    const known = lines.get(lane)
    if (known !== undefined) return known
    const line: Line<K> = { lane, waiting: new Set(), held: 0, served: 0 }
    lines.set(lane, line)
    return line
  }

  const hold = (line: Line<K>) => {
    free -= 1
    line.held += 1
    line.served = ++turns
  }

  const leave = (line: Line<K>) => {
    if (line.held === 0 && line.waiting.size === 0) lines.delete(line.lane)
  }

  /** The lane a free permit goes to. */
  const nextLine = () => {
    let next: Line<K> | undefined
    if (free <= 0) return next
    for (const line of lines.values()) {
      if (line.waiting.size === 0) continue
      const isBefore =
        next === undefined || line.held < next.held || (line.held === next.held && line.served < next.served)
      if (isBefore) next = line
    }
    return next
  }

  const grant = () => {
    for (let line = nextLine(); line !== undefined; line = nextLine()) {
      const [turn] = line.waiting
      line.waiting.delete(turn!)
      waiting -= 1
      hold(line)
      Deferred.doneUnsafe(turn!, Exit.void)
    }
  }

  // Whoever waits is woken a moment later, when the socket of who leaves is back in its pool.
  const release = (line: Line<K>) =>
    Effect.withFiber((fiber) => {
      free += 1
      line.held -= 1
      leave(line)
      if (waiting > 0) fiber.currentDispatcher.scheduleTask(grant, 0)
      return Effect.void
    })

  const wait = (line: Line<K>, restore: (effect: Effect.Effect<void>) => Effect.Effect<void>) => {
    const turn = Deferred.makeUnsafe<void>()
    line.waiting.add(turn)
    waiting += 1
    // Interrupted it may have been given a permit all the same.
    const giveUp = Effect.suspend(() => {
      if (!line.waiting.delete(turn)) return release(line)
      waiting -= 1
      leave(line)
      return Effect.void
    })
    return Effect.onError(restore(Deferred.await(turn)), () => giveUp)
  }

  const takeScoped = (lane: K) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const line = lineOf(lane)
        const held = Effect.addFinalizer(() => release(line))
        if (free <= 0 || waiting > 0) return Effect.andThen(wait(line, restore), held)
        hold(line)
        return held
      })
    )

  const resize = (to: number) => {
    if (to === size) return
    free += to - size
    size = to
    grant()
  }

  return { takeScoped, resize }
}
