import { assert, layer } from "@effect/vitest"
import { CatalogAll } from "@sluice/core"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as TestMode from "../../core/test/TestMode.ts"
import { withClient } from "./Harness.ts"

/** A tenth of the markets that the service has; a long run has all, which must be within the limit of a page. */
const markets = TestMode.times(17_000, 170_000)

for (const format of ["json", "json_stream"] as const) {
  layer(Sandbox.layer({ catalogMarkets: markets }), { excludeTestServices: true })(
    `a catalog of ${markets.toLocaleString("en")} markets in one reply`,
    (it) => {
      it.effect(`is read within the limits of the client, every market once, in one request: ${format}`, () =>
        Effect.gen(function* () {
          const sandbox = yield* Sandbox.Sandbox
          const seen = new Set<string>()
          const batches: Array<number> = []
          yield* CatalogAll.markets({ format }).pipe(
            Stream.runForEachArray((batch) =>
              Effect.sync(() => {
                batches.push(batch.length)
                for (const { market } of batch) seen.add(market)
              })
            ),
            // What a compressed body changes is tried with lines, and in a long run with both.
            (program) => withClient(program, { gzip: format === "json_stream" || TestMode.isLong })
          )
          assert.strictEqual(
            batches.reduce((sum, length) => sum + length, 0),
            markets
          )
          assert.strictEqual(seen.size, markets)
          // Nobody waits for the whole, nor has to hold it.
          assert.isBelow(Math.max(...batches), 10_000)
          assert.strictEqual((yield* sandbox.stats).requests, 1)
        })
      )
    }
  )
}
