/** What stands in for the store while it is gone: a quota of this process alone, within its share of every limit. */
import * as MemoryStore from "../shared/MemoryStore.ts"
import * as Share from "../shared/Share.ts"
import type { Answer, Event, Sent } from "../shared/Step.ts"
import type { Store } from "./Steps.ts"

/** Builds what may stand in for the store of a process. */
export const make = (process: string, parallel: number) => {
  let current: Store | undefined
  let count = 0
  return {
    /** Nothing while the store is there. */
    current: (): Store | undefined => current,
    /** Begins to stand in, from the last answer of the store and the requests of the process. */
    begin: (last: Answer, requests: ReadonlyArray<Sent>, now: number) => {
      count += 1
      // It takes the process as new, whatever it knows of the store.
      const generation = `${process}-${count}`
      const own = MemoryStore.make(Share.make(generation, last, requests, Math.floor(now)))
      const share = Math.max(1, Math.floor(parallel / Math.max(1, last.processes)))
      const partOf = (event: Event) =>
        event.type === "head" ? { ...event, reply: Share.replyOf(event.reply, last) } : event
      current = {
        place: "memory",
        awaitWake: own.awaitWake,
        step: (step) =>
          own.step({
            ...step,
            generation,
            before: undefined,
            events: step.events.map(partOf),
            ...(step.join === undefined ? {} : { join: { ...step.join, parallel: share, alone: false } })
          })
      }
    },
    /** The store is there again. */
    end: () => {
      current = undefined
    }
  }
}

/** Stands in for a store. */
export type Fallback = ReturnType<typeof make>
