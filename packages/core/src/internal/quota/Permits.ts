/**
 * Permits shared fairly between lanes: a free permit goes to the waiting lane that holds the fewest.
 *
 * Effect's `PartitionedSemaphore` serves the waiting lanes in turn, whatever they hold, so a lane of long streams would keep the
 * permits it got first. Here all lanes that keep waiting end up with the same number, and others use what a lane does not need.
 */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

/** The permits that a lane holds, and its waiting requests. */
interface LaneState<K> {
  readonly lane: K
  readonly waiting: Set<Deferred.Deferred<void>>
  held: number
  /** When it last got a permit. Among lanes that hold equally many, the one served longest ago is next. */
  served: number
}

export const make = <K>(count: number) => {
  const lanes = new Map<K, LaneState<K>>()
  let size = count
  /** Negative while more permits are held than there are. */
  let free = count
  let waiting = 0
  let turns = 0

  const stateOf = (lane: K): LaneState<K> => {
    const known = lanes.get(lane)
    if (known !== undefined) return known
    const line: LaneState<K> = { lane, waiting: new Set(), held: 0, served: 0 }
    lanes.set(lane, line)
    return line
  }

  const assign = (line: LaneState<K>) => {
    free -= 1
    line.held += 1
    line.served = ++turns
  }

  const removeIfIdle = (line: LaneState<K>) => {
    if (line.held === 0 && line.waiting.size === 0) lanes.delete(line.lane)
  }

  /** The lane that gets the next free permit. */
  const nextLane = () => {
    let next: LaneState<K> | undefined
    if (free <= 0) return next
    for (const line of lanes.values()) {
      if (line.waiting.size === 0) continue
      const isBefore =
        next === undefined || line.held < next.held || (line.held === next.held && line.served < next.served)
      if (isBefore) next = line
    }
    return next
  }

  const grant = () => {
    for (let line = nextLane(); line !== undefined; line = nextLane()) {
      const [turn] = line.waiting
      line.waiting.delete(turn!)
      waiting -= 1
      assign(line)
      Deferred.doneUnsafe(turn!, Exit.void)
    }
  }

  // The next request is woken in a later task, when the socket of the released one is back in its pool.
  const release = (line: LaneState<K>) =>
    Effect.withFiber((fiber) => {
      free += 1
      line.held -= 1
      removeIfIdle(line)
      if (waiting > 0) fiber.currentDispatcher.scheduleTask(grant, 0)
      return Effect.void
    })

  const wait = (line: LaneState<K>, restore: (effect: Effect.Effect<void>) => Effect.Effect<void>) => {
    const turn = Deferred.makeUnsafe<void>()
    line.waiting.add(turn)
    waiting += 1
    // An interrupted request may already have been given a permit.
    const giveUp = Effect.suspend(() => {
      if (!line.waiting.delete(turn)) return release(line)
      waiting -= 1
      removeIfIdle(line)
      return Effect.void
    })
    return Effect.onError(restore(Deferred.await(turn)), () => giveUp)
  }

  /** Whether a permit can be taken without a wait. */
  const isFree = (): boolean => free > 0 && waiting === 0

  /** Waits for a permit, first come first served within the lane, and holds it until the scope closes. */
  const takeScoped = (lane: K): Effect.Effect<void, never, Scope.Scope> =>
    Effect.uninterruptibleMask((restore) =>
      Effect.suspend(() => {
        const line = stateOf(lane)
        const held = Effect.flatMap(Effect.scope, (scope) => Scope.addFinalizer(scope, release(line)))
        if (!isFree()) return Effect.andThen(wait(line, restore), held)
        assign(line)
        return held
      })
    )

  /** Changes the number of permits. When it decreases, permits beyond it stay with their holders until they are released. */
  const resize = (to: number) => {
    if (to === size) return
    free += to - size
    size = to
    grant()
  }

  return { takeScoped, isFree, resize }
}

/** Permits, and the requests that wait for one. */
export type Permits<K> = ReturnType<typeof make<K>>
