/**
 * What a long run must not use more and more of: memory, handles, sockets, fibers.
 */
import { Effect, Metric } from "effect"
import { readdirSync, readlinkSync } from "node:fs"
import { getHeapSpaceStatistics } from "node:v8"
import * as Tool from "../Tool.ts"

/** Memory at a time, in milliseconds since the beginning. */
export interface Sample {
  readonly at: number
  /** Resident memory, in bytes. */
  readonly rss: number
  /** Objects, in bytes, without compiled code: what V8 makes of hot code grows for hours. Collected before, if possible. */
  readonly heap: number
}

/** Memory, after a collection in a process that was started with `--expose-gc`. */
export const memory = Effect.sync(() => {
  const rss = process.memoryUsage.rss()
  globalThis.gc?.()
  const spaces = getHeapSpaceStatistics().filter((space) => !/code|trusted/.test(space.space_name))
  return { rss, heap: spaces.reduce((sum, space) => sum + space.space_used_size, 0) }
})

/** What is open, by kind: handles of the event loop, sockets, fibers. */
export type Open = Readonly<Record<string, number>>

const openFiles = "/proc/self/fd"

const isSocket = (file: string) => {
  try {
    return readlinkSync(`${openFiles}/${file}`).startsWith("socket:")
  } catch {
    // Closed in the meantime, as the descriptor of the listing itself is.
    return false
  }
}

/** Sockets among the open files: Node.js does not list an idle connection, which would not keep the process alive. */
const sockets = Effect.sync(() => {
  try {
    return readdirSync(openFiles).filter(isSocket).length
  } catch {
    // No Linux.
    return 0
  }
})

/** Effect's count: every fiber that began below {@link counted} and has not ended. */
const fibers = Effect.map(Metric.snapshot, (metrics) => {
  const active = metrics.find(({ id }) => id === "child_fibers_active")
  return active?.type === "Gauge" ? Number(active.state.value) : 0
})

/** Looks at what is open after a moment: from a timer, which counts itself, as in any other look. */
export const open: Effect.Effect<Open> = Effect.gen(function* () {
  yield* Effect.sleep("100 millis")
  const counts: Record<string, number> = { sockets: yield* sockets, fibers: yield* fibers }
  for (const kind of process.getActiveResourcesInfo()) Tool.count(counts, kind)
  return counts
})

/** What more of is open than before, a phrase each: of all kinds, or of these. */
export const left = (before: Open, after: Open, kinds = Object.keys(after)): ReadonlyArray<string> =>
  kinds.flatMap((kind) => {
    const [was = 0, is = 0] = [before[kind], after[kind]]
    return is > was ? [`${kind}: ${is} instead of ${was}`] : []
  })

/** The slope of the line with the least squares, in units of the values per minute; zero for less than two points. */
export const slope = (points: ReadonlyArray<readonly [at: number, value: number]>): number => {
  const mean = (index: 0 | 1) => points.reduce((sum, point) => sum + point[index], 0) / points.length
  const [at, value] = [mean(0), mean(1)]
  const spread = points.reduce((sum, point) => sum + (point[0] - at) ** 2, 0)
  const common = points.reduce((sum, point) => sum + (point[0] - at) * (point[1] - value), 0)
  return spread === 0 ? 0 : (common / spread) * 60_000
}

/**
 * The most megabytes that memory may climb in a minute, by the line that fits the second half best. Over ninety seconds resident
 * memory wanders by some megabytes with nothing behind it; the objects do not.
 */
const climb = { rss: 8, heap: 0.5 }

/** A shorter second half says nothing of memory, in milliseconds. */
const enough = 45_000

/** How memory climbed in the second half of a run, and whether that is too much. */
export const climbs = (samples: ReadonlyArray<Sample>) => {
  const lasted = samples.at(-1)?.at ?? 0
  const half = samples.filter(({ at }) => at >= lasted / 2)
  return (["rss", "heap"] as const).map((kind) => {
    const perMinute = slope(half.map((sample) => [sample.at, sample[kind]])) / 1e6
    return {
      text: `${kind}: ${perMinute.toFixed(2)} MB more a minute in the second half, at most ${climb[kind]} where it is long`,
      isTooMuch: lasted / 2 >= enough && perMinute > climb[kind]
    }
  })
}

/** Counts the fibers of an effect, and whatever metrics its work keeps, apart from all others. */
export const counted = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  self.pipe(
    Effect.provideService(Metric.FiberRuntimeMetrics, Metric.FiberRuntimeMetricsImpl),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
