/**
 * The times of replies in a table. Each has the number of its place, without gaps, so that counting is a difference.
 */
import type * as QuotaStore from "@sluice/core/QuotaStore"
import type { DatabaseSync } from "node:sqlite"

/** The log of one account, to be used within a transaction. */
export interface SqliteLog extends QuotaStore.Log {
  /** Reads again what others may have changed. */
  readonly begin: () => void
  readonly clear: () => void
}

/** Builds the log. */
export const make = (database: DatabaseSync, account: string): SqliteLog => {
  const oldest = database.prepare("select place from reply where account = ? order by place limit 1")
  const latest = database.prepare("select place, time from reply where account = ? order by place desc limit 1")
  const after = database.prepare("select place from reply where account = ? and time > ? order by time, place limit 1")
  const at = database.prepare("select time from reply where account = ? and place = ?")
  const byId = database.prepare("select 1 from reply where account = ? and id = ?")
  const insert = database.prepare("insert into reply values (?, ?, ?, ?)")
  const before = database.prepare("delete from reply where account = ? and place < ?")
  const all = database.prepare("select id, time from reply where account = ? order by place")
  const clear = database.prepare("delete from reply where account = ?")
  let first = 1
  let last = 0
  let newest = -Infinity
  /** Counts of this step, which asks for the same ones several times. */
  let counted = new Map<number, number>()

  const placeAfter = (time: number) => {
    if (newest <= time) return last + 1
    const found = after.get(account, time)
    return found === undefined ? last + 1 : Number(found["place"])
  }

  const change = () => {
    counted = new Map()
  }

  const append = (id: string, time: number) => {
    change()
    last += 1
    newest = time
    insert.run(account, last, id, time)
  }

  /** Writes all anew. Rare: only a process that joins again knows of replies in the past. */
  const rewrite = (entries: ReadonlyArray<{ readonly id: string; readonly time: number }>) => {
    clear.run(account)
    first = 1
    last = 0
    newest = -Infinity
    change()
    for (const { id, time } of entries) append(id, time)
  }

  const entries = () => all.all(account).map((row) => ({ id: String(row["id"]), time: Number(row["time"]) }))
  const has = (id: string) => byId.get(account, id) !== undefined
  const remove = (id: string) => {
    if (has(id)) rewrite(entries().filter((entry) => entry.id !== id))
  }

  return {
    begin: () => {
      change()
      const end = latest.get(account)
      first = end === undefined ? 1 : Number(oldest.get(account)?.["place"])
      last = end === undefined ? 0 : Number(end["place"])
      newest = end === undefined ? -Infinity : Number(end["time"])
    },
    clear: () => {
      clear.run(account)
    },
    countAfter: (time) => {
      const known = counted.get(time)
      if (known !== undefined) return known
      const count = last - placeAfter(time) + 1
      counted.set(time, count)
      return count
    },
    newest: (place) => {
      if (place > last - first + 1) return undefined
      const found = at.get(account, last - place + 1)
      return found === undefined ? undefined : Number(found["time"])
    },
    has,
    add: (id, time) => {
      remove(id)
      if (time >= newest) return append(id, time)
      const rest = entries()
      const to = rest.findIndex((entry) => entry.time > time)
      rewrite([...rest.slice(0, to), { id, time }, ...rest.slice(to)])
    },
    remove,
    trim: (time) => {
      const to = placeAfter(time)
      if (to <= first) return
      before.run(account, to)
      first = to
    }
  }
}
