/**
 * A dataset that is synced day by day, or watched for a while, by processes that are killed, while its definition grows and the past of
 * the service changes. After a run that came to its end it has what a first download would give.
 */
import { LiveClient } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Cause, Clock, Duration, Effect, Exit, Fiber, Layer, Stream, Struct } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import { Socket } from "effect/socket"
import * as Auditor from "./Auditor.ts"
import * as Disk from "../../../files/test/storage/Disk.ts"
import * as Kept from "./Kept.ts"
import * as Process from "./Process.ts"

export interface Place {
  /** The place as a process has it, and how records are kept there. */
  readonly job: (process: Process.Process) => Pick<Dataset.Job, "to" | "layout" | "format" | "snapshots" | "versions">
  readonly isExact: boolean
  /** Gives it longer periods or files of more records, where it can have them; syncs go on with what it has then. */
  readonly compact?: Effect.Effect<Stream.Stream<unknown, Dataset.DatasetError, Process.Services>>
  /** Whether entities share files of a day. */
  readonly isByDay: boolean
  /** Everything that it holds, read apart from the library. */
  readonly read: Effect.Effect<ReadonlyArray<Kept.Fields>>
  /** What a run without news leaves as it is. */
  readonly state: Effect.Effect<string>
  /** After a process: some of what it has left behind may be noticed later. */
  readonly leave: (process: Process.Process) => Effect.Effect<void>
  /** Somebody else changes something between two runs, or nothing. */
  readonly disturb: Effect.Effect<boolean>
  /** Whether from now on nothing happens to it. */
  readonly leaveAlone: (isLeftAlone: boolean) => Effect.Effect<void>
}

const day = 86_400_000

/** How long after its time a record may change, and how long after it may come, in milliseconds. */
const settles = 2 * day
const fills = [2 * day, 12 * day] as const

const runs = 6

/** A service of which the past changes; more of it comes late in the second. */
const serviceOf = (nth: number, retired: Readonly<Record<string, number>>) =>
  Sandbox.layerMemory({
    live: { from: "2026-10-01" },
    history: { seed: 7 + nth, settles, fills: fills[nth % 2]!, renamed: "unknown", retired }
  })

/** Watches a dataset for half an hour, in which the live stream breaks now and then. */
const watching = Effect.gen(function* () {
  const { live, streamUrl } = yield* Sandbox.Sandbox
  const socket = Layer.succeed(Socket.WebSocketConstructor, yield* Socket.WebSocketConstructor)
  const client = Layer.provide(LiveClient.layer({ root: streamUrl }), socket)
  const breaks = Effect.forever(
    Effect.gen(function* () {
      yield* Effect.sleep("4 minutes")
      const way = yield* Simulation.below(3)
      if (way > 0) yield* live.end(way === 1 ? "drop" : "restart")
    })
  )
  return (job: Dataset.Job) =>
    Stream.runDrain(Dataset.watch({ ...job, every: "5 minutes" })).pipe(
      Effect.raceFirst(breaks),
      Effect.raceFirst(Effect.sleep("30 minutes")),
      Effect.provide(client, { local: true })
    )
})

/** Begins a sync of a process on another machine, which finds that somebody has the dataset, or is found so. */
const besides = Effect.fnUntraced(function* (
  disk: Disk.Disk,
  number: number,
  job: (other: Process.Process) => Dataset.Job
) {
  const other = yield* Process.make(disk, number + 40, { machine: `beside ${number}` })
  const fiber = yield* Effect.forkDetach(other.run(Stream.runDrain(Dataset.sync(job(other)))))
  // Long enough for the lock of one that stands still to expire.
  yield* disk.isBucket && (yield* Simulation.below(2)) === 1 ? Effect.sleep("2 minutes") : Process.someTime
  return { other, fiber }
})

/** Up to where a process reads that begins now: where entities share files of a day, its clock says which day is the last. */
const endOf = ({ isByDay }: Place, { ahead }: Process.Process, now: number) =>
  isByDay ? (Math.floor((now + Math.min(0, ahead.least)) / day) + 1) * day : Number.POSITIVE_INFINITY

/** What a process fails with has a type. */
const expectTyped = (exit: Exit.Exit<void, unknown>) =>
  Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Effect.die(Cause.squash(exit.cause)) : Effect.void

/** Runs processes on some days, one after another or with one beside it, and holds what is there after each against the service. */
const days = (
  series: Kept.Series,
  disk: Disk.Disk,
  makePlace: Effect.Effect<Place>,
  more: Effect.Effect<object>,
  moments: Set<number>,
  ended: (end: Process.End<unknown>) => Effect.Effect<void>
) =>
  Effect.gen(function* () {
    const place = yield* makePlace
    const watched = yield* watching
    const lookBack = settles + day
    const onRemoved = (["remove", "keep"] as const)[yield* Simulation.below(2)]!
    const concurrency = [1, 2, 10][yield* Simulation.below(3)]!
    const common = { endpoint: series.endpoint, lookBack, onRemoved, concurrency }
    const growth = new Map<string, number>()
    for (const name of Object.keys(series.fewer)) growth.set(name, yield* Simulation.below(runs))
    const paramsOf = (number: number) => ({
      ...series.params,
      ...Object.fromEntries(Object.entries(series.fewer).filter(([name]) => number <= (growth.get(name) ?? 0)))
    })
    let params: Kept.Params = {}
    const meanwhile = Effect.suspend(() => Kept.saidAt(series, params, new Set(moments)))
    const kept = Kept.follow({ series, lookBack, onRemoved, isExact: place.isExact, meanwhile })
    // Without what somebody removes after a run: of a file that is missing only its own times are read again.
    let held: ReadonlyArray<Kept.Fields> = []
    /** What a run finds. */
    let there = held
    /** Whether a compaction was killed: until the next run comes to its end, two files may have the same records. */
    let isHalf = false
    const read = Effect.map(place.read, (rows) =>
      isHalf ? [...new Map(rows.map((row) => [Kept.textOf(row, place.isExact), row])).values()] : rows
    )
    for (let number = 1; number <= runs; number++) {
      const isLast = number === runs
      moments.clear()
      params = paramsOf(number)
      const hasGrown = (name: string) => number > 1 && growth.get(name) === number - 1
      const formerStart = hasGrown("start_time") ? Date.parse(paramsOf(number - 1)["start_time"]!) : 0
      const recheck = (yield* Simulation.below(6)) === 1 ? Duration.infinity : undefined
      const readBefore = hasGrown("metrics") ? Number.POSITIVE_INFINITY : formerStart
      const process = yield* Process.make(disk, number)
      const job: Dataset.Job = { ...common, recheck, params: { ...params, ...(yield* more) }, ...place.job(process) }
      yield* kept.begin(yield* Kept.truthOf(series, params), held, readBefore)
      // A server has noticed by then who was killed.
      if (isLast) yield* Effect.sleep("2 minutes")
      yield* place.leaveAlone(isLast)
      const isWatched = !isLast && (yield* Simulation.below(8)) === 1
      const begun = yield* Clock.currentTimeMillis
      const work = isWatched ? watched(job) : Stream.runDrain(Dataset.sync(job))
      const isBeside = !isLast && (yield* Simulation.below(4)) === 1
      const beside = yield* isBeside
        ? besides(disk, number, (other) => ({ ...job, ...place.job(other) }))
        : Effect.undefined
      const end = yield* Process.live(disk, process, work, isLast)
      yield* place.leave(process)
      if (beside !== undefined) {
        yield* expectTyped(yield* Fiber.await(beside.fiber))
        yield* place.leave(beside.other)
      }
      const isDark = end._tag === "Killed" && end.isDark
      yield* ended(end)
      if (end._tag === "Ended" && Exit.isSuccess(end.exit)) isHalf = false
      held = yield* read
      const now = yield* Kept.truthOf(series, params)
      const sent = isWatched ? yield* Kept.sentOf(series, params, begun) : []
      // What a loss of power has undone of names, the next run makes up for.
      yield* kept.half(held, [...now, ...sent], isDark ? [] : there)
      if (end._tag === "Ended" && Exit.isSuccess(end.exit) && !isWatched && beside === undefined) {
        yield* kept.whole(held, now, params, endOf(place, process, begun))
        yield* place.leaveAlone(true)
        const proof = yield* Process.make(disk, number + 10)
        yield* proof.run(Stream.runDrain(Dataset.verify(place.job(proof).to)))
      } else if (end._tag === "Ended" && isLast) return yield* end.exit
      if (!isLast && place.compact !== undefined && (yield* Simulation.below(4)) === 1) {
        const compacting = yield* Process.make(disk, number + 60)
        const compaction = Stream.runDrain(yield* place.compact)
        const isBeside = (yield* Simulation.below(4)) === 1
        const other = isBeside
          ? yield* besides(disk, number + 60, (other) => ({ ...job, ...place.job(other) }))
          : undefined
        const end = yield* Process.live(disk, compacting, compaction, false)
        if (other !== undefined) yield* expectTyped(yield* Fiber.await(other.fiber))
        const isDark = end._tag === "Killed" && end.isDark
        yield* ended(end)
        isHalf = end._tag === "Killed" || Exit.isFailure(end.exit)
        const compacted = yield* read
        yield* kept.half(compacted, yield* Kept.truthOf(series, params), isDark ? [] : held)
        held = compacted
      }
      yield* Effect.sleep([0, 3_600_000, day, 3 * day][yield* Simulation.below(4)] ?? 0)
      there = !isLast && (yield* place.disturb) ? yield* read : held
    }
    // Twice at once again: for the second there is no news, unless the service has said something meanwhile.
    let [state, said] = ["", ""]
    let least = Number.NEGATIVE_INFINITY
    const isCalm = (yield* Simulation.below(2)) === 0
    const http = yield* HttpClient.HttpClient
    // With the records of a metric that is retired, which a run may still ask for, as long as the service has it.
    const whole = Struct.omit(series, ["only"])
    const allSaid = (params: Kept.Params) =>
      Kept.truthOf(whole, params).pipe(
        Effect.catchTag("InvalidRequest", () => Kept.truthOf(whole, series.params)),
        Effect.map((rows) => JSON.stringify(rows))
      )
    for (const number of [runs + 20, runs + 21]) {
      const asked: Array<HttpClientRequest.HttpClientRequest> = []
      const listening = HttpClient.tapRequest(http, (request) => Effect.sync(() => asked.push(request)))
      const again = yield* Effect.provideService(
        Process.make(disk, number, { isCalm }),
        HttpClient.HttpClient,
        listening
      )
      const job = { ...common, params: { ...series.params, ...(yield* more) }, ...place.job(again) }
      const before = said
      const truth = yield* Kept.truthOf(series, series.params)
      said = yield* allSaid(job.params)
      held = yield* place.read
      yield* again.run(Stream.runDrain(Dataset.sync(job)))
      // A clock that is ahead of the one before may say that there is a day more, or time to ask for what is missing.
      const isSame = again.ahead.most <= least && before === said && said === (yield* allSaid(job.params))
      const now = yield* place.state
      yield* Auditor.released({ "a run without news": isSame && state !== now ? 1 : 0 })
      if (isSame && isCalm) yield* kept.noMore(held, truth, asked)
      state = now
      least = again.ahead.least
    }
    yield* disk.expectOneHolder
  })

/** One of the series with one of the histories, in a place on a disk. */
export const make = (place: (disk: Disk.Disk) => Effect.Effect<Place>) =>
  Effect.gen(function* () {
    const disk = Disk.make(Simulation.below, (yield* Simulation.below(2)) === 1)
    const series = Kept.all[yield* Simulation.below(Kept.all.length)]!
    const nth = yield* Simulation.below(8)
    const retiring = (yield* Simulation.below(2)) === 1 ? Kept.retiring(series) : undefined
    const at = Date.UTC(2026, 9, 2 + (yield* Simulation.below(3)))
    const isByService = (yield* Simulation.below(2)) === 1
    const service = serviceOf(nth, retiring !== undefined && isByService ? { [retiring.metric]: at } : {})
    let runsAfter = 0
    // What processes that were killed have read of it, and a loss of power has undone, takes effect until a run or a compaction comes to its end.
    let [isSettled, wasSettled, isDisturbed] = [false, false, false]
    const ended = (end: Process.End<unknown>) =>
      Effect.sync(() => {
        if (end._tag === "Killed") isSettled &&= !end.isDark
        else if (Exit.isSuccess(end.exit)) isSettled = runsAfter > 0
      })
    const more = Effect.map(Clock.currentTimeMillis, (now) => {
      if (now >= at) runsAfter++
      return now < at || (isByService && retiring?.isHeld() === true) ? (retiring?.all ?? {}) : {}
    })
    const made = Effect.map(place(disk), (made) => ({
      ...made,
      disturb: Effect.map(made.disturb, (is) => (isDisturbed = is)),
      read: Effect.flatMap(made.read, (rows) => {
        const isWhole = isSettled && wasSettled && !isDisturbed
        wasSettled = isSettled
        isDisturbed = false
        return retiring?.see(rows, isWhole) ?? Effect.succeed(rows)
      })
    }))
    /** When the service is asked during a run. */
    const moments = new Set<number>()
    const all = days(retiring?.bare ?? series, disk, made, more, moments, ended)
    const noted = Effect.updateService(all, HttpClient.HttpClient, (http) => Kept.noting(http, moments))
    yield* Effect.provide(noted, service, { local: true })
  })
