import * as NodeServices from "@effect/platform-node/NodeServices"
import { Client, Endpoints, Retry } from "@sluice/core"
import { Backfill, Cluster, Worker } from "@sluice/cluster"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Path from "effect/Path"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import * as WorkflowEngine from "effect/workflow/WorkflowEngine"
import * as Virtual from "../../core/test/Virtual.ts"
import { Begin, End } from "../src/internal/Workflows.ts"

export { job, temporary } from "../../files/test/download/Harness.ts"

/** A client of the stand-in in memory. */
export const client = (fault?: string, key = "demo-key") =>
  Layer.unwrap(
    Effect.map(Sandbox.Sandbox, (sandbox) =>
      Client.layer({
        root: fault === undefined ? sandbox.url : sandbox.faultUrl(fault),
        apiKey: Redacted.make(key),
        retry: Retry.none
      })
    )
  )

/** The endpoints that workers of these tests know. */
export const endpoints = Endpoints.all

/** The same files but for one folder, which is another there: a machine without the disk that the others share. */
export const withoutDisk = (folder: string, other: string) =>
  Layer.effect(
    FileSystem.FileSystem,
    Effect.map(FileSystem.FileSystem, (fs) => {
      const entries = Object.entries(fs).map(([name, member]) => [
        name,
        typeof member === "function"
          ? (...given: ReadonlyArray<unknown>) =>
              member(...given.map((value) => (typeof value === "string" ? value.replace(folder, other) : value)))
          : member
      ])
      // Type boundary: the same members, of the same types.
      return Object.fromEntries(entries) as FileSystem.FileSystem
    })
  ).pipe(Layer.provide(NodeServices.layer))

/** One worker in this process, which is all there is. */
export const alone = Worker.layer({ endpoints, concurrency: 4 }).pipe(Layer.provideMerge(Cluster.layerMemory))

/** A worker for a store that outlives it. */
export const worker = Worker.layer({ endpoints, concurrency: 4 }).pipe(Layer.provideMerge(WorkflowEngine.layerMemory))

/** An engine that runs nothing: no worker is there. */
export const noWorker = Layer.merge(
  Begin.toLayer(() => Effect.never),
  End.toLayer(() => Effect.never)
).pipe(Layer.provideMerge(WorkflowEngine.layerMemory))

/** Lets time pass while an effect runs. */
export const inTime = Virtual.inSteps("250 millis")

/** The first status with this property. */
export const until = (id: string, is: (status: Backfill.Status) => boolean) =>
  Backfill.watch(id).pipe(Stream.filter(is), Stream.runHead, Effect.flatMap(Effect.fromOption), Effect.orDie)

/** The status at the end. */
export const ended = (id: string) => until(id, (status) => status.ended !== null)

/** What a status says of the parts. */
export const summary = ({ done, failed, parts, records, state }: Backfill.Status) => ({
  state,
  parts,
  done,
  failed,
  records
})

/** What it says of all parts of the job. */
export const whole = { state: "finished", parts: 9, done: 9, failed: 0, records: 363 } as const

/** The stand-in in memory and real files. */
export const world = Layer.merge(client(), NodeServices.layer).pipe(
  Layer.provideMerge(Layer.fresh(Sandbox.layerMemory()))
)

/** Every file below a folder by its path, with its content; the bookkeeping too, but for what names a run. */
export const picture = Effect.fnUntraced(function* (folder: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const names = (yield* fs.readDirectory(folder, { recursive: true })).toSorted()
  const entries: Array<readonly [string, string]> = []
  for (const name of names) {
    const { type } = yield* fs.stat(path.join(folder, name))
    if (type !== "File") continue
    const content = yield* fs.readFileString(path.join(folder, name), "latin1")
    // Parts end in any order.
    entries.push([name, name.endsWith("done.ndjson") ? content.split("\n").toSorted().join("\n") : content])
  }
  return Object.fromEntries(entries)
})
