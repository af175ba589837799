/**
 * What `/health` and `/metrics` of a worker have: how far the backfills of its cluster are, and whether its PostgreSQL answers.
 */
import * as Backfill from "@sluice/cluster/Backfill"
import { BackfillStore, type BackfillStoreFailed } from "@sluice/cluster/BackfillStore"
import * as Clock from "effect/Clock"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as Pace from "../../terminal/Pace.ts"
import type { Health } from "./Monitor.ts"

/** Each has the attribute `backfill`, and is the same on all workers of a cluster. */
const ofBackfills = {
  running: Metric.gauge("sluice_backfill_running", {
    description: "1 while it runs, 0 while it is paused or has ended"
  }),
  parts: Metric.gauge("sluice_backfill_parts", { description: "Parts that it has" }),
  done: Metric.gauge("sluice_backfill_parts_done", { description: "Parts that are done" }),
  failed: Metric.gauge("sluice_backfill_parts_failed", { description: "Parts that failed" }),
  records: Metric.gauge("sluice_backfill_records", { description: "Records of the parts that are done" }),
  rate: Metric.gauge("sluice_backfill_parts_per_second", { description: "Parts done in a second, over five minutes" }),
  left: Metric.gauge("sluice_backfill_left_seconds", {
    description: "Time to its end at this rate; NaN where it stands still"
  }),
  workers: Metric.gauge("sluice_backfill_workers", { description: "Workers that can do their share" })
}

const answered = Metric.gauge("sluice_cluster_answered_seconds", {
  description: "Unix time at which the PostgreSQL of the cluster answered"
})

/** How long the PostgreSQL of a cluster may be away until a worker is not well, in milliseconds. */
const longest = Duration.toMillis("10 minutes")

const measure = (status: Backfill.Status, pace: Pace.Pace | undefined) => {
  const of = (metric: Metric.Metric<number, unknown>, value: number | null) =>
    value === null ? Effect.void : Metric.update(Metric.withAttributes(metric, { backfill: status.id }), value)
  return Effect.all(
    [
      of(ofBackfills.running, status.state === "running" ? 1 : 0),
      of(ofBackfills.parts, status.parts),
      of(ofBackfills.done, status.done),
      of(ofBackfills.failed, status.failed),
      of(ofBackfills.records, status.records),
      of(ofBackfills.rate, pace?.partsPerSecond ?? 0),
      of(ofBackfills.left, pace?.left == null ? Number.NaN : pace.left / 1_000),
      of(ofBackfills.workers, status.workers.able)
    ],
    { discard: true }
  )
}

/** Nothing of one that was forgotten. */
const statusOf = (id: string) => Effect.catchTag(Backfill.status(id), "UnknownBackfill", () => Effect.undefined)

export const make = Effect.fnUntraced(function* (worker: string) {
  const started = yield* Clock.currentTimeMillis
  let heard = started
  let failure: string | undefined
  let open: ReadonlyArray<object> = []
  const paces = new Map<string, (status: Backfill.Status, now: number) => Pace.Pace | undefined>()
  const look = Effect.gen(function* () {
    const running = yield* (yield* BackfillStore).open
    // Once more those that have ended since the last look.
    const ids = new Set([...running, ...paces.keys()])
    const found = yield* Effect.forEach(ids, (id) => Effect.map(statusOf(id), (status) => ({ id, status })))
    const now = yield* Clock.currentTimeMillis
    const shown: Array<object> = []
    for (const { id, status } of found) {
      if (status === undefined) {
        yield* Metric.update(Metric.withAttributes(ofBackfills.running, { backfill: id }), 0)
        continue
      }
      const { done, failed, parts, reason, records, state } = status
      const see = paces.get(id) ?? Pace.make()
      paces.set(id, see)
      const pace = see(status, now)
      yield* measure(status, pace)
      if (status.ended === null) shown.push({ id, state, reason, parts, done, failed, records, ...pace })
    }
    for (const id of ids) if (!running.includes(id)) paces.delete(id)
    open = shown
    heard = now
    failure = undefined
    yield* Metric.update(answered, now / 1_000)
  })
  const follow: Effect.Effect<never, never, BackfillStore> = Effect.forever(
    Effect.andThen(
      Effect.catch(look, ({ message }: BackfillStoreFailed) => Effect.sync(() => void (failure = message))),
      Effect.sleep("15 seconds")
    )
  )
  const health: Effect.Effect<Health> = Effect.map(Clock.currentTimeMillis, (now) => ({
    isWell: now - heard <= longest,
    state: {
      worker,
      answered: DateTime.formatIso(DateTime.makeUnsafe(heard)),
      failure: failure ?? null,
      backfills: open
    }
  }))
  return { follow, health }
})
