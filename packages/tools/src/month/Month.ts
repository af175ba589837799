/**
 * Runs a month: a sync on each of its days, and after each a comparison with what a first download of that moment would give.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import type { Client, LiveClient, LiveError } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Cause, Effect, Exit, type FileSystem, Layer, type Path, type Scope, Stream } from "effect"
import type * as Folder from "./Folder.ts"
import * as Judge from "./Judge.ts"
import * as Memory from "./Memory.ts"
import * as Place from "./Place.ts"
import type * as Scenario from "./Scenario.ts"
import type * as Service from "./Service.ts"
import * as Targets from "./Targets.ts"
import * as World from "./World.ts"

/** What came of a month. */
export interface Outcome {
  readonly scenario: Scenario.Scenario
  /** The day of the first finding, from 0 on; undefined where there is none. */
  readonly failedAt: number | undefined
  /** What is wrong. */
  readonly findings: ReadonlyArray<string>
  readonly total: typeof nothing
}

/** What a month came to. */
export const nothing = {
  syncs: 0,
  /** Runs that were killed, interrupted, or failed. */
  disturbed: 0,
  requests: 0,
  /** Records that were received by the last run of each day, and what they may have been. */
  records: 0,
  allowed: 0,
  /** Days on which the dataset was watched, and on which its definition grew. */
  watched: 0,
  grown: 0,
  /** Records of the dataset in the end. */
  rows: 0
}

const first = Date.UTC(2026, 9, 1)
const dayLength = 86_400_000
const calm: World.Attempt = {}

type Services = FileSystem.FileSystem | Path.Path

interface Running {
  readonly scenario: Scenario.Scenario
  readonly target: Targets.Target
  readonly world: Effect.Success<ReturnType<typeof World.make>>
  readonly place: Place.Place
}

const jobOf = (
  { scenario, target }: Running,
  params: Targets.Target["params"],
  to: Dataset.Job["to"]
): Dataset.Job => ({
  endpoint: target.endpoint,
  params,
  to,
  ...(scenario.store === "folder" ? { layout: scenario.layout, format: scenario.format } : {}),
  lookBack: Judge.lookBackOf(scenario),
  onRemoved: scenario.onRemoved,
  concurrency: scenario.concurrency
})

/** What a run did. */
interface Ran {
  readonly exit: Exit.Exit<unknown, Dataset.DatasetError | LiveError.LiveError>
  readonly requests: ReadonlyArray<string>
  readonly records: number
}

const inProcess = <A, E>(
  { place, world }: Running,
  attempt: World.Attempt,
  programOf: (to: string | Dataset.Store) => Effect.Effect<A, E, Client.Client | LiveClient.LiveClient | Services>
) => world.inProcess((stop) => programOf(place.of(attempt.strike, stop)), attempt)

const sync = (running: Running, params: Targets.Target["params"], attempt: World.Attempt): Effect.Effect<Ran> =>
  inProcess(running, attempt, (to) => Stream.runDrain(Dataset.sync(jobOf(running, params, to))))

/** How long a dataset is watched, and how much faster than usual that goes. */
const watchedFor = { minutes: 30, speed: 1_200 }

/** Watches for a while, in which time passes for the service too. */
const watch = Effect.fnUntraced(function* (running: Running, params: Targets.Target["params"]) {
  const { moment, setTime } = running.world
  const begin = moment.now
  setTime(begin, watchedFor.speed)
  const ran = yield* inProcess(running, calm, (to) =>
    Stream.runDrain(Dataset.watch({ ...jobOf(running, params, to), every: "5 minutes" })).pipe(
      Effect.raceFirst(Effect.sleep(`${watchedFor.minutes} minutes`))
    )
  )
  setTime(begin + 59 * 60_000)
  return ran
})

const some = (what: string, all: ReadonlyArray<string>): ReadonlyArray<string> =>
  all.length === 0
    ? []
    : [`${what}: ${all.slice(0, 3).join("; ")}${all.length > 3 ? `, and ${all.length - 3} more` : ""}`]

type Fresh = Judge.Keyed<Service.Row>

/** After a run that was disturbed: whole files, no record twice, and each as it was before or as it is now. */
const judgeHalf = (
  { scenario, target }: Running,
  contents: Folder.Contents,
  before: Judge.Keyed<Folder.Cells>,
  fresh: Fresh
) => {
  const { byKey, twice } = Judge.keyed(target, contents.records)
  const strange = [...byKey].flatMap(([key, cells]) => {
    const row = fresh.get(key)
    const now = row === undefined ? "it does not exist" : Judge.difference(scenario, cells, row)
    const old = before.get(key)
    return now === undefined || (old !== undefined && isSame(old, cells)) ? [] : [`${key}: ${now}`]
  })
  return [
    ...some("wrong files", contents.wrong),
    ...some("records that are there twice", twice),
    ...some("records of no moment", strange)
  ]
}

/** Whether two records have the same values; a column that was added has none yet. */
const isSame = (one: Folder.Cells, other: Folder.Cells): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every(
    (name) => JSON.stringify(one[name] ?? null) === JSON.stringify(other[name] ?? null)
  )

/** After a run that succeeded: what a first download would give. */
const judgeWhole = (
  { scenario, target, world: { moment } }: Running,
  contents: Folder.Contents,
  fresh: Fresh,
  memory: Memory.Memory
): ReadonlyArray<string> => {
  const { byKey, twice } = Judge.keyed(target, contents.records)
  const listed = new Set([...fresh.values()].map((row) => String(row[target.entity])))
  const missing: Array<string> = []
  const different: Array<string> = []
  for (const [key, row] of fresh) {
    const cells = byKey.get(key)
    if (cells === undefined) {
      if (!Memory.mayLack(memory, key, moment.now)) missing.push(key)
      continue
    }
    const found = Judge.difference(scenario, cells, row)
    if (found !== undefined) different.push(`${key}: ${found}`)
  }
  const extra = [...byKey].flatMap(([key, cells]) =>
    fresh.has(key) || (scenario.onRemoved === "keep" && !listed.has(String(cells[target.entity]))) ? [] : [key]
  )
  return [
    ...some("wrong files", contents.wrong),
    ...some("records that are there twice", twice),
    ...some("records that are missing", missing),
    ...some("records that are different", different),
    ...some("records that the service does not have", extra)
  ]
}

/** Records that were received of catalogs, where a wildcard is looked up. */
const catalogued = Effect.fnUntraced(function* ({ read }: Service.Service, requests: ReadonlyArray<string>) {
  let count = 0
  for (const request of requests.filter((path) => path.startsWith("/catalog"))) {
    const [path = "", search] = request.split("?")
    const query = Object.fromEntries([...new URLSearchParams(search)].filter(([name]) => name !== "page_size"))
    count += (yield* Effect.orDie(read(path, query))).length
  }
  return count
})

/** The part that a request reads, in whichever way. */
const partOf = (query: URLSearchParams) =>
  [...query].filter(([name]) => !["page_size", "paging_from", "format"].includes(name)).join("&")

/**
 * Records of the last pages that were asked for before a json_stream of the same part: a part whose size nobody knows
 * costs such a page, which is the whole of a small part and shows the end of a large one.
 */
const lastPages = (requests: ReadonlyArray<string>) => {
  const queries = requests.map((request) => new URLSearchParams(request.split("?")[1]))
  const streams = new Set(queries.filter((query) => query.get("format") === "json_stream").map(partOf))
  return queries
    .filter((query) => query.get("paging_from") === "end" && streams.has(partOf(query)))
    .reduce((sum, query) => sum + Number(query.get("page_size") ?? 0), 0)
}

/** What a run may have asked for: what is new, what the look-back has, and what is asked for about holes and ends. */
const allowedTo = (
  { scenario, target }: Running,
  requests: ReadonlyArray<string>,
  bound: Judge.Bound,
  fresh: Fresh
) => {
  const holes = Judge.holes(target, requests, scenario.layout, bound, fresh)
  return {
    requests: bound.requests + holes.requests,
    records: bound.records + holes.records + lastPages(requests),
    holes: scenario.layout.byEntity ? holes.requests : 0
  }
}

/** Whether a run asked for no more than it may. */
const judgeCost = ({ records, requests }: Ran, allowed: ReturnType<typeof allowedTo>): ReadonlyArray<string> => {
  const list = requests.map((request) => request.slice(0, 3000)).join(" ")
  return [
    ...(records > allowed.records
      ? [`${records} records were received, where ${allowed.records} would do: ${list}`]
      : []),
    ...(requests.length > allowed.requests
      ? [`${requests.length} requests were sent, where ${allowed.requests} would do: ${list}`]
      : []),
    ...(allowed.holes > mostHoles ? [`${allowed.holes} requests for holes were sent: ${list}`] : [])
  ]
}

/** Requests for holes of a sync at most, where each entity has files of its own. */
const mostHoles = 8

const told = (exit: Exit.Exit<unknown, Dataset.DatasetError | LiveError.LiveError>): string =>
  Exit.isSuccess(exit) ? "" : Cause.pretty(exit.cause)

/** Runs a month until something is wrong. */
export const run = Effect.fnUntraced(
  function* (
    scenario: Scenario.Scenario
  ): Effect.fn.Return<Outcome, never, FileSystem.FileSystem | Path.Path | Scope.Scope> {
    const target = Targets.all.find(({ name }) => name === scenario.target)!
    const world = yield* World.make(scenario.history, first, scenario.dialect)
    const { folder, moment, path, service } = world
    const place = yield* Place.make(scenario, path.join(folder, "dataset"))
    const running: Running = { scenario, target, world, place }
    const memory = Memory.empty()
    let before: Folder.Contents = { records: [], files: new Map(), wrong: [] }
    const total = { ...nothing }
    let defined = Targets.paramsOn(target, scenario.growth, 0)
    let wasEverHeld = false
    let earlier: ReadonlyArray<Service.Row> = []

    const oneDay = Effect.fnUntraced(function* (day: Scenario.Day, n: number) {
      world.setTime(first + n * dayLength + day.hour * 3_600_000)
      const params = Targets.paramsOn(target, scenario.growth, n)
      const grown = Object.keys(params).filter((name) => params[name] !== defined[name])
      // Other columns and an earlier start are read of all entities.
      const isWhole = grown.some((name) => name !== target.list)
      if (wasEverHeld && grown.length > 0) total.grown += 1
      if (wasEverHeld && scenario.watched.includes(n)) {
        total.watched += 1
        const watched = yield* watch(running, params)
        if (Exit.isFailure(watched.exit) && Cause.hasDies(watched.exit.cause)) {
          return [`it died while it was watched: ${told(watched.exit)}`]
        }
        before = yield* place.read
        // What came over the live stream is not what HTTP has, which the next sync puts right.
        const findings = [
          ...some("wrong files", before.wrong),
          ...some("records that are there twice", Judge.keyed(target, before.records).twice)
        ]
        if (findings.length > 0) return findings.map((text) => `after it was watched: ${text}`)
      }
      const rows = yield* Effect.orDie(service.read(target.endpoint.path, params))
      const fresh = Judge.keyed(target, rows).byKey
      for (const attempt of day.attempts) {
        const ran = yield* sync(running, params, attempt)
        total.syncs += 1
        total.disturbed += 1
        if (Exit.isFailure(ran.exit) && Cause.hasDies(ran.exit.cause)) return [`a run died: ${told(ran.exit)}`]
        const half = yield* place.read
        const known = Judge.keyed(target, before.records).byKey
        const findings = judgeHalf(running, half, known, fresh)
        if (findings.length > 0) return findings.map((text) => `after ${JSON.stringify(attempt)}: ${text}`)
        before = half
      }
      const starts = Judge.starts(scenario, target, before.records, earlier)
      const from = isWhole ? new Map<string, number>() : starts
      // Of an earlier start only what is before the former one is read, and all of that.
      const added = grown.includes("start_time") ? Date.parse(`${defined["start_time"]}Z`) : Number.NEGATIVE_INFINITY
      for (const [key, row] of fresh) if (Date.parse(String(row["time"])) < added) memory.known.add(key)
      const held = Judge.keyed(target, before.records).byKey
      if (wasEverHeld)
        Memory.add(
          memory,
          target,
          fresh,
          grown.includes("metrics") ? from : starts,
          Judge.firsts(target, before.records),
          moment.now
        )
      else for (const key of fresh.keys()) memory.known.add(key)
      const ran = yield* sync(running, params, calm)
      total.syncs += 1
      total.requests += ran.requests.length
      if (Exit.isFailure(ran.exit)) return [`an undisturbed run failed: ${told(ran.exit)}`]
      const after = yield* place.read
      const proof = yield* inProcess(running, calm, (to) => Stream.runDrain(Dataset.verify(to)))
      const findings = [
        ...judgeWhole(running, after, fresh, memory),
        ...(Exit.isFailure(proof.exit) ? [`it is not what was written: ${told(proof.exit)}`] : [])
      ]
      if (findings.length > 0) return findings
      const bound = Judge.bound(scenario, target, from, held, fresh)
      const series = ran.records - (yield* catalogued(service, ran.requests))
      const allowed = allowedTo(running, ran.requests, bound, fresh)
      total.allowed += allowed.records
      total.records += series
      wasEverHeld = true
      before = after
      earlier = rows
      defined = params
      const costly = judgeCost({ ...ran, records: series }, allowed)
      if (costly.length > 0 || !day.isRepeated) return costly
      const again = yield* sync(running, params, calm)
      total.syncs += 1
      if (Exit.isFailure(again.exit)) return [`a run without news failed: ${told(again.exit)}`]
      const unchanged = yield* place.read
      const written = [...unchanged.files].filter(([name, state]) => after.files.get(name) !== state)
      return [
        ...some(
          "files that a run without news wrote",
          written.map(([name]) => name)
        ),
        ...judgeWhole(running, unchanged, fresh, memory)
      ]
    })

    let findings: ReadonlyArray<string> = []
    let failedAt: number | undefined
    for (const [n, day] of scenario.days.entries()) {
      if (day.isMissed) continue
      findings = yield* oneDay(day, n)
      if (findings.length === 0) continue
      failedAt = n
      break
    }
    return { scenario, failedAt, findings, total: { ...total, rows: before.records.length } }
  },
  Effect.scoped,
  Effect.provide(Layer.fresh(NodeServices.layer))
)
