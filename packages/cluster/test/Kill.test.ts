import { describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import * as TestMode from "../../core/test/TestMode.ts"
import * as Kills from "./Kills.ts"
import * as Postgres from "./Postgres.ts"

const seeds = TestMode.isLong ? [1, 2, 3] : []

describe("a cluster around a real PostgreSQL", () => {
  it.live.skipIf(!Postgres.isInstalled)(
    "has the files of one process, although a worker, the submitter and PostgreSQL were killed",
    () => Kills.killed(0, ["worker", "submitter", "postgres"]).pipe(Random.withSeed(0), Effect.provide(Kills.world))
  )

  for (const seed of seeds) {
    it.live.skipIf(!Postgres.isInstalled)(`has them in whatever order they are killed: seed ${seed}`, () =>
      Effect.flatMap(Kills.any(seed, 5), (victims) => Kills.killed(seed, victims)).pipe(
        Random.withSeed(seed),
        Effect.provide(Kills.world)
      )
    )
  }
})
