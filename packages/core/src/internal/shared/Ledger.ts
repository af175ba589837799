/**
 * The requests of one process, as it knows them: what it tells a store that has lost them.
 */
import type { Policy } from "../../Quota.ts"
import type { Sent } from "./Step.ts"

/** A request that was sent. */
interface Entry {
  readonly nth: number
  /** When its head came, or it ended without one. */
  replied: number | undefined
  held: boolean
}

/** The requests of the last two windows. */
export interface Ledger {
  readonly send: (id: string) => void
  /** Notes the head of a reply; tells whether it is the first. */
  readonly reply: (id: string, now: number) => boolean
  readonly end: (id: string, now: number) => void
  /** Requests that have not ended. */
  readonly running: () => number
  /** All of them, and permits that were granted and not used yet. */
  readonly list: (now: number, granted: ReadonlyArray<string>) => ReadonlyArray<Sent>
  /** Drops what no window can hold any more. */
  readonly forget: (now: number, policies: ReadonlyArray<Policy>) => void
}

/** Builds an empty ledger. */
export const make = (): Ledger => {
  const entries = new Map<string, Entry>()
  let sent = 0
  let running = 0
  return {
    send: (id) => {
      sent += 1
      entries.set(id, { nth: sent, replied: undefined, held: true })
      running += 1
    },
    reply: (id, now) => {
      const entry = entries.get(id)
      if (entry === undefined || entry.replied !== undefined) return false
      entry.replied = now
      return true
    },
    end: (id, now) => {
      const entry = entries.get(id)
      if (entry === undefined || !entry.held) return
      entry.replied ??= now
      entry.held = false
      running -= 1
    },
    running: () => running,
    list: (now, granted) => [
      ...Array.from(entries, ([id, { held, nth, replied }]) => ({
        id,
        nth,
        age: replied === undefined ? -1 : Math.max(0, Math.floor(now - replied)),
        held
      })),
      ...granted.map((id) => ({ id, nth: 0, age: -1, held: true }))
    ],
    forget: (now, policies) => {
      const oldest = now - 2 * Math.max(20_000, ...policies.map(({ window }) => window))
      // In the order of sending, which is nearly that of replies. A few that last long may stand before all others.
      for (const [id, { held, replied = now }] of entries) {
        if (held) continue
        if (replied > oldest) return
        entries.delete(id)
      }
    }
  }
}
