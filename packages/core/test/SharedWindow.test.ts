import { assert, describe, it } from "@effect/vitest"
import type { Policy, Reply } from "../src/Quota.ts"
import * as Pace from "../src/internal/quota/Pace.ts"
import * as Window from "../src/internal/quota/Window.ts"
import * as MemoryLog from "../src/internal/shared/MemoryLog.ts"
import * as SharedPace from "../src/internal/shared/SharedPace.ts"
import * as SharedWindow from "../src/internal/shared/SharedWindow.ts"
import * as State from "../src/internal/shared/State.ts"
import { seeds } from "./TestMode.ts"
import * as Draw from "./Draw.ts"

const policies: ReadonlyArray<Policy> = [
  { limit: 10, window: 6_000 },
  { limit: 4, window: 1_000 },
  { limit: 30, window: 20_000 }
]

const silent = {
  plan: undefined,
  limit: undefined,
  policies: [],
  remaining: undefined,
  reset: undefined,
  retryAfter: undefined
}

const replyOf = (random: Draw.Draw, isSilent: boolean): Reply => {
  const status = random.one([200, 200, 200, 200, 200, 200, 200, 429, 503])
  if (isSilent || random.chance(0.2)) return { ...silent, status }
  const policy = random.one(policies)
  return {
    status,
    plan: random.one([undefined, "trial", "other"]),
    limit: policy.limit,
    policies: random.chance(0.8) ? [policy] : [],
    remaining: random.chance(0.8) ? random.below(policy.limit + 1) : undefined,
    reset: random.chance(0.3) ? random.below(6) * 1_000 : undefined,
    retryAfter: status === 429 && random.chance(0.3) ? random.below(5) * 1_000 : undefined
  }
}

describe("The window of a shared quota", () => {
  it("is that of one process, where there is one: the same places at the same times after the same replies", () => {
    for (const seed of seeds(20, 300)) {
      const random = Draw.from(seed)
      const isSilent = seed % 3 === 0
      const parallel = random.one([1, 4, 10])
      const alone = Window.make(undefined, parallel)
      const state = State.make("one", 0)
      state.parallel = parallel
      const log = MemoryLog.make()
      const running: Array<{ readonly id: string; readonly sent: number }> = []
      let now = 1_000
      let nth = 0
      for (let turn = 0; turn < 150; turn++) {
        now += random.chance(0.1) ? random.below(9_000) : random.below(300)
        const where = `seed ${seed}, turn ${turn}`
        assert.strictEqual(SharedWindow.nextAt(state, log, now), Math.max(now, alone.nextAt(now)), where)
        assert.strictEqual(SharedPace.parallel(state), alone.parallel(), where)
        assert.strictEqual(SharedWindow.waitCause(state, log, now), alone.waitCause(now), where)
        const left = alone.remaining(now)
        assert.strictEqual(SharedWindow.remaining(state, log, now), left === Infinity ? 1e15 : left, where)
        if (SharedWindow.nextAt(state, log, now) > now) {
          alone.noteWait(now)
          SharedWindow.noteWait(state, log, now)
        } else if (running.length < parallel && random.chance(0.7)) {
          const id = `${nth++}`
          alone.start()
          running.push({ id, sent: now })
          state.permits.push({ id, process: "a", sent: now, isProbe: false, isTold: true, isReplied: false })
        }
        if (running.length > 0 && random.chance(0.5)) {
          const [{ id, sent }] = running.splice(random.below(running.length), 1) as [(typeof running)[number]]
          const reply = replyOf(random, isSilent)
          const { status } = reply
          alone.finish({ isProbe: false, sent, now, reply, status })
          state.permits = state.permits.filter((permit) => permit.id !== id)
          if (status !== 429) log.add(id, now)
          SharedWindow.observe(state, log, { isProbe: false, sent, now, status }, reply)
          // One process drops old replies when all are old, after which a longer window may be named.
          const kept = SharedWindow.all(state).map(Window.length)
          const oldest = now - 2 * Math.max(...kept, ...(state.policies.length === 0 ? [6_060] : []))
          if (log.countAfter(oldest) === 0) log.trim(oldest)
        }
      }
    }
  })

  it("searches for an unknown limit at the same pace", () => {
    for (const seed of seeds(20, 300)) {
      const random = Draw.from(seed)
      const most = random.one([1, 3, 10])
      const alone = Pace.make(State.strictest, most)
      const state = State.make("one", 0)
      state.parallel = most
      let now = 1_000
      for (let turn = 0; turn < 200; turn++) {
        now += random.below(400)
        const sent = now - random.below(300)
        if (random.chance(0.5)) {
          alone.markUsedUp()
          state.pace.isUsedUp = true
        }
        if (random.chance(0.03)) {
          alone.refuse(sent, now)
          SharedPace.refuse(state, sent, now)
        } else {
          alone.accept(sent, now)
          SharedPace.accept(state, sent, now)
        }
        assert.deepStrictEqual(state.pace.kept, alone.policies(), `seed ${seed}, turn ${turn}`)
        assert.strictEqual(SharedPace.parallel(state), alone.parallel())
      }
    }
  })
})
