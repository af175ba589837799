/**
 * One step of a process against the state of a shared quota. `Script.ts` is the same in the language of Redis, and a test
 * compares their answers.
 */
import * as SharedPace from "./SharedPace.ts"
import * as SharedWindow from "./SharedWindow.ts"
import { type Log, make, never, type PermitState, type State } from "./State.ts"
import type { Answer, Event, Hold, Join, Step } from "./Step.ts"

/** The shortest time after which a process is asked to come again: places that become free meanwhile are given at once. */
const shortestTick = 10

/** How much later than the process that promised to ask again the others do, in case it has died. */
const afterTick = 250

/** How long nothing is sent after a process was without the store: until then the others have come back too. */
const comeBack = 2_000

/** The state after a step. */
export interface Next {
  readonly state: State
  readonly answer: Answer
  /** Other processes that got permits. */
  readonly wake: ReadonlyArray<string>
}

/** How far the clock may be behind the newest time and still be waited for, in milliseconds. */
const patience = 1_000

/**
 * Moves the clock of the state, which never goes backwards.
 *
 * A clock that is a little behind is waited for: were the difference added to all later times, then small ones would add up, and
 * time that runs faster than that of the service makes places free too early.
 */
const tell = (state: State, clock: number): number => {
  if (clock + state.offset < state.now - patience) state.offset = state.now - clock
  state.now = Math.max(state.now, clock + state.offset)
  return state.now
}

const release = (state: State, id: string) => {
  state.permits = state.permits.filter((permit) => permit.id !== id)
  if (state.probe === id) state.probe = undefined
}

/** Ends a request without a reply, which the service may have counted. */
const abandon = (state: State, log: Log, { id, isReplied }: PermitState, now: number) => {
  if (!isReplied) log.add(id, now)
  release(state, id)
}

const purge = (state: State, log: Log, now: number) => {
  const dead = state.processes.filter(({ lease }) => lease <= now).map(({ id }) => id)
  if (dead.length === 0) return
  state.processes = state.processes.filter(({ id }) => !dead.includes(id))
  for (const permit of state.permits.filter(({ process }) => dead.includes(process))) abandon(state, log, permit, now)
}

const join = (state: State, log: Log, { generation, lease, process }: Step, joining: Join, now: number) => {
  const { alone, parallel, planned, policies, requests } = joining
  const isNew = !state.processes.some(({ id }) => id === process)
  state.parallel = parallel
  if (!state.isKnown && policies.length > 0) {
    state.policies = policies
    state.isKnown = true
    state.isNamed = true
  } else if (!state.isKnown && planned !== undefined) {
    state.planned = planned
    state.policies = [planned]
    state.isKnown = true
  }
  // The process has seen a state that is lost. Others may have, and have sent what is not known here.
  if (generation !== "" && generation !== state.generation) state.grace = Math.max(state.grace, now + lease)
  if (alone) state.grace = Math.max(state.grace, now + comeBack)
  if (isNew) state.processes.push({ id: process, lease: now + lease, want: 0 })
  for (const { id, isReplied, process: owner } of state.permits) {
    if (owner !== process || requests.some((request) => request.id === id)) continue
    // The process was never told of it, so it sent nothing.
    if (!isReplied) state.sent -= 1
    release(state, id)
  }
  for (const { age, held, id } of requests) {
    const known = state.permits.find((permit) => permit.id === id)
    if (age < 0) log.remove(id)
    else if (!log.has(id)) log.add(id, now - age)
    if (!held) release(state, id)
    else if (known === undefined) {
      state.permits.push({ id, process, sent: now, isProbe: false, isTold: true, isReplied: age >= 0 })
    } else {
      known.isTold = true
      known.isReplied = age >= 0
    }
  }
}

const happen = (state: State, log: Log, event: Event, now: number) => {
  const permit = state.permits.find(({ id }) => id === event.id)
  if (event.type === "unused") {
    if (permit !== undefined) state.sent -= 1
    return release(state, event.id)
  }
  if (event.type === "end") return permit === undefined ? undefined : abandon(state, log, permit, now)
  const { reply } = event
  state.plan = reply.plan ?? state.plan
  if (reply.status === 429) state.rejected += 1
  if (permit === undefined || permit.isReplied) return
  permit.isReplied = true
  const { isProbe, sent } = permit
  if (reply.status !== 429) log.add(permit.id, now)
  SharedWindow.observe(state, log, { isProbe, sent, now, status: reply.status }, reply)
  if (state.probe === permit.id) state.probe = undefined
}

const heldBy = (state: State, process: string) => state.permits.filter((permit) => permit.process === process).length

const grant = (state: State, process: string, now: number, isProbe: boolean): string => {
  state.last += 1
  const id = `${state.generation}-${state.last}`
  state.permits.push({ id, process, sent: now, isProbe, isTold: false, isReplied: false })
  state.sentAt = now
  state.sent += 1
  const served = state.processes.find((one) => one.id === process)!
  served.want -= 1
  // One permit a turn: a process that waits for many does not delay one that waits for one.
  state.processes = [...state.processes.filter((one) => one !== served), served]
  return id
}

/** The first process in line, of those that hold no more than their part of the permits while there is one. */
const nextInLine = (state: State) => {
  const waiting = state.processes.filter(({ want }) => want > 0)
  const held = state.processes.map(({ id }) => heldBy(state, id))
  const active = state.processes.filter(({ want }, index) => want > 0 || held[index]! > 0).length
  const part = Math.ceil(SharedPace.parallel(state) / Math.max(1, active))
  return waiting.find(({ id }) => heldBy(state, id) < part) ?? waiting[0]
}

const isPermitFree = (state: State) => state.permits.length < SharedPace.parallel(state)

/** Gives permits to those that wait, as long as there are any and the windows have room. */
const serve = (state: State, log: Log, now: number) => {
  const served = new Set<string>()
  while (isPermitFree(state)) {
    const next = nextInLine(state)
    if (next === undefined) break
    if (SharedWindow.nextAt(state, log, now) > now) {
      SharedWindow.noteWait(state, log, now)
      break
    }
    served.add(next.id)
    grant(state, next.id, now, false)
  }
  return served
}

/** Fails a wait that is too long, or sends a probe to learn whether it still is. */
const judgeWait = (state: State, log: Log, step: Step, now: number): Hold | undefined => {
  const { longest, probeAfter, process, waited } = step
  if (longest < 0 || !state.processes.some(({ id, want }) => id === process && want > 0)) return undefined
  const at = SharedWindow.nextAt(state, log, now)
  if (!isPermitFree(state) || at <= now || at === Infinity) return undefined
  const { by, limit, until } = SharedWindow.hold(state, log, now)
  if (until - (now - waited) <= longest || state.probe !== undefined) return undefined
  if (state.sentAt !== never && now - state.sentAt < probeAfter) return { until: Math.ceil(until - now), by, limit }
  SharedWindow.startProbe(state, log, now)
  state.probe = grant(state, process, now, true)
  return undefined
}

/** When the process is to ask again. One process comes when a place becomes free; the others only if it does not. */
const nextTick = (state: State, log: Log, process: string, now: number): number => {
  const isWaiting = state.processes.some(({ want }) => want > 0)
  const at = isWaiting && isPermitFree(state) ? SharedWindow.nextAt(state, log, now) : Infinity
  if (at === Infinity) return -1
  const tick = Math.max(Math.ceil(at), now + shortestTick)
  const isPromised = state.ticker !== process && state.tickAt > now && state.tickAt <= tick + shortestTick
  if (isPromised) return tick - now + afterTick
  state.tickAt = tick
  state.ticker = process
  return tick - now
}

const answerOf = (
  state: State,
  log: Log,
  now: number,
  fields: Pick<Answer, "granted" | "wait" | "tooLong" | "cause">
) => {
  const at = SharedWindow.nextAt(state, log, now)
  return {
    ...fields,
    generation: state.generation,
    isUnknown: false,
    isAsked: state.block.isAsked,
    policies: state.isNamed ? state.policies : [],
    plan: state.plan,
    tightest: SharedWindow.tightest(state),
    remaining: SharedWindow.remaining(state, log, now),
    reset: at === Infinity ? -1 : Math.ceil(at - now),
    inFlight: state.permits.length,
    waiting: state.processes.reduce((total, { want }) => total + want, 0),
    sent: state.sent,
    rejected: state.rejected,
    processes: state.processes.length
  }
}

const causeOf = (state: State, log: Log, process: string, now: number) => {
  if (!state.processes.some(({ id, want }) => id === process && want > 0)) return undefined
  return isPermitFree(state) ? SharedWindow.waitCause(state, log, now) : "permit"
}

/** Makes one step. `before` is changed. */
export const advance = (before: State | undefined, log: Log, step: Step, clock: number): Next => {
  const state = before ?? make(step.nonce, clock)
  const now = tell(state, clock)
  purge(state, log, now)
  const nothing = { granted: [], wait: -1, tooLong: undefined, cause: undefined }
  if (step.join !== undefined) join(state, log, step, step.join, now)
  const own = state.processes.find(({ id }) => id === step.process)
  if (own === undefined || (step.join === undefined && step.generation !== state.generation)) {
    return { state, answer: { ...answerOf(state, log, now, nothing), isUnknown: true }, wake: [] }
  }
  own.lease = now + step.lease
  if (own.want === 0 && step.want > 0) {
    state.processes = [...state.processes.filter((one) => one !== own), own]
  }
  for (const event of step.events) happen(state, log, event, now)
  // Permits that the process has not been told of are for requests that it still counts as waiting.
  own.want = Math.max(0, step.want - state.permits.filter((one) => one.process === own.id && !one.isTold).length)
  SharedWindow.forget(state, log, now)
  const served = serve(state, log, now)
  const tooLong = judgeWait(state, log, step, now)
  const wait = nextTick(state, log, own.id, now)
  const cause = causeOf(state, log, own.id, now)
  const fresh = state.permits.filter((permit) => permit.process === own.id && !permit.isTold)
  for (const permit of fresh) permit.isTold = true
  const granted = fresh.map(({ id }) => id)
  return {
    state,
    answer: answerOf(state, log, now, { granted, wait, tooLong, cause }),
    wake: [...served].filter((id) => id !== own.id)
  }
}
