/**
 * A process of the simulated world: it has a client and sees the disk, and when it is killed, nothing of it goes on.
 */
import { type ApiError, Client } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Cause, Clock, Deferred, Duration, Effect, Exit, Fiber, FileSystem, Layer, Path, Redacted } from "effect"
import { HttpClient } from "effect/http"
import type { Disk } from "../../../files/test/storage/Disk.ts"
import type { Kind } from "../../../files/test/storage/Process.ts"

/** Some time in which a process works: mostly a moment, now and then minutes. */
export const someTime = Effect.flatMap(Simulation.below(6), (nth) =>
  Effect.sleep([0, 5, 50, 400, 3_000, 90_000][nth] ?? 0)
)

/** What a process runs in. */
export type Services = Client.Client | FileSystem.FileSystem | Path.Path

/** The most operations of the disk after which a process is killed, or its clock is set, and that a slow disk takes time for. */
const most = 120

/** The most operations of a kind after which a process is killed. */
const few = { added: 12, named: 12, removed: 2 } as const

/** The most operations of the disk before a process stands still that is to do so soon. */
const soon = 16

/** Milliseconds for which a process stands still: for more than a lock lasts in a bucket alone. */
const stills = { short: [3_000, 30_000], long: [30_000, 90_000, 400_000, 400_000] } as const

/** Milliseconds by which the clock of a process may be wrong. */
const skews = [0, 70_000, -70_000, 3_600_000, -3_600_000, 40_000_000, -40_000_000] as const

/** How a process is, and on which machine. */
interface Manner {
  readonly isCalm?: boolean
  readonly isFast?: boolean
  readonly machine?: string
}

/**
 * Starts a process on a machine; one number for each. It may be killed by itself, at an operation of the disk. Its disk may be
 * slow, unless it is to be fast: then each takes up to seconds. Its clock may be wrong, and may be set while it runs; timers do
 * not notice. Nothing of that, nor a fault of the service, befalls one that is calm.
 */
export const make = Effect.fnUntraced(function* (
  disk: Disk,
  number: number,
  { isCalm = false, isFast = false, machine = "one" }: Manner = {}
) {
  const below = (bound: number) => (isCalm ? Effect.succeed(0) : Simulation.below(bound))
  const isSlow = (yield* below(3)) === 1 && !isFast
  const [before, after] = [skews[yield* below(7)]!, skews[yield* below(7)]!]
  const setAt = yield* Simulation.below(most)
  const sandbox = yield* Sandbox.Sandbox
  const own = yield* HttpClient.HttpClient
  const dead = yield* Deferred.make<void>()
  let operations = 0
  /** What happens at an operation of the disk, by its number among all, or among its kind. */
  const events = new Map<number | string, Effect.Effect<void>>()
  const counts = { added: 0, named: 0, removed: 0 }
  let stillUntil = -Infinity
  const clock = yield* Clock.Clock
  const alive: Effect.Effect<void> = Effect.suspend(() => {
    if (Deferred.isDoneUnsafe(dead)) return Effect.never
    const rest = stillUntil - clock.currentTimeMillisUnsafe()
    return rest > 0 ? Effect.andThen(clock.sleep(Duration.millis(rest)), alive) : Effect.void
  })
  const times = disk.isBucket ? stills.long : stills.short
  const standStill = Effect.map(Simulation.below(times.length), (nth) => {
    stillUntil = clock.currentTimeMillisUnsafe() + times[nth]!
  })
  /** What others do for it, by the right time. */
  const outside = <A, E, R>(self: Effect.Effect<A, E, R>) => Effect.provideService(self, Clock.Clock, clock)
  let requests = 0
  const counted = <A, E, R>(self: Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      Effect.sync(() => requests++),
      () => self,
      () => Effect.sync(() => requests--)
    )
  const http = HttpClient.transform(isCalm ? own : Simulation.disturb(own), (send) =>
    counted(Effect.tap(Effect.andThen(alive, outside(send)), alive))
  )
  const client = Layer.provide(
    Client.layer({ root: sandbox.url, apiKey: Redacted.make("demo-key") }),
    Layer.succeed(HttpClient.HttpClient, http)
  )
  const end = Effect.sync(() => disk.living.delete(number))
  // Both at once: what comes between them would live on.
  const kill = Effect.sync(() => {
    disk.living.delete(number)
    Deferred.doneUnsafe(dead, Effect.void)
  })
  const strike = (at: number | string, happens: Effect.Effect<void> = kill) =>
    Effect.sync(() => {
      events.set(at, happens)
    })
  const waits = Effect.suspend(() => (isSlow && operations < 2 * most ? Simulation.delay : Effect.yieldNow))
  const turn = (kind?: Kind) =>
    Effect.andThen(
      waits,
      Effect.suspend(() => {
        const ofKind = kind === undefined ? undefined : events.get(`${kind} ${++counts[kind]}`)
        return Effect.andThen(events.get(++operations) ?? ofKind ?? Effect.void, alive)
      })
    )
  const wall = () => clock.currentTimeMillisUnsafe() + (operations < setAt ? before : after)
  const nanos = () => BigInt(wall()) * 1_000_000n
  const ownClock = Layer.succeed(Clock.Clock, {
    ...clock,
    currentTimeMillisUnsafe: wall,
    currentTimeMillis: Effect.sync(wall),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    // What waits for a time when the process is killed does not wake either.
    sleep: (time) => Effect.andThen(clock.sleep(time), alive)
  })
  const place = { number, machine, now: clock.currentTimeMillis, turn, isSlow, below, outside, delay: outside(waits) }
  const services = Layer.mergeAll(
    ownClock,
    client,
    Path.layer,
    disk.objects(place),
    Layer.succeed(FileSystem.FileSystem, disk.fileSystem(place))
  )
  const strikeAnywhere = Effect.fnUntraced(function* (happens?: Effect.Effect<void>) {
    const kind = ([undefined, "added", "named", "removed", "removed"] as const)[yield* Simulation.below(5)]
    yield* kind === undefined
      ? strike(1 + (yield* Simulation.below(most)), happens)
      : strike(`${kind} ${1 + (yield* Simulation.below(few[kind]))}`, happens)
  })
  // Where a lock that was lost is not the end it may stand still for long, often as it takes the folder.
  const way = disk.isBucket && !isFast ? yield* below(4) : 0
  if (way > 1)
    yield* way === 2 ? strikeAnywhere(standStill) : strike(1 + (yield* Simulation.below(most / 2)), standStill)
  return {
    number,
    machine,
    isSlow,
    /** By how many milliseconds its clock is ahead at least and at most; behind where they are negative. */
    ahead: { least: Math.min(before, after), most: Math.max(before, after) },
    outside,
    turn,
    /** How many requests it waits for. */
    requests: () => (disk.living.has(number) ? requests : 0),
    /** One that was killed before it began does nothing. */
    run: <A, E>(program: Effect.Effect<A, E, Services>) =>
      Effect.suspend(() => {
        if (Deferred.isDoneUnsafe(dead)) return Effect.never
        disk.living.add(number)
        return Effect.ensuring(Effect.provide(program, services, { local: true }), end)
      }),
    kill,
    /** Never ends once it is dead. */
    alive,
    /** Kills it, or lets something else happen, before or after an operation of the disk; the first of these moments is 1. */
    strike,
    /** Kills it, or the like, at a moment that the run chooses: any, or one of the first of a kind; files are removed seldom. */
    strikeAnywhere,
    /** How many such moments there were so far. */
    moments: () => operations,
    /** Lets it stand still for some seconds at one of its next operations of the disk: nothing goes on, its timers included. */
    stop: Effect.flatMap(Simulation.below(soon), (at) => strike(operations + at + 1, standStill)),
    /** The same at once. */
    standStill: Effect.andThen(standStill, alive),
    dead: Deferred.await(dead)
  }
})

/** A process of a simulation. */
export type Process = Effect.Success<ReturnType<typeof make>>

/** How a process ended. */
export type End<E> =
  | { readonly _tag: "Ended"; readonly exit: Exit.Exit<void, E | ApiError.Misconfigured> }
  /** Whether its machine lost its power too. */
  | { readonly _tag: "Killed"; readonly isDark: boolean }

/**
 * Lets a process work to its end, or ends it: by an interruption or a kill, at an operation of the disk or at any moment, and with
 * the power of its machine. The disk may be full for a while. What a process fails with has a type.
 */
export const live = Effect.fnUntraced(function* <E>(
  disk: Disk,
  process: Process,
  work: Effect.Effect<void, E, Services>,
  isLeftAlone: boolean
): Effect.fn.Return<End<E>> {
  const way = isLeftAlone ? 0 : yield* Simulation.below(6)
  const fills = !isLeftAlone && (yield* Simulation.below(4)) === 1
  const filling = yield* Effect.forkDetach(fills ? disk.fillUp(someTime) : Effect.void)
  // Detached: of a process that was killed nothing ends.
  const fiber = yield* Effect.forkDetach(process.run(work))
  const interruption = Effect.asVoid(Effect.forkDetach(Fiber.interrupt(fiber)))
  if (way >= 3) yield* process.strikeAnywhere(way === 5 ? interruption : undefined)
  const ended = Effect.map(Fiber.await(fiber), (exit): End<E> => ({ _tag: "Ended", exit }))
  const killed = Effect.as(process.dead, { _tag: "Killed", isDark: false } as const)
  if (way === 1 || way === 2) {
    yield* someTime
    yield* way === 1 ? Fiber.interrupt(fiber) : process.kill
  }
  const end = yield* Effect.raceFirst(ended, killed)
  yield* Fiber.interrupt(filling)
  if (end._tag === "Ended" && Exit.isFailure(end.exit) && Cause.hasDies(end.exit.cause)) {
    return yield* Effect.die(Cause.squash(end.exit.cause))
  }
  if (end._tag === "Ended" || (yield* Simulation.below(2)) === 0) return end
  yield* disk.loseUnsynced(process.machine)
  return { _tag: "Killed", isDark: true }
})
