/**
 * What is left of the oldest messages of a stream whose reader is slow: records become a number, and what tells of the
 * stream itself is kept in its place.
 */
import type { Gap, LiveMessage } from "../../LiveMessage.ts"

/** Messages kept in their places; of more, those that say the same are merged. */
const most = 1_000

type Message = LiveMessage<object>

const told: ReadonlySet<string> = new Set(["Connected", "Disconnected", "Gap", "Reorg", "Warning"])

/**
 * Discards live records and frames of unknown kinds. Records that were read over HTTP are kept: the buffer held their reader back
 * already.
 */
export const live = (kept: Array<Message>, oldest: ReadonlyArray<Message>): void =>
  discard(kept, oldest, (message) => told.has(message._tag) || (message._tag === "Data" && message.origin !== "live"))

/** Discards all but what tells of the stream itself: records and books wherever they came from, and frames of unknown kinds. */
export const shared = (kept: Array<Message>, oldest: ReadonlyArray<Message>): void =>
  discard(kept, oldest, (message) => told.has(message._tag))

const discard = (kept: Array<Message>, oldest: ReadonlyArray<Message>, isKept: (message: Message) => boolean): void => {
  let isNoted = false
  for (const message of oldest) {
    if (isKept(message)) {
      kept.push(message)
      isNoted ||= message._tag !== "Data"
    } else addDropped(kept, message._tag === "Dropped" ? message.count : 1)
  }
  if (!isNoted || kept.length <= most) return
  const merged = merge(kept)
  kept.length = 0
  for (const message of merged) {
    if (message._tag === "Dropped") addDropped(kept, message.count)
    else kept.push(message)
  }
}

const addDropped = (kept: Array<Message>, count: number) => {
  const last = kept.at(-1)
  if (last?._tag === "Dropped") kept[kept.length - 1] = { _tag: "Dropped", count: last.count + count }
  else kept.push({ _tag: "Dropped", count })
}

/** Makes one gap, in the first place, of those of one entity, and keeps the last message of the connections and warnings. */
const merge = (messages: ReadonlyArray<Message>): ReadonlyArray<Message> => {
  const gaps = new Map<string, Gap>()
  const lasts = new Map<string, Message>()
  for (const message of messages) {
    if (message._tag === "Gap") {
      const name = nameOf(message)
      gaps.set(name, { ...message, from: gaps.has(name) ? gaps.get(name)?.from : message.from })
    } else if (isOneOfMany(message)) lasts.set(message._tag, message)
  }
  const placed = new Set<string>()
  return messages.flatMap((message): ReadonlyArray<Message> => {
    if (message._tag !== "Gap") return isOneOfMany(message) && lasts.get(message._tag) !== message ? [] : [message]
    const name = nameOf(message)
    if (placed.has(name)) return []
    placed.add(name)
    return [gaps.get(name) ?? message]
  })
}

const isOneOfMany = ({ _tag }: Message) => _tag === "Connected" || _tag === "Disconnected" || _tag === "Warning"

const nameOf = ({ entity, metrics = [] }: Gap) => [entity, ...metrics].join("\n")
