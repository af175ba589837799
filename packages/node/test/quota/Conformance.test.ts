import * as NodeRedis from "@effect/platform-node/NodeRedis"
import { assert, describe, it } from "@effect/vitest"
import { QuotaStore, RedisQuotaStore } from "@sluice/core"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import * as fs from "node:fs"
import * as os from "node:os"
import * as path from "node:path"
import * as TestMode from "../../../core/test/TestMode.ts"
import * as LocalStore from "../../src/internal/quota/LocalStore.ts"
import * as RandomSteps from "./RandomSteps.ts"
import * as RedisServer from "./RedisServer.ts"
import * as Draw from "../../../core/test/Draw.ts"

const storeOf = <R>(layer: Layer.Layer<QuotaStore.QuotaStore, unknown, R>) =>
  Effect.map(Layer.build(layer), (context) => Context.get(context, QuotaStore.QuotaStore))

const folder = Effect.acquireRelease(
  Effect.sync(() => fs.mkdtempSync(path.join(os.tmpdir(), "sluice-quota-"))),
  (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true }))
)

/** A clock that is behind another. */
const behind = (clock: Clock.Clock, millis: number): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe() - millis,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - millis),
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe() - BigInt(millis) * 1_000_000n,
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now - BigInt(millis) * 1_000_000n),
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: (duration) => clock.sleep(duration)
})

/** Gives the same steps to stores, and compares each answer with that of the store in memory. */
const compare = Effect.fnUntraced(function* (
  seed: number,
  steps: number,
  others: ReadonlyArray<QuotaStore.QuotaStore["Service"]>
) {
  const memory = QuotaStore.make()
  const random = Draw.from(seed)
  const processes = RandomSteps.make(random)
  let granted = 0
  for (let nth = 0; nth < steps; nth++) {
    yield* TestClock.adjust(processes.pause())
    const { learn, step } = processes.next(yield* Clock.currentTimeMillis)
    const clock = behind(yield* Clock.Clock, processes.lag())
    const expected = yield* Effect.provideService(memory.step(step), Clock.Clock, clock)
    for (const store of others) {
      const found = yield* Effect.provideService(store.step(step), Clock.Clock, clock)
      assert.deepStrictEqual(found, expected, `${store.place}, seed ${seed}, step ${nth}: ${JSON.stringify(step)}`)
    }
    granted += expected.granted.length
    learn(expected)
  }
  return granted
})

const seeds = TestMode.seeds(5, 100)

describe("QuotaStore, given the same steps", () => {
  it.effect("SQLite answers exactly as memory does", () =>
    Effect.gen(function* () {
      const place = yield* folder
      let granted = 0
      for (const seed of seeds) {
        const local = yield* storeOf(LocalStore.layer(`a${seed}`, place))
        granted += yield* compare(seed, TestMode.times(200, 600), [local])
      }
      assert.isAbove(granted, seeds.length * 10)
    })
  )

  it.effect.skipIf(RedisServer.program === undefined)(
    `the script in Redis answers exactly as memory does${RedisServer.without}`,
    () =>
      Effect.gen(function* () {
        const server = yield* RedisServer.start
        const redis = yield* Layer.build(NodeRedis.layer({ socket: { path: server.socket, tls: false } }))
        let granted = 0
        for (const seed of seeds) {
          const store = yield* storeOf(
            RedisQuotaStore.layer({ account: `a${seed}`, clock: Clock.currentTimeMillis }).pipe(
              Layer.provide(Layer.succeedContext(redis))
            )
          )
          granted += yield* compare(seed, TestMode.times(200, 600), [store])
        }
        assert.isAbove(granted, seeds.length * 10)
      })
  )
})
