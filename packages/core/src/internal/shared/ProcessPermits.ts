/**
 * The permits of one process: those that the store has granted, the requests that wait for one, and what the store has
 * to be told of them.
 */
import type { Policy, Reply } from "../../Quota.ts"
import * as Permits from "../quota/Permits.ts"
import type { Moment } from "../retry/Moment.ts"
import * as Lease from "./Lease.ts"
import * as Ledger from "./Ledger.ts"
import type { Event, Sent, Step } from "./Step.ts"

/** Permits of a process, by the lanes of its requests. */
export interface ProcessPermits<Lane> {
  /** Where requests wait for a permit. */
  readonly permits: Permits.Permits<Lane>
  /** Requests that wait, also those for which a permit is there. */
  readonly waiting: () => number
  /** Requests for which no permit is there yet. */
  readonly wanted: () => number
  /** Whether nothing waits, runs or has to be told. */
  readonly isIdle: () => boolean
  /** Notes that a request waits. */
  readonly arrive: (now: number) => void
  /** Notes that a request waits no more; tells whether a permit is left over. */
  readonly depart: () => boolean
  /** Notes that no request waits any more. */
  readonly abandon: () => void
  /** Adds permits that the store has granted. */
  readonly add: (ids: ReadonlyArray<string>, now: number) => void
  /** Takes a permit for a request that is sent; nothing where all came too late to be used. */
  readonly send: (at: Moment) => string | undefined
  /** Notes the head of a reply; tells whether it is the first. */
  readonly reply: (id: string, reply: Reply, now: number) => boolean
  /** Notes the end of a request. */
  readonly end: (id: string, now: number) => void
  /** What to tell the store now, which is then told. */
  readonly report: (at: Moment) => Pick<Step, "want" | "waited" | "events">
  /** Notes that the store has answered what was told last. */
  readonly hear: () => void
  /** All requests that were sent, and permits that were not used yet. */
  readonly list: (now: number) => ReadonlyArray<Sent>
  /** Drops requests that no window can hold any more. */
  readonly forget: (now: number, policies: ReadonlyArray<Policy>) => void
}

/** Begins with none. The store keeps permits for so many milliseconds. */
export const make = <Lane>(lease: number): ProcessPermits<Lane> => {
  const permits = Permits.make<Lane>(0)
  const ledger = Ledger.make()
  const held = Lease.make(lease)
  /** Permits that nobody has taken yet, and the size of `permits`. */
  let granted: Array<string> = []
  let size = 0
  let waiting = 0
  let waitingSince = 0
  let events: Array<Event> = []

  const resize = (to: number) => {
    size = to
    permits.resize(to)
  }

  /** Gives back permits that nobody waits for any more. */
  const giveBack = () => {
    while (granted.length > waiting) {
      events.push({ type: "unused", id: granted.pop()! })
      resize(size - 1)
    }
  }

  /** Drops permits that may be those of others by now. Nothing was sent with them. */
  const dropLate = (at: Moment) => {
    if (granted.length === 0 || !held.isOver(at)) return
    for (const id of granted) events.push({ type: "unused", id })
    resize(size - granted.length)
    granted = []
  }

  return {
    permits,
    waiting: () => waiting,
    wanted: () => waiting - granted.length,
    isIdle: () => waiting === 0 && granted.length === 0 && ledger.running() === 0 && events.length === 0,
    arrive: (now) => {
      if (waiting === 0) waitingSince = now
      waiting += 1
    },
    depart: () => {
      waiting -= 1
      return granted.length > waiting
    },
    abandon: () => {
      waiting = 0
    },
    add: (ids, now) => {
      if (ids.length === 0) return
      granted.push(...ids)
      waitingSince = now
      resize(size + ids.length)
    },
    send: (at) => {
      dropLate(at)
      const id = granted.shift()
      if (id !== undefined) ledger.send(id)
      return id
    },
    reply: (id, reply, now) => {
      const isFirst = ledger.reply(id, now)
      if (isFirst) events.push({ type: "head", id, reply })
      return isFirst
    },
    end: (id, now) => {
      ledger.end(id, now)
      events.push({ type: "end", id })
      resize(size - 1)
    },
    report: (at) => {
      dropLate(at)
      giveBack()
      held.ask(at)
      const want = waiting - granted.length
      const told = events
      events = []
      return { want, waited: want > 0 ? Math.floor(at.monotonic - waitingSince) : 0, events: told }
    },
    hear: held.hear,
    list: (now) => ledger.list(now, granted),
    forget: ledger.forget
  }
}
