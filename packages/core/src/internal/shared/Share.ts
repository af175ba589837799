/**
 * What a process does alone while the store is gone: a state of its own, within its part of every limit.
 */
import * as MemoryLog from "./MemoryLog.ts"
import * as SharedWindow from "./SharedWindow.ts"
import * as State from "./State.ts"
import type { Answer, Sent } from "./Step.ts"

/** Builds the state from the last answer of the store and the requests of the process. */
export const make = (
  generation: string,
  { policies, processes }: Pick<Answer, "policies" | "processes">,
  requests: ReadonlyArray<Sent>,
  now: number
): { readonly state: State.State; readonly log: State.Log } => {
  const log = MemoryLog.make()
  const state = State.make(generation, now)
  for (const { age, id } of requests) if (age >= 0) log.add(id, now - age)
  state.share = Math.max(1, processes)
  const [policy] = policies
  if (policy !== undefined) {
    state.policies = policies
    state.isKnown = true
    state.isNamed = true
    // The window still holds what others sent before. So within one window the process sends only into places that its own
    // requests leave, as each other process does: together they never hold more than they did.
    const own = log.countAfter(now - policy.window) + requests.filter(({ age }) => age < 0).length
    const count = Math.max(0, SharedWindow.limitOf(state, policy) - own)
    // The end of the window is the end of that, so the number does not fade beyond it.
    state.others = { count, until: now + policy.window * 1.01, window: 1, first: undefined }
  }
  return { state, log }
}
