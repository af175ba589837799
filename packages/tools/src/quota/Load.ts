/**
 * Real load: processes with one key share their quota through a store, against the stand-in service with a real plan.
 */
import { Sandbox } from "@sluice/sandbox"
import { Clock, Context, Effect, Layer, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { execPath } from "node:process"
import { fileURLToPath } from "node:url"

export interface Load {
  readonly processes: number
  /** Requests that each has under way or waiting. */
  readonly loops: number
  readonly plan: "trial" | "default"
  readonly millis: number
  readonly store: string
  /** One of the processes is killed (kill -9) so many milliseconds after the start. */
  readonly killAfter?: number | undefined
  /** Runs beside the load, such as what kills the store. */
  readonly meanwhile?: Effect.Effect<void> | undefined
}

const Told = Schema.fromJsonString(Schema.Struct({ replies: Schema.Int, failures: Schema.Int }))

/** Time for the processes to load, in milliseconds. */
const headStart = 6_000

/** The first window, which goes to those that ask first, is not counted. In milliseconds. */
const warm = 7_000

const worker = fileURLToPath(new URL("Worker.ts", import.meta.url))

export const run = Effect.fnUntraced(function* (load: Load) {
  const { killAfter, loops, meanwhile = Effect.void, millis, plan, processes, store } = load
  const context = yield* Layer.build(Sandbox.layer({ plan, latency: "5 millis" }))
  const { stats, url } = Context.get(context, Sandbox.Sandbox)
  const start = (yield* Clock.currentTimeMillis) + headStart
  const one = Effect.fnUntraced(function* (index: number) {
    const child = yield* ChildProcess.make(execPath, [worker], {
      env: {
        LOAD_MILLIS: `${millis}`,
        LOAD_START: `${start}`,
        LOAD_WARM: `${warm}`,
        LOAD_LOOPS: `${loops}`,
        SLUICE_BASE_URL: url,
        SLUICE_API_KEY: "demo-key",
        SLUICE_QUOTA_STORE: store
      },
      extendEnv: true
    })
    if (index === 0 && killAfter !== undefined) {
      yield* Effect.sleep(headStart + killAfter)
      yield* child.kill({ killSignal: "SIGKILL" })
      return { replies: 0, failures: 0 }
    }
    const output = yield* Stream.mkString(Stream.decodeText(child.all))
    return yield* Schema.decodeEffect(Told)(output.trim().split("\n").at(-1) ?? "")
  }, Effect.scoped)
  yield* Effect.forkScoped(Effect.delay(meanwhile, headStart))
  const told = yield* Effect.all(
    Array.from({ length: processes }, (_, index) => one(index)),
    { concurrency: "unbounded" }
  )
  const { peak, rejected, statuses } = yield* stats
  return {
    /** Requests that the stand-in accepted. */
    accepted: statuses[200] ?? 0,
    rejected,
    most: peak,
    /** Replies after the first window. */
    perProcess: told.map(({ replies }) => replies),
    failures: told.reduce((sum, { failures }) => sum + failures, 0)
  }
}, Effect.scoped)

export type Outcome = Effect.Success<ReturnType<typeof run>>
