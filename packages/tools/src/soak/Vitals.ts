/** What a long run must not use more and more of: memory, handles, sockets, fibers. */
import { Effect, Metric } from "effect"
import { readdirSync, readlinkSync } from "node:fs"
import { getHeapSpaceStatistics } from "node:v8"
import * as Tool from "../Tool.ts"

/** Memory at a time, in milliseconds since the beginning. */
export interface Sample {
  readonly at: number
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

/** Looks at what is open, after a moment: a timer counts itself, so each look is made from one. */
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

/** The most megabytes that memory may grow in a minute; the resident one wanders by some with nothing behind it. */
const most = { rss: 8, heap: 0.5 }

/** In a shorter run memory says nothing, in milliseconds. */
const enough = 90_000

/**
 * How memory grew from the third quarter of a run to the fourth, and whether that is too much. The lowest figures of both are
 * compared, since what a reader remembers grows for 45 seconds and is dropped at once.
 */
export const growth = (samples: ReadonlyArray<Sample>) => {
  const lasted = samples.at(-1)?.at ?? 0
  if (lasted < enough) return []
  const lowest = (kind: "rss" | "heap", from: number, to: number) =>
    Math.min(...samples.flatMap((one) => (one.at >= lasted * from && one.at <= lasted * to ? [one[kind]] : [])))
  return (["rss", "heap"] as const).map((kind) => {
    const more = lowest(kind, 0.75, 1) - lowest(kind, 0.5, 0.75)
    const perMinute = (more / 1e6 / (lasted / 4)) * 60_000
    const text = `${kind}: ${perMinute.toFixed(2)} MB more a minute, of ${most[kind]} at most`
    return { text, isTooMuch: perMinute > most[kind] }
  })
}

/** Counts the fibers of an effect, and whatever metrics its work keeps, apart from all others. */
export const counted = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  self.pipe(
    Effect.provideService(Metric.FiberRuntimeMetrics, Metric.FiberRuntimeMetricsImpl),
    Effect.provideService(Metric.MetricRegistry, new Map())
  )
