/** The requests of one process, as it knows them: what it tells a store that has lost them. */
import type { Policy } from "../../Quota.ts"
import type { Sent } from "./Step.ts"

interface Entry {
  readonly nth: number
  /** When its head came, or it ended without one. */
  replied: number | undefined
  held: boolean
}

export const make = () => {
  const entries = new Map<string, Entry>()
  let sent = 0
  let running = 0
  return {
    send: (id: string) => {
      sent += 1
      entries.set(id, { nth: sent, replied: undefined, held: true })
      running += 1
    },
    /** Notes the head of a reply; tells whether it is the first. */
    reply: (id: string, now: number): boolean => {
      const entry = entries.get(id)
      if (entry === undefined || entry.replied !== undefined) return false
      entry.replied = now
      return true
    },
    end: (id: string, now: number) => {
      const entry = entries.get(id)
      if (entry === undefined || !entry.held) return
      entry.replied ??= now
      entry.held = false
      running -= 1
    },
    /** Requests that have not ended. */
    running: (): number => running,
    /** All of them, and permits that were granted and not used yet. */
    list: (now: number, granted: ReadonlyArray<string>): ReadonlyArray<Sent> => [
      ...Array.from(entries, ([id, { held, nth, replied }]) => ({
        id,
        nth,
        age: replied === undefined ? -1 : Math.max(0, Math.floor(now - replied)),
        held
      })),
      ...granted.map((id) => ({ id, nth: 0, age: -1, held: true }))
    ],
    /** Drops what no window can hold any more. */
    forget: (now: number, policies: ReadonlyArray<Policy>) => {
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

/** The requests of the last two windows. */
export type Ledger = ReturnType<typeof make>
