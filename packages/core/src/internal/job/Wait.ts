/** Waits until a job is done, and holds no permit meanwhile. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Schedule from "effect/Schedule"
import type { Timestamp } from "../../Timestamp.ts"
import { JobExpired, JobFailed, type JobError, JobUnfinished, JobUnknown } from "../../JobError.ts"
import { harmless } from "../../PlainText.ts"
import * as Wait from "../observe/Wait.ts"
import * as Monotonic from "../retry/Monotonic.ts"

/** What the service says of a job, as far as waiting for it needs. */
export interface State {
  /** Id of the job. */
  readonly id: string
  /** `running`, `completed`, `failed`, `expired`, or one that the service adds. */
  readonly status?: string | null | undefined
  /** When its results end. */
  readonly expiration_time?: Timestamp | null | undefined
  /** Why it failed. */
  readonly error?:
    | { readonly type?: string | null | undefined; readonly message?: string | null | undefined }
    | null
    | undefined
  /** Where its results are. */
  readonly results?: ReadonlyArray<{ readonly url?: string | null | undefined }> | null | undefined
}

/** What to wait for, and how. */
export interface Options<R> {
  /** The operation that started the job. */
  readonly endpoint: string
  readonly id: string
  /** Asks for the state of the job; nothing where the service does not list it. */
  readonly asked: Effect.Effect<State | undefined, JobError, R>
  readonly poll: Schedule.Schedule<unknown, State>
  readonly scrub: (text: string) => string
}

/** The longest id that is asked for. Real ones are much shorter. */
const longestId = 200

/** A list that does not have a job yet may have it a moment later, but not this many replies later. */
const maxMissing = 3

/** When to ask again for a completed job, whose addresses are renewed: only as often as a list may miss it. */
export const renewal = Schedule.spaced("1 second").pipe(
  Schedule.upTo({ times: maxMissing - 1 }),
  Schedule.setInputType<State>()
)

/** Why an id cannot be asked for, or not be shown; nothing where it can. */
export const idIssue = (id: string, scrub: (text: string) => string): string | undefined => {
  if (id === "") return "is empty"
  if (id.length > longestId) return `is longer than ${longestId} characters`
  if (/[\s,]/.test(id) || harmless(id) !== id) return "holds a character that no list of ids can hold"
  return scrub(id) === id ? undefined : "holds the API key"
}

/** Asks until the job is completed. Fails when it failed, expired, is unknown, or is not done when the schedule ends. */
export const untilDone = Effect.fnUntraced(function* <R>({ asked, endpoint, id, poll, scrub }: Options<R>) {
  const step = yield* Schedule.toStep(poll)
  const began = yield* Monotonic.now
  let missing = 0
  let warned: string | undefined
  while (true) {
    const state = yield* asked
    missing = state === undefined ? missing + 1 : 0
    if (missing === maxMissing) return yield* new JobUnknown({ endpoint, id })
    const status = scrub(state?.status ?? "unlisted").slice(0, longestId)
    if (state !== undefined) {
      if (status === "completed") return state
      if (status === "expired")
        return yield* new JobExpired({ endpoint, id, since: state.expiration_time ?? undefined })
      // A newer word for a failure comes with an error too.
      if (status === "failed" || (status !== "running" && state.error)) {
        const { message, type } = state.error ?? {}
        const reason = scrub(message ?? type ?? "the service gives no reason").slice(0, 1_000)
        return yield* new JobFailed({
          endpoint,
          id,
          status,
          type: type ? scrub(type).slice(0, longestId) : undefined,
          reason
        })
      }
      if (status !== "running" && status !== warned) {
        warned = status
        yield* Effect.logDebug(`${endpoint}: job ${id} has the unknown status ${status}, which counts as not done`)
      }
    }
    const now = yield* Monotonic.now
    const next = step(now, state ?? { id })
    const delay = yield* Pull.catchDone(
      Effect.map(next, ([, delay]) => delay),
      () => Effect.succeed(undefined)
    )
    if (delay === undefined) {
      return yield* new JobUnfinished({ endpoint, id, status, waited: Duration.millis(now - began) })
    }
    yield* Wait.during("poll", Effect.sleep(delay))
  }
})
