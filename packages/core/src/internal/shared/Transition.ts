/** One step of a process against the state of a shared quota. */
import * as Duration from "effect/Duration"
import * as Pace from "../quota/Pace.ts"
import * as Window from "../quota/Window.ts"
import { make, type PermitState, type State, underway } from "./State.ts"
import type { Answer, Event, Join, Step } from "./Step.ts"

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

/** How far the clock may be from the time that is known and still be right, as after a wait for the store. In milliseconds. */
const tolerance = 3_000

const processOf = (state: State, name: string) => state.processes.find(({ id }) => id === name)

/**
 * Moves the clock of the state, which never goes backwards, nor far forward where the process knows better.
 *
 * A clock that is a little behind is waited for: were the difference added to all later times, then small ones would add up, and
 * time that runs faster than that of the service makes places free too early.
 */
const tell = (state: State, { before, generation }: Step, clock: number): number => {
  const told = clock + state.offset
  const own = generation === state.generation ? before?.now : undefined
  const known = Math.max(state.now, own ?? 0)
  if (told < state.now - tolerance || (own !== undefined && told > known + tolerance)) state.offset = known - clock
  state.now = Math.max(state.now, clock + state.offset)
  return state.now
}

/**
 * Whether steps that this process has made are lost, and perhaps those of others, as in a server that took over from another: it has
 * made fewer, or was granted permits that nobody was granted.
 */
const hasLost = (state: State, { before, generation, join, process }: Step) =>
  before !== undefined &&
  generation === state.generation &&
  ((processOf(state, process)?.made ?? Infinity) < before.count ||
    join?.requests.some(({ id }) => numberOf(state, id) > state.last) === true)

/** The number of a permit of this state; 0 for that of another. */
const numberOf = ({ generation }: State, id: string) =>
  id.startsWith(`${generation}-`) ? Number(id.slice(generation.length + 1)) : 0

const permitOf = (state: State, id: string) => state.permits.find((permit) => permit.id === id)

const release = (state: State, permit: PermitState) => {
  state.permits = state.permits.filter((one) => one !== permit)
}

/** Ends a request, which the service may have counted where it ends without a reply. */
const end = (state: State, permit: PermitState, now: number) => {
  if (!permit.isReplied) Window.finish(state, permit, now)
  release(state, permit)
}

/** Takes back a permit with which nothing was sent. */
const discard = (state: State, permit: PermitState) => {
  if (!permit.isReplied) {
    Window.cancel(state, permit)
    state.sent -= 1
  }
  release(state, permit)
}

const purge = (state: State, now: number) => {
  const isDead = ({ lease }: { lease: number }) => lease <= now
  const leases = new Map(state.processes.filter(isDead).map(({ id, lease }) => [id, lease]))
  state.processes = state.processes.filter((process) => !isDead(process))
  for (const permit of state.permits) {
    const lease = leases.get(permit.process)
    if (lease === undefined) continue
    // A process that has not learned of a permit has sent nothing with it. Otherwise it may have sent until its lease ended.
    if (!permit.isTold) discard(state, permit)
    else {
      if (!permit.isReplied) {
        Window.cancel(state, permit)
        Window.insert(state, lease + underway)
      }
      release(state, permit)
    }
  }
}

/** Takes over what a process has sent. What this state has permitted and does not hold any more is in its log. */
const takeOver = (state: State, own: State["processes"][number], { requests }: Join, now: number) => {
  const listed = new Set(requests.map(({ id }) => id))
  for (const permit of state.permits) if (permit.process === own.id && !listed.has(permit.id)) discard(state, permit)
  const { told } = own
  for (const { age, held, id, nth } of requests) {
    own.told = Math.max(own.told, nth)
    const isReplied = age >= 0
    const known = permitOf(state, id)
    const isNews = known === undefined ? nth > told && numberOf(state, id) === 0 : !known.isReplied
    if (isReplied && isNews) Window.insert(state, now - age)
    if (known !== undefined) {
      if (isReplied && isNews) Window.cancel(state, known)
      known.isTold = true
      known.isReplied = isReplied
      if (!held) release(state, known)
    } else if (held) {
      if (!isReplied) state.running += 1
      state.permits.push({ id, process: own.id, sent: now, isProbe: false, isTold: true, isReplied })
    }
  }
}

const join = (state: State, step: Step, joining: Join, now: number) => {
  const { alone, parallel, planned, policies } = joining
  state.parallel = parallel
  if (state.isNamed !== true && policies.length > 0) {
    state.policies = policies
    state.isNamed = true
  } else if (state.isNamed !== true && state.planned === undefined && planned !== undefined) {
    state.planned = planned
    state.policies = [planned]
  }
  // The process has seen a state that is lost. Others may have, and have sent what is not known here.
  if (step.generation !== "" && step.generation !== state.generation) {
    state.grace = Math.max(state.grace, now + step.lease)
  }
  if (alone) state.grace = Math.max(state.grace, now + comeBack)
  let own = processOf(state, step.process)
  if (own === undefined)
    state.processes.push((own = { id: step.process, made: 0, nth: 0, lease: now, want: 0, told: 0 }))
  // Answered steps alone: if others counted, the loss of as many later would not be noticed.
  own.made = step.before?.count ?? 0
  takeOver(state, own, joining, now)
}

const happen = (state: State, event: Event, now: number) => {
  const permit = permitOf(state, event.id)
  if (permit === undefined) return
  if (event.type === "unused") return discard(state, permit)
  if (event.type === "end") return end(state, permit, now)
  permit.isReplied = true
  Window.finish(state, permit, now, event.reply)
}

const heldBy = (state: State, process: string) => state.permits.filter((permit) => permit.process === process).length

const grant = (state: State, process: string, now: number, isProbe: boolean) => {
  state.last += 1
  const id = `${state.generation}-${state.last}`
  state.permits.push({ ...Window.send(state, isProbe, now), id, process, isTold: false, isReplied: false })
  const served = processOf(state, process)!
  served.want -= 1
  // One permit a turn: a process that waits for many does not delay one that waits for one.
  state.processes = [...state.processes.filter((one) => one !== served), served]
}

/** The first process in line, of those that hold no more than their part of the permits while there is one. */
const nextInLine = (state: State) => {
  const waiting = state.processes.filter(({ want }) => want > 0)
  const active = state.processes.filter(({ id, want }) => want > 0 || heldBy(state, id) > 0).length
  const part = Math.ceil(Pace.parallelOf(state) / Math.max(1, active))
  return waiting.find(({ id }) => heldBy(state, id) < part) ?? waiting[0]
}

const isPermitFree = (state: State) => state.permits.length < Pace.parallelOf(state)

/** The known time at which one more request fits, once all processes have told what they sent. */
const nextAt = (state: State, now: number) => Math.max(state.grace, Window.waitOf(state, now).at)

/** Gives permits to those that wait, as long as there are any and the windows have room. */
const serve = (state: State, now: number) => {
  const served = new Set<string>()
  while (isPermitFree(state)) {
    const next = nextInLine(state)
    if (next === undefined) break
    if (nextAt(state, now) > now) {
      Window.noteWait(state, now)
      break
    }
    served.add(next.id)
    grant(state, next.id, now, false)
  }
  return served
}

/** Fails a wait that is too long, or sends a probe to learn whether it still is. */
const judgeWait = (state: State, step: Step, now: number) => {
  const verdict = Window.judge(state, step, now - step.waited, now)
  if (typeof verdict === "number") return undefined
  if (verdict !== "probe") return { ...verdict, until: Math.ceil(verdict.until - now) }
  grant(state, step.process, now, true)
  return undefined
}

/** When the process is to ask again. One process comes when a place becomes free; the others only if it does not. */
const nextTick = (state: State, process: string, now: number): number | undefined => {
  const isWaiting = state.processes.some(({ want }) => want > 0)
  const at = isWaiting && isPermitFree(state) ? nextAt(state, now) : Infinity
  if (at === Infinity) return undefined
  const tick = Math.max(Math.ceil(at), now + shortestTick)
  const isPromised = state.ticker !== process && state.tickAt > now && state.tickAt <= tick + shortestTick
  if (isPromised) return tick - now + afterTick
  state.tickAt = tick
  state.ticker = process
  return tick - now
}

const answerOf = (state: State, now: number): Answer => {
  const waiting = state.processes.reduce((total, { want }) => total + want, 0)
  const inGrace = now < state.grace && { remaining: 0, reset: Duration.millis(nextAt(state, now) - now) }
  return {
    generation: state.generation,
    now,
    isUnknown: false,
    granted: [],
    wait: undefined,
    cause: undefined,
    reason: undefined,
    tooLong: undefined,
    policies: state.isNamed === true ? state.policies : [],
    state: { ...Window.stateOf(state, now), ...inGrace, inFlight: state.permits.length, waiting },
    processes: state.processes.length
  }
}

/** Makes one step. `before` is changed. */
export const advance = (before: State | undefined, step: Step, clock: number): Next => {
  const state = before ?? make(step.nonce, clock)
  if (hasLost(state, step)) return advance(undefined, step, clock)
  // Nobody waits any more for the answer to a step that another of its process has overtaken. Its time is an old one.
  const isLate = (step.nth ?? Infinity) <= (processOf(state, step.process)?.nth ?? 0)
  const now = tell(state, isLate ? { ...step, before: undefined } : step, clock)
  purge(state, now)
  if (step.join !== undefined && !isLate) join(state, step, step.join, now)
  const own = processOf(state, step.process)
  if (own === undefined || isLate || (step.join === undefined && step.generation !== state.generation)) {
    return { state, answer: { ...answerOf(state, now), isUnknown: true }, wake: [] }
  }
  own.made += 1
  own.nth = step.nth ?? 0
  own.lease = now + step.lease
  // A process that begins to wait stands behind those that wait.
  if (own.want === 0 && step.want > 0) state.processes = [...state.processes.filter((one) => one !== own), own]
  for (const event of step.events) happen(state, event, now)
  const isUntold = ({ isTold, process }: PermitState) => process === own.id && !isTold
  own.want = Math.max(0, step.want - state.permits.filter(isUntold).length)
  const served = serve(state, now)
  const isHeld = () => own.want > 0 && isPermitFree(state)
  const tooLong = isHeld() && state.grace <= now ? judgeWait(state, step, now) : undefined
  const wait = nextTick(state, own.id, now)
  const held = isHeld() ? Window.waitOf(state, now) : undefined
  const told = state.permits.filter(isUntold)
  for (const permit of told) permit.isTold = true
  served.delete(own.id)
  return {
    state,
    answer: {
      ...answerOf(state, now),
      granted: told.map(({ id }) => id),
      wait,
      cause: held !== undefined ? Window.causeOf(held, now) : own.want > 0 ? "permit" : undefined,
      reason: held !== undefined ? Window.reasonOf(state, held) : undefined,
      tooLong
    },
    wake: [...served]
  }
}
