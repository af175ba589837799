/**
 * What a long run must not use more and more of: memory, handles, fibers.
 */
import { Effect, Metric } from "effect"
import * as Tool from "../Tool.ts"
import { readdirSync, readlinkSync } from "node:fs"
import { getHeapSpaceStatistics } from "node:v8"

/** The process at one moment. */
export interface Vitals {
  /** Resident memory, in bytes. */
  readonly rss: number
  /** Objects, in bytes, without compiled code: what V8 makes of hot code grows for hours. Collected before, if possible. */
  readonly heap: number
  /** What keeps the event loop alive, by kind. */
  readonly handles: Readonly<Record<string, number>>
  /** Sockets among the open files, idle ones included; undefined where the system does not list them. */
  readonly sockets: number | undefined
  /** Fibers that are running or waiting, as Effect's own runtime metric counts them. */
  readonly fibers: number
}

/** Collects garbage, in a process that was started with `--expose-gc`. */
const collect = Effect.sync(() => globalThis.gc?.())

const objects = Effect.sync(() =>
  getHeapSpaceStatistics()
    .filter((space) => !/code|trusted/.test(space.space_name))
    .reduce((sum, space) => sum + space.space_used_size, 0)
)

const handles = Effect.sync(() => {
  const counts: Record<string, number> = {}
  for (const kind of process.getActiveResourcesInfo()) Tool.count(counts, kind)
  return counts
})

// Node.js leaves out of its list what would not keep the process alive: an idle connection, say.
const openFiles = "/proc/self/fd"

const isSocket = (file: string) => {
  try {
    return readlinkSync(`${openFiles}/${file}`).startsWith("socket:")
  } catch {
    // Closed in the meantime, as the descriptor of the listing itself is.
    return false
  }
}

const sockets = Effect.sync(() => {
  try {
    return readdirSync(openFiles).filter(isSocket).length
  } catch {
    // No Linux.
    return undefined
  }
})

/** Effect's count: every fiber that began below {@link counted} and has not ended. */
const fibers = Effect.map(Metric.snapshot, (metrics) => {
  const active = metrics.find(({ id }) => id === "child_fibers_active")
  return active?.type === "Gauge" ? Number(active.state.value) : 0
})

/** Memory alone; cheap enough for every second. */
export const rss = Effect.sync(() => process.memoryUsage.rss())

/** Looks at everything, after a collection. */
export const look = Effect.gen(function* () {
  const before = yield* rss
  yield* collect
  return {
    rss: before,
    heap: yield* objects,
    handles: yield* handles,
    sockets: yield* sockets,
    fibers: yield* fibers
  } satisfies Vitals
})

/** Counts the fibers of an effect, and whatever metrics its work keeps, apart from all others. */
export const counted = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  self.pipe(
    Effect.provideService(Metric.FiberRuntimeMetrics, Metric.FiberRuntimeMetricsImpl),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
