/**
 * What a dataset is synced in: a service, a clock that is set, a disk, and processes that have both.
 */
import type { Client, LiveClient } from "@sluice/core"
import type { Dialect, Sandbox } from "@sluice/sandbox"
import { Clock, Deferred, Effect, FileSystem, Path } from "effect"
import * as DayClock from "./DayClock.ts"
import * as Disk from "./Disk.ts"
import * as Service from "./Service.ts"

/** One run of a process. */
export interface Attempt {
  /** Fault of the first request, of the second, and so on. */
  readonly faults?: ReadonlyArray<string> | undefined
  /** Fault of every request after those; empty for none. */
  readonly always?: string | undefined
  /** What strikes the process or its disk. */
  readonly strike?: Disk.Strike | undefined
  /** Is interrupted before this request. */
  readonly interrupted?: number
}

/** Starts the service, at a moment. */
export const make = Effect.fnUntraced(function* (
  history: Sandbox.HistoryOptions,
  start: number,
  dialect?: Partial<Dialect.Dialect>
) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const real = yield* Clock.Clock
  const folder = yield* Effect.orDie(fs.makeTempDirectoryScoped({ prefix: "sluice-month-" }))
  const moment: DayClock.Moment = { now: start, begun: 0, speed: 0 }
  const setTime = (now: number, speed = 0) => DayClock.set(real, moment, now, speed)
  setTime(start)
  const service = yield* Service.start(history, moment, dialect)
  let lives = 0

  /** Runs a program in a process of its own, as it were: with a client and a life of its own. */
  const inProcess = Effect.fnUntraced(function* <A, E>(
    programOf: (
      stop: Effect.Effect<unknown>
    ) => Effect.Effect<A, E, Client.Client | LiveClient.LiveClient | FileSystem.FileSystem | Path.Path>,
    { always = "", faults = [], interrupted, strike }: Attempt = {}
  ) {
    lives += 1
    const life: Disk.Life = { number: lives, strike, operations: 0 }
    const meeting = yield* service.meet(faults, always, interrupted)
    const before = yield* service.sent
    const stopped = Effect.as(Deferred.await(meeting.stopped), undefined)
    const program = programOf(Deferred.succeed(meeting.stopped, undefined))
    const exit = yield* Effect.exit(Effect.raceFirst(program, stopped)).pipe(
      Effect.provide(service.client, { local: true }),
      Effect.provide(service.live, { local: true }),
      Effect.provideService(FileSystem.FileSystem, Disk.of(fs, life)),
      Effect.provideService(Path.Path, path),
      Effect.provideService(Clock.Clock, DayClock.ofSync(real, moment))
    )
    const records = (yield* service.sent) - before
    return { exit, requests: meeting.requests, records, operations: life.operations }
  })
  return { folder, fs, inProcess, moment, path, service, setTime }
})
