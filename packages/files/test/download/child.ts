/**
 * A download in a process of its own, to be killed. Writes one dot to standard output before everything it does with
 * files, and nothing else.
 */
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as Retry from "@sluice/core/Retry"
import * as Download from "@sluice/files/Download"
import * as NodeClient from "@sluice/node/NodeClient"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { writeSync } from "node:fs"
import { argv } from "node:process"
import { killed } from "./Killed.ts"
import * as Observed from "./Observed.ts"

const [, , root = "", to = "", as = "ndjson"] = argv

const dot = Effect.sync(() => writeSync(1, "."))

const files = Layer.effect(
  FileSystem.FileSystem,
  Effect.map(FileSystem.FileSystem, (fs) =>
    Observed.make(fs, {
      operation: (_name, _path, self) => Effect.andThen(dot, self),
      // In two halves, so that a kill may come between them.
      write: (_path, bytes, write) => {
        const middle = bytes.length >> 1
        return dot.pipe(
          Effect.andThen(write(bytes.subarray(0, middle))),
          Effect.andThen(dot),
          Effect.andThen(write(bytes.subarray(middle)))
        )
      }
    })
  )
).pipe(Layer.provide(NodeFileSystem.layer))

const client = NodeClient.layer({
  root,
  apiKey: Redacted.make("demo-key"),
  // Some faults of the test may meet one request several times: how many it survives is not what is tried here.
  retry: Retry.make({ base: "1 millis", times: 20 }),
  gzip: false
})

Download.run(killed(to, as)).pipe(Stream.runDrain, Effect.provide([client, files, NodePath.layer]), NodeRuntime.runMain)
