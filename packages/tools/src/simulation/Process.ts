/**
 * A process of the simulated world: it has a client and sees the disk, and when it is killed, nothing of it goes on.
 */
import { Client } from "@sluice/core"
import { Sandbox, Simulation } from "@sluice/sandbox"
import { Effect, FileSystem, Layer, Path, Redacted } from "effect"
import { HttpClient } from "effect/http"
import type { Disk } from "./Disk.ts"

/** Some time in which a process works: mostly a moment, now and then minutes. */
export const someTime = Effect.flatMap(Simulation.below(6), (nth) =>
  Effect.sleep([0, 5, 50, 400, 3_000, 90_000][nth] ?? 0)
)

/** What a process runs in. */
export type Services = Client.Client | FileSystem.FileSystem | Path.Path

/** Starts a process on a machine; one number for each. */
export const make = Effect.fnUntraced(function* (disk: Disk, number: number, machine = "one") {
  const sandbox = yield* Sandbox.Sandbox
  const own = yield* HttpClient.HttpClient
  let isKilled = false
  const alive = Effect.suspend(() => (isKilled ? Effect.never : Effect.void))
  const http = HttpClient.transform(Simulation.disturb(own), (send) => Effect.tap(Effect.andThen(alive, send), alive))
  const client = Layer.provide(
    Client.layer({ root: sandbox.url, apiKey: Redacted.make("demo-key") }),
    Layer.succeed(HttpClient.HttpClient, http)
  )
  const turn = Effect.andThen(Effect.yieldNow, alive)
  const services = Layer.mergeAll(
    client,
    Path.layer,
    Layer.succeed(FileSystem.FileSystem, disk.fileSystem({ number, machine, turn }))
  )
  return {
    run: <A, E>(program: Effect.Effect<A, E, Services>) => Effect.provide(program, services, { local: true }),
    kill: Effect.sync(() => {
      isKilled = true
    })
  }
})
