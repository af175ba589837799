/** What a process does alone while the store is gone: a state of its own, within its part of every limit. */
import type { Policy, Reply } from "../../Quota.ts"
import * as Plans from "../quota/Plans.ts"
import * as State from "./State.ts"
import type { Answer, Sent } from "./Step.ts"

/** What the store answered last. */
export type Last = Pick<Answer, "policies" | "processes">

const limitOf = (limit: number, { processes }: Last) => Math.max(1, Math.floor(limit / Math.max(1, processes)))

const policyOf = ({ limit, window }: Policy, last: Last): Policy => ({ limit: limitOf(limit, last), window })

/** Builds the state from the last answer of the store and the requests of the process, which joins with them. */
export const make = (generation: string, last: Last, requests: ReadonlyArray<Sent>, now: number): State.State => {
  const state = State.make(generation, now)
  const [policy] = last.policies
  if (policy !== undefined) {
    const { window } = policy
    state.policies = last.policies.map((policy) => policyOf(policy, last))
    state.isNamed = true
    // The window still holds what others sent before. So within one window the process sends only into places that its own
    // requests leave, as each other process does: together they never hold more than they did.
    const own = requests.filter(({ age }) => age < window).length
    const count = Math.max(0, limitOf(policy.limit, last) - own)
    // The end of the window is the end of that, so the number does not fade beyond it.
    state.others = { count, until: now + window * 1.01, window: 1, first: undefined }
  }
  return state
}

/** What a reply tells of the part. What belongs to the parts of the others is left to them already. */
export const replyOf = (reply: Reply, last: Last): Reply => {
  const learned = Plans.learn(last.policies, reply)
  if (learned === undefined) return reply
  const policies = learned.map((policy) => policyOf(policy, last))
  const limit = policies[0]?.limit
  const isTold = reply.limit !== undefined && reply.remaining !== undefined && limit !== undefined
  return { ...reply, policies, limit, remaining: isTold ? Math.min(reply.remaining, limit) : undefined }
}
