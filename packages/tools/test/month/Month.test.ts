import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as PostgresServer from "../../../datasets/test/database/PostgresServer.ts"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as Place from "../../src/month/Place.ts"
import * as Run from "../../src/month/Run.ts"
import * as Scenario from "../../src/month/Scenario.ts"

const days = TestMode.times(5, 30)

type Case = readonly [seed: number, store: Scenario.Scenario["store"]]

/** One of each target and a few more, in folders and in tables, most of them with a day on which they are watched or grow. */
const long: ReadonlyArray<Case> = [
  [0, "folder"],
  [1, "postgres"],
  [2, "folder"],
  [3, "folder"],
  [4, "folder"],
  [14, "folder"],
  [6, "folder"],
  [7, "folder"],
  [8, "folder"],
  [11, "postgres"],
  [11, "duckdb"],
  [12, "folder"],
  [21, "duckdb"]
]

// Days of all assets, and tables, take longest: they are left to the long run.
const seeds: ReadonlyArray<Case> = TestMode.isLong
  ? long
  : [
      [7, "folder"],
      [25, "folder"]
    ]

/** Without it, what it would have is in DuckDB. */
const server = PostgresServer.isInstalled && TestMode.isLong ? PostgresServer.make : Effect.undefined

describe("a dataset that is synced every day", () => {
  it.live.each(seeds)("has after each day what a first download would give, of seed %d in %s", ([seed, store]) =>
    Effect.gen(function* () {
      const postgres = store === "postgres" ? yield* server : undefined
      const { failed, total } = yield* Run.run([seed], { days, store }).pipe(
        Effect.provideService(Place.Postgres, postgres)
      )
      assert.deepStrictEqual(failed, [])
      assert.isAbove(total.syncs, 2)
      assert.isAbove(total.rows, 20)
      assert.isAtMost(total.records, total.allowed)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("is the same month for the same seed", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* Scenario.draw(5), yield* Scenario.draw(5))
      assert.notDeepEqual(yield* Scenario.draw(5), yield* Scenario.draw(14))
    })
  )
})
