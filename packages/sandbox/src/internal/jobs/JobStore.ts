/**
 * The jobs of a stand-in and their lives: running, completed for as long as their results are kept, then expired. In memory.
 */
import { TODAY, nanos } from "../../internal/time/Calendar.ts"
import { hex, mix } from "../../internal/random/Noise.ts"
import * as File from "./File.ts"

export interface Asking {
  /** The key; undefined at the community root. */
  readonly owner: string | undefined
  readonly now: number
  /** Where files are served, without the id of the job. */
  readonly files: string
}

export type JobStore = ReturnType<typeof make>

interface Job {
  readonly id: string
  readonly owner: string | undefined
  readonly task: File.Task
  readonly created: number
}

const hour = 3_600_000

/** Jobs that always exist, for everybody. */
const known = (["completed", "running", "failed", "expired"] as const).map((status): Job => ({
  id: `sandbox-${status}`,
  owner: undefined,
  created: TODAY - hour,
  task: { length: 0, rows: () => [], wishes: new Set(status === "completed" ? [] : [status]) }
}))

// The signature says that the address came from the service; nobody could guess it.
const signature = (id: string, index: number) => hex(mix(id.length * 31 + index, id.charCodeAt(0)), index, 24)

/** Keeps jobs, which run and are then kept for so many milliseconds. */
export const make = ({ kept, running }: { readonly running: number; readonly kept: number }) => {
  const jobs = new Map<string, Job>(known.map((job) => [job.id, job]))
  const isKnown = (job: Job) => known.includes(job)

  const statusOf = (job: Job, now: number): string => {
    const { wishes } = job.task
    if (wishes.has("queued")) return "queued"
    if (wishes.has("running")) return "running"
    const done = job.created + running
    if (!isKnown(job) && now < done) return "running"
    if (wishes.has("failed")) return "failed"
    return wishes.has("expired") || (!isKnown(job) && now >= done + kept) ? "expired" : "completed"
  }

  const record = (job: Job, { files, now }: Asking) => {
    const { created, id, task } = job
    const status = statusOf(job, now)
    const isOver = status === "completed" || status === "expired"
    const done = created + running
    const results = Array.from({ length: File.count(task) }, (_, index) => ({
      url: `${files}/${id}-${index}.gz?X-Signature=${signature(id, index)}`
    }))
    return {
      id,
      status,
      creation_time: nanos(created),
      completion_time: isOver || status === "failed" ? nanos(done) : undefined,
      expiration_time: isOver ? nanos(done + kept) : undefined,
      error: status === "failed" ? { type: "internal_error", message: "The job could not be completed." } : undefined,
      results: status === "completed" ? results : undefined
    }
  }

  return {
    start: (task: File.Task, owner: string | undefined, now: number): string => {
      const id = `${hex(now % 65_536, jobs.size, 8)}-${jobs.size.toString(16).padStart(4, "0")}`
      jobs.set(id, { id, owner, task, created: now })
      return id
    },
    /** The records of jobs as `/jobs` shows them. Those of others are left out, as those that never were. */
    records: (ids: ReadonlyArray<string>, asking: Asking) =>
      ids
        .toSorted()
        .flatMap((id) => jobs.get(id) ?? [])
        .filter((job) => isKnown(job) || job.owner === asking.owner)
        .map((job) => record(job, asking)),
    /** A file, by a path and query that `records` has shown; undefined when it is not given out. */
    file: (target: string, now: number) => {
      const [, id = "", number = "", signed] =
        /\/results\/([^/?]+)-(\d+)\.gz\?X-Signature=([0-9a-f]+)$/.exec(target) ?? []
      const job = jobs.get(id)
      const index = Number(number)
      if (job === undefined || signed !== signature(id, index) || statusOf(job, now) !== "completed") return undefined
      return index < File.count(job.task) ? { task: job.task, index } : undefined
    }
  }
}
