/**
 * The times of replies in memory.
 */
import * as Window from "../quota/Window.ts"
import type { Log } from "./State.ts"

/** Builds an empty log. */
export const make = (): Log => {
  const byId = new Map<string, number>()
  let ids: Array<string> = []
  let times: Array<number> = []
  // The part before this index has been dropped. A time that is added late may be earlier than those in it.
  let head = 0

  const after = (time: number) => Window.lowerBound(times, time, head)

  const remove = (id: string) => {
    if (!byId.delete(id)) return
    const at = ids.lastIndexOf(id)
    ids.splice(at, 1)
    times.splice(at, 1)
  }

  return {
    countAfter: (time) => times.length - after(time),
    newest: (place) => (place > times.length - head ? undefined : times[times.length - place]),
    has: (id) => byId.has(id),
    add: (id, time) => {
      remove(id)
      const at = after(time)
      byId.set(id, time)
      ids.splice(at, 0, id)
      times.splice(at, 0, time)
    },
    remove,
    trim: (time) => {
      const to = after(time)
      for (; head < to; head++) byId.delete(ids[head]!)
      if (head < 4_096) return
      ids = ids.slice(head)
      times = times.slice(head)
      head = 0
    }
  }
}
