import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Client, LiveClient } from "@sluice/core"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import { Effect, FileSystem, Layer, Stream } from "effect"
import * as Virtual from "../../core/test/Virtual.ts"
import { watched } from "../src/guides/watched.ts"

/** A stand-in whose time passes with the clock of the test. */
const client = Sandbox.layerClient((given) => Layer.provideMerge(LiveClient.layer(), Client.layer(given)), { live: {} })

it.effect("a watched dataset keeps what there is, and then what comes", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = `${yield* fs.makeTempDirectoryScoped()}/trades`
    const news = yield* watched(folder, "2026-09-30T23:59:00Z").pipe(
      Stream.map((event) => (event._tag === "Changed" ? event.records - event.replaced : 0)),
      Stream.filter((count) => count > 0),
      Stream.take(2),
      Stream.runCollect,
      Virtual.inSteps("10 seconds")
    )
    const status = yield* Dataset.status(folder)
    assert.lengthOf(news, 2)
    assert.strictEqual(
      status?.entities[0]?.rows,
      news.reduce((sum, count) => sum + count)
    )
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(client, NodeServices.layer)))
)
