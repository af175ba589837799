import { NodeServices } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Client, LiveClient } from "@sluice/core"
import { Dataset } from "@sluice/node"
import { Sandbox } from "@sluice/sandbox"
import { Effect, FileSystem, Layer, Stream } from "effect"
import { TestClock } from "effect/testing"
import { watched } from "../src/guides/watched.ts"

/** A stand-in whose time passes with the clock of the test. */
const client = Sandbox.layerClient((given) => Layer.provideMerge(LiveClient.layer(), Client.layer(given)), { live: {} })

/** Lets time pass, and what works with files do that meanwhile. */
const passing = Effect.forever(
  Effect.andThen(TestClock.adjust("10 seconds"), TestClock.withLive(Effect.sleep("1 millis")))
)

it.effect("a watched dataset keeps what there is, and then what comes", () =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const folder = `${yield* fs.makeTempDirectoryScoped()}/trades`
    const changes = yield* watched(folder, "2026-09-30T23:59:00Z").pipe(
      Stream.filter(({ _tag }) => _tag === "Changed"),
      Stream.take(2),
      Stream.runCollect,
      Effect.raceFirst(passing)
    )
    const status = yield* Dataset.status(folder)
    const news = changes.map((event) => (event._tag === "Changed" ? event.records - event.replaced : 0))
    assert.lengthOf(news, 2)
    for (const count of news) assert.isAbove(count, 0)
    assert.strictEqual(
      status?.entities[0]?.rows,
      news.reduce((sum, count) => sum + count)
    )
  }).pipe(Effect.scoped, Effect.provide(Layer.merge(client, NodeServices.layer)))
)
