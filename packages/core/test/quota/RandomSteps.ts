import type { Quota, QuotaStore } from "@sluice/core"
import type * as Draw from "../Draw.ts"

const policies = [
  { limit: 10, window: 6_000 },
  { limit: 5, window: 1_000 },
  { limit: 40, window: 20_000 },
  { limit: 30, window: 3_600_000 }
]

/** What kind of service answers: one of all sorts, one that names nothing, or one that asks for long waits. */
type Service = "any" | "silent" | "slow"

const none = { plan: undefined, limit: undefined, policies: [], remaining: undefined, reset: undefined }

/** Heads as services and proxies send them: with all, some, or none of the headers. */
const randomReply = (random: Draw.Draw, service: Service): Quota.Reply => {
  if (service === "silent") return { ...none, status: random.chance(0.06) ? 429 : 200, retryAfter: undefined }
  if (service === "slow" && random.chance(0.7)) {
    const policies = random.chance(0.5) ? [{ limit: 3, window: 3_600_000 }] : []
    const status = random.one([200, 429, 503])
    return { ...none, status, policies, limit: policies[0]?.limit, retryAfter: status === 429 ? 900_000 : undefined }
  }
  const status = random.one([200, 200, 200, 200, 200, 204, 400, 429, 429, 503])
  const kind = random.below(5)
  const [first, second] = [random.one(policies), random.one(policies)]
  const named = kind === 0 || kind === 3 ? [] : random.chance(0.3) ? [first, second] : [first]
  const limit = kind === 0 ? undefined : first.limit
  return {
    status,
    plan: random.one([undefined, undefined, "trial", "default", "other"]),
    limit,
    policies: named,
    remaining: limit === undefined || random.chance(0.2) ? undefined : random.below(limit + 1),
    reset: random.chance(0.4) ? random.below(8) * 1_000 : undefined,
    retryAfter: status === 429 && random.chance(0.4) ? random.one([0, 1_000, 4_000, 900_000]) : undefined
  }
}

/** One process, as the steps go. */
interface Process {
  readonly id: string
  generation: string
  /** Its steps that were answered, and how far the time of the last answer was behind. */
  made: number
  behind: number
  isJoined: boolean
  want: number
  /** Permits, and whether the head of their reply has come. */
  readonly held: Map<string, boolean>
  /** Requests that were replied to or ended, with the time of it. */
  readonly ended: Map<string, number>
  /** Requests that were sent, in order. */
  readonly sent: Array<string>
}

/** Several processes that do what processes do, in a random order; `learn` tells them the answer. */
export const make = (random: Draw.Draw) => {
  const processes = Array.from({ length: 1 + random.below(4) }, (_, index): Process => ({
    id: `p${index}`,
    generation: "",
    made: 0,
    behind: 0,
    isJoined: false,
    want: 0,
    held: new Map(),
    ended: new Map(),
    sent: []
  }))
  const parallel = random.one([1, 3, 10])
  const longest = random.one([Infinity, 5_000, 300_000])
  const planned = random.one([undefined, undefined, { limit: 10, window: 6_000 }])
  const service = random.one<Service>(["any", "silent", "slow"])
  let nonce = 0

  const eventsOf = (process: Process, now: number) => {
    const events: Array<QuotaStore.Event> = []
    for (const [id, isReplied] of process.held) {
      if (!isReplied && random.chance(0.05)) {
        events.push({ type: "unused", id })
        process.held.delete(id)
      } else if (!isReplied && random.chance(0.6)) {
        events.push({ type: "head", id, reply: randomReply(random, service) })
        process.held.set(id, true)
        process.ended.set(id, now)
      }
      if (process.held.has(id) && random.chance(0.4)) {
        events.push({ type: "end", id })
        process.held.delete(id)
        process.ended.set(id, process.ended.get(id) ?? now)
      }
    }
    return events
  }

  const next = (now: number) => {
    const process = random.one(processes)
    process.want = random.chance(0.3) ? 0 : random.below(8)
    const isJoin = !process.isJoined || random.chance(0.03)
    const events = isJoin ? [] : eventsOf(process, now)
    const requests = [
      ...Array.from(process.held, ([id, isReplied]) => ({
        id,
        nth: process.sent.indexOf(id) + 1,
        age: isReplied ? now - process.ended.get(id)! : -1,
        held: true
      })),
      ...Array.from(process.ended, ([id, at]) => ({
        id,
        nth: process.sent.indexOf(id) + 1,
        age: now - at,
        held: false
      })).filter(({ age, id }) => age < 40_000 && !process.held.has(id))
    ]
    const step: QuotaStore.Step = {
      process: process.id,
      generation: process.generation,
      nonce: `n${nonce++}`,
      before: process.made > 0 ? { count: process.made, now: now - process.behind } : undefined,
      want: process.want,
      waited: random.below(3_000),
      events,
      lease: service === "slow" ? 60_000 : 6_000,
      longest,
      probeAfter: Math.max(longest, 30_000),
      join: isJoin
        ? {
            alone: random.chance(0.2),
            parallel,
            planned,
            policies: random.chance(0.2) ? [random.one(policies)] : [],
            requests
          }
        : undefined
    }
    const learn = (answer: QuotaStore.Answer) => {
      process.isJoined = !answer.isUnknown
      if (answer.isUnknown) return
      process.made += 1
      process.behind = now - answer.now
      process.generation = answer.generation
      for (const id of answer.granted) {
        process.held.set(id, false)
        process.sent.push(id)
      }
    }
    return { step, learn }
  }

  return {
    next,
    /** How far the clock is behind at this step. */
    lag: () => (random.chance(0.9) ? 0 : random.chance(0.9) ? random.below(50) : random.below(5_000)),
    /** How much time passes before the next step. */
    pause: () => {
      if (service === "slow" && random.chance(0.2)) return random.below(30_000)
      if (service === "silent") return random.below(400)
      return random.chance(0.02) ? random.below(80_000) : random.chance(0.2) ? random.below(4_000) : random.below(300)
    }
  }
}
