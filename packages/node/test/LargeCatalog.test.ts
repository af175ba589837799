import { assert, layer } from "@effect/vitest"
import { CatalogAll } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { withClient } from "./Harness.ts"

/** As many as the service has. */
const markets = 170_000

layer(Sandbox.layer({ catalogMarkets: markets }), { excludeTestServices: true })(
  "a catalog of 170,000 markets in one reply",
  (it) => {
    for (const format of ["json", "json_stream"] as const) {
      it.effect(`is read within the limits of the client, every market once, in one request: ${format}`, () =>
        Effect.gen(function* () {
          const sandbox = yield* Sandbox.Sandbox
          const { requests } = yield* sandbox.stats
          const seen = new Set<string>()
          const batches: Array<number> = []
          yield* CatalogAll.markets({ format }).pipe(
            Stream.runForEachArray((batch) =>
              Effect.sync(() => {
                batches.push(batch.length)
                for (const { market } of batch) seen.add(market)
              })
            ),
            withClient
          )
          assert.strictEqual(
            batches.reduce((sum, length) => sum + length, 0),
            markets
          )
          assert.strictEqual(seen.size, markets)
          // Nobody waits for the whole, nor has to hold it.
          assert.isBelow(Math.max(...batches), 10_000)
          assert.strictEqual((yield* sandbox.stats).requests - requests, 1)
        })
      )
    }
  }
)
