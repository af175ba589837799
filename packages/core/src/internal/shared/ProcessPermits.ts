/**
 * The permits of one process: those that the store has granted, the requests that wait for one, and what the store has
 * to be told of them.
 */
import type { Reply } from "../../Quota.ts"
import * as Permits from "../quota/Permits.ts"
import type { Moment } from "../retry/Moment.ts"
import * as Ledger from "./Ledger.ts"
import type { Event, Sent, Step } from "./Step.ts"

/** Begins with none. The store keeps permits for so many milliseconds. */
export const make = <Lane>(lease: number) => {
  /** Where requests wait for a permit. */
  const permits = Permits.make<Lane>(0)
  const ledger = Ledger.make()
  const held = makeLease(lease)
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
    /** Requests that wait, also those for which a permit is there. */
    waiting: (): number => waiting,
    /** Requests for which no permit is there yet. */
    wanted: (): number => waiting - granted.length,
    /** Whether nothing waits, runs or has to be told. */
    isIdle: (): boolean => waiting === 0 && granted.length === 0 && ledger.running() === 0 && events.length === 0,
    /** Notes that a request waits. */
    arrive: (now: number) => {
      if (waiting === 0) waitingSince = now
      waiting += 1
    },
    /** Notes that a request waits no more; tells whether a permit is left over. */
    depart: (): boolean => {
      waiting -= 1
      return granted.length > waiting
    },
    /** Notes that no request waits any more. */
    abandon: () => {
      waiting = 0
    },
    /** Adds permits that the store has granted. */
    add: (ids: ReadonlyArray<string>, now: number) => {
      if (ids.length === 0) return
      granted.push(...ids)
      waitingSince = now
      resize(size + ids.length)
    },
    /** Takes a permit for a request that is sent; nothing where all came too late to be used. */
    send: (at: Moment): string | undefined => {
      dropLate(at)
      const id = granted.shift()
      if (id !== undefined) ledger.send(id)
      return id
    },
    /** Notes the head of a reply; tells whether it is the first. */
    reply: (id: string, reply: Reply, now: number): boolean => {
      const isFirst = ledger.reply(id, now)
      if (isFirst) events.push({ type: "head", id, reply })
      return isFirst
    },
    /** Notes the end of a request. */
    end: (id: string, now: number) => {
      ledger.end(id, now)
      events.push({ type: "end", id })
      resize(size - 1)
    },
    /** What to tell the store now, which is then told. */
    report: (at: Moment): Pick<Step, "want" | "waited" | "events"> => {
      dropLate(at)
      giveBack()
      held.ask(at)
      const want = waiting - granted.length
      const told = events
      events = []
      return { want, waited: want > 0 ? Math.floor(at.monotonic - waitingSince) : 0, events: told }
    },
    /** Notes that the store has answered what was told last. */
    hear: held.hear,
    /** All requests that were sent, and permits that were not used yet. */
    list: (now: number): ReadonlyArray<Sent> => ledger.list(now, granted),
    /** Drops requests that no window can hold any more. */
    forget: ledger.forget
  }
}

/** Permits of a process, by the lanes of its requests. */
export type ProcessPermits<Lane> = ReturnType<typeof make<Lane>>

/**
 * For how many milliseconds a store keeps the permits of this process, as the process can know it: from the sending of the newest
 * step that was answered. One that stood still for longer (frozen, starved, on a machine that slept) may have lost them to others.
 */
const makeLease = (length: number) => {
  let asked: Moment = { monotonic: -Infinity, wall: -Infinity }
  let heard = asked
  return {
    /** Notes that a step is sent. */
    ask: (at: Moment) => {
      asked = at
    },
    /** Notes that it was answered. */
    hear: () => {
      heard = asked
    },
    /** Whether permits that were granted before may be those of others. */
    isOver: ({ monotonic, wall }: Moment): boolean =>
      monotonic - heard.monotonic >= length || wall - heard.wall >= length
  }
}
