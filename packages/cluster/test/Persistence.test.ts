import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import * as TestClock from "effect/testing/TestClock"
import { BackfillStoreFailed } from "../src/BackfillStore.ts"
import * as Persistence from "../src/internal/Persistence.ts"
import * as SqlStore from "../src/internal/SqlStore.ts"
import * as TestLog from "../../core/test/TestLog.ts"

const gone = new BackfillStoreFailed({ reason: "ConnectionError", transient: true })
const refused = new BackfillStoreFailed({ reason: "AuthorizationError: permission denied", transient: false })

/** Runs with a log of levels. */
const logged = <A, E, R>(self: (log: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const log: Array<string> = []
  const layer = TestLog.layer((text, level) => log.push(`${level}: ${text}`))
  return Effect.provide(self(log), layer)
}

describe("Asking the store of backfills", () => {
  it.effect("goes on until it answers, with one warning a minute for all that ask", () =>
    logged((log) =>
      Effect.gen(function* () {
        const { persistently } = yield* Persistence.make
        let isGone = true
        const ask = persistently(Effect.suspend(() => (isGone ? Effect.fail(gone) : Effect.succeed(1))))
        const fibers = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask))
        yield* TestClock.adjust("50 seconds")
        assert.lengthOf(log, 1)
        assert.match(log[0] ?? "", /^Warn: the store of backfills failed: ConnectionError/)
        yield* TestClock.adjust("5 minutes")
        assert.isAtLeast(log.length, 5)
        assert.isAtMost(log.length, 6)
        isGone = false
        yield* TestClock.adjust("5 seconds")
        for (const fiber of fibers) assert.strictEqual(yield* Fiber.join(fiber), 1)
      })
    )
  )

  it.effect("says at once that the store refuses, then once a minute, and goes on when that is mended", () =>
    logged((log) =>
      Effect.gen(function* () {
        const { persistently, refused: ends } = yield* Persistence.make
        let isRefused = true
        const ask = persistently(Effect.suspend(() => (isRefused ? Effect.fail(refused) : Effect.succeed(1))))
        const fiber = yield* Effect.forkChild(ask)
        assert.strictEqual(yield* Effect.flip(ends), refused)
        assert.match(log[0] ?? "", /^Error: the store of backfills failed: AuthorizationError: permission denied/)
        yield* TestClock.adjust("2 minutes")
        assert.lengthOf(log, 3)
        isRefused = false
        yield* TestClock.adjust("30 seconds")
        assert.strictEqual(yield* Fiber.join(fiber), 1)
      })
    )
  )

  const reasons = { cause: new Error("of PostgreSQL"), message: "of PostgreSQL" }
  it.effect.each([
    [new SqlError.ConnectionError(reasons), true],
    [new SqlError.DeadlockError(reasons), true],
    // PostgreSQL stops, starts, or has no connection left.
    [new SqlError.UnknownError(reasons), true],
    [new SqlError.AuthorizationError(reasons), false],
    [new SqlError.AuthenticationError(reasons), false],
    // A table or column is missing.
    [new SqlError.SqlSyntaxError(reasons), false]
  ] as const)("knows what may pass: $0._tag", ([reason, transient]) =>
    Effect.gen(function* () {
      const sql = {
        withoutTransforms: () => ({
          withTransaction: () => Effect.fail(new SqlError.SqlError({ reason }))
        })
      }
      // Type boundary: the store asks for a transaction first, and gets no further.
      const client = Layer.succeed(SqlClient.SqlClient, sql as unknown as SqlClient.SqlClient)
      const error = yield* Effect.flip(Layer.build(Layer.provide(SqlStore.layer, client)))
      assert.deepInclude(error, { _tag: "BackfillStoreFailed", transient })
    })
  )
})
