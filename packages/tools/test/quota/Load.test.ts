import { NodeServices } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import { isLong } from "../../../core/test/TestMode.ts"
import * as RedisServer from "../../../node/test/quota/RedisServer.ts"
import * as Load from "../../src/quota/Load.ts"

const trial: Load.Load = { processes: 4, loops: 5, plan: "trial", millis: 40_000, store: "" }

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "sluice-load-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

/** No 429, and no process that got nothing; that the parts are equal says the simulation, since here the load of the machine counts. */
const assertShared = ({ failures, perProcess, rejected }: Load.Outcome, alive: number) => {
  assert.deepStrictEqual({ failures, rejected }, { failures: 0, rejected: 0 })
  assert.lengthOf(
    perProcess.filter((replies) => replies > 0),
    alive
  )
}

const withRedis = it.live.skipIf(!isLong || RedisServer.program === undefined)

describe("Real load by four processes with one key", () => {
  withRedis(`shares a trial plan through Redis, while one of them is killed${RedisServer.without}`, () =>
    Effect.gen(function* () {
      const { store } = yield* RedisServer.start
      assertShared(yield* Load.run({ ...trial, store, killAfter: 10_000 }), 3)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  withRedis(`shares a default plan through Redis${RedisServer.without}`, () =>
    Effect.gen(function* () {
      const { store } = yield* RedisServer.start
      const load: Load.Load = { ...trial, loops: 10, plan: "default", millis: 30_000, store }
      // On a busy machine the processes ask for less than the plan allows, and not equally often.
      const { accepted, failures, most, rejected } = yield* Load.run(load)
      assert.deepStrictEqual({ failures, rejected }, { failures: 0, rejected: 0 })
      assert.isAtMost(most, 10)
      assert.isAbove(accepted, 100)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  withRedis(
    `meets no 429 while Redis is killed and comes back, first with its data and then without${RedisServer.without}`,
    () =>
      Effect.gen(function* () {
        const { kill, restart, store } = yield* RedisServer.start
        const meanwhile = Effect.gen(function* () {
          for (const clean of [false, true]) {
            yield* Effect.sleep("9 seconds")
            yield* kill
            yield* Effect.sleep("7 seconds")
            yield* restart(clean)
          }
        })
        const { accepted, failures, rejected } = yield* Load.run({ ...trial, millis: 45_000, store, meanwhile })
        assert.strictEqual(rejected, 0)
        assert.strictEqual(failures, 0)
        assert.isAtLeast(accepted, 30)
      }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live.skipIf(!isLong)("shares a trial plan through a file of this machine, while one of them is killed", () =>
    Effect.gen(function* () {
      const store = `local:${yield* folder}`
      assertShared(yield* Load.run({ ...trial, store, killAfter: 10_000 }), 3)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
