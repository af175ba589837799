/**
 * Counts the messages that a full buffer discards.
 */
import type { Dropped } from "../../LiveMessage.ts"

interface Message {
  readonly _tag: string
}

const isDropped = (message: Message): message is Dropped => message._tag === "Dropped"

/** The messages with something of the series in them. Others say how the connection is. */
const counted = new Set(["Data", "Book"])

/** The message that stands for discarded ones, and for those that another such message before stood for. */
export const count = (discarded: ReadonlyArray<Message>, before: Message | undefined): Dropped => {
  let count = before !== undefined && isDropped(before) ? before.count : 0
  for (const message of discarded) {
    if (isDropped(message)) count += message.count
    else if (counted.has(message._tag)) count += 1
  }
  return { _tag: "Dropped", count }
}
