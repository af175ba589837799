/** Collects the parts of records that come in several messages. */
import type { Data, LiveMessage } from "../../LiveMessage.ts"

/** A record of metrics. */
interface Record {
  readonly asset: string
  readonly time: string
}

/** The records whose parts have not all come. */
export interface Merge<A> {
  /** Takes messages, and gives those that are whole now. */
  readonly add: (messages: ReadonlyArray<LiveMessage<A>>, now: number) => ReadonlyArray<LiveMessage<A>>
  /** Gives the records whose first part came at this time or before. */
  readonly flush: (until: number) => ReadonlyArray<LiveMessage<A>>
  /** When the first part of the oldest came; nothing where none waits. */
  readonly since: () => number | undefined
}

interface Held<A> {
  readonly data: Data<A>
  readonly key: unknown
  readonly since: number
}

/** Messages that may come between the parts of a record. */
const between = new Set(["Warning", "Unknown"])

/** Collects records until these metrics are in them. */
export const make = <A extends Record>(metrics: ReadonlyArray<string>): Merge<A> => {
  // One record waits for each asset; the oldest is the first.
  const held = new Map<string, Held<A>>()
  const flush: Merge<A>["flush"] = (until) => {
    const out: Array<LiveMessage<A>> = []
    for (const [asset, { data, since }] of held) {
      if (since > until) continue
      held.delete(asset)
      out.push(data)
    }
    return out
  }
  const take = (data: Data<A>, now: number): ReadonlyArray<LiveMessage<A>> => {
    const { record, origin } = data
    const key: unknown = Reflect.get(record, "hash") ?? record.time
    const before = held.get(record.asset)
    const isPart = before !== undefined && before.key === key && before.data.origin === origin
    const done: ReadonlyArray<LiveMessage<A>> = before === undefined || isPart ? [] : [before.data]
    const whole = isPart ? { ...data, record: { ...before.data.record, ...record } } : data
    if (metrics.every((metric) => Object.hasOwn(whole.record, metric))) {
      held.delete(record.asset)
      return [...done, whole]
    }
    if (!isPart) held.delete(record.asset)
    held.set(record.asset, { data: whole, key, since: isPart ? before.since : now })
    return done
  }
  return {
    add: (messages, now) =>
      messages.flatMap((message) => {
        if (message._tag === "Data") return take(message, now)
        return between.has(message._tag) ? [message] : [...flush(Infinity), message]
      }),
    flush,
    since: () => held.values().next().value?.since
  }
}
