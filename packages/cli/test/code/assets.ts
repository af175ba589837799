import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { ReferenceData } from "@sluice/core"
import { Format } from "@sluice/files"
import { NodeClient } from "@sluice/node"
import { Effect, Stdio, Stream } from "effect"

const params = {} as const

const program = Effect.gen(function* () {
  const to = yield* Stdio.Stdio
  const encode = yield* Format.encode(ReferenceData.assets, params, { columns: ["asset", "full_name"], as: "csv" })
  yield* Stream.run(encode(ReferenceData.assets()), to.stdout())
})

// The key comes from SLUICE_API_KEY in the environment.
program.pipe(Effect.provide([NodeClient.layerConfig(), NodeServices.layer]), NodeRuntime.runMain)
