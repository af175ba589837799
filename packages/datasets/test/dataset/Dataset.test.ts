import { assert, describe, it } from "@effect/vitest"
import { Dataset } from "@sluice/datasets"
import { Sandbox } from "@sluice/sandbox"
import * as Effect from "effect/Effect"
import { data, events, job, temporary, world } from "./Harness.ts"

const requests = Effect.map(
  Effect.flatMap(Sandbox.Sandbox, ({ stats }) => stats),
  ({ requests }) => requests
)

describe("a dataset in a folder", () => {
  it.live("has a file for each asset and year, and asks once where there is no news", () =>
    Effect.gen(function* () {
      const to = yield* temporary
      const first = yield* events(Dataset.sync({ ...job, to }))
      assert.deepInclude(first[0], { isNew: true, entities: 3, requests: 1, added: ["btc", "eth", "ltc"] })
      const files = yield* data(to)
      assert.deepStrictEqual(Object.keys(files).slice(0, 4), [
        "asset=btc/year=2024/btc-2024.ndjson",
        "asset=btc/year=2025/btc-2025.ndjson",
        "asset=btc/year=2026/btc-2026.ndjson",
        "asset=eth/year=2024/eth-2024.ndjson"
      ])
      assert.strictEqual(files["asset=eth/year=2024/eth-2024.ndjson"]?.split("\n").length, 367)
      const before = yield* requests
      const again = yield* events(Dataset.sync({ to }))
      assert.deepInclude(again.at(-1), { _tag: "Finished", changes: 0 })
      assert.strictEqual(yield* requests, before + 1)
      assert.deepStrictEqual(yield* data(to), files)
      const status = yield* Dataset.status(to)
      const rows = status?.entities.map(({ rows }) => rows) ?? []
      assert.strictEqual(rows.length, 3)
      const verified = (yield* events(Dataset.verify(to))).at(-1)
      assert.deepInclude(verified, { verified: 9, records: rows.reduce((sum, count) => sum + count, 0) })
    }).pipe(Effect.provide(world))
  )
})
