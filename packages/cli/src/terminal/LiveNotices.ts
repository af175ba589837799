/** What `sluice tail` says on standard error: what happened to the connection, and which records may be missing. */
import { harmless } from "@sluice/core/PlainText"
import type { Gap, LiveMessage } from "@sluice/core/LiveMessage"
import * as Amount from "./Amount.ts"
import type * as Style from "./Style.ts"

/** Something to say: a sentence for people, and the same as data. */
export interface Notice {
  readonly text: string
  readonly data: object
  /** A `warning` needs attention, and `news` is what came of one. A `note` is for terminals, and for `--json`. */
  readonly kind: "warning" | "news" | "note"
}

export type Notices = ReturnType<typeof make>

export const lineOf = ({ kind, text }: Notice, style: Style.Style): string =>
  kind === "warning" ? `warning: ${text}\n` : `${style.dim(text)}\n`

/** Warnings of the library, which the service knows nothing of. */
const own = new Set(["unasked_entity", "before_since", "sequence_jump", "unsound_book"])

/** Begins to listen. Where history is read first, its records are counted also if there are none. */
export const make = (hasHistory = false) => {
  let isHistoryDue = hasHistory
  let history = 0
  const total = { connections: 0, filled: 0, gaps: 0, dropped: 0 }

  const flush = (): ReadonlyArray<Notice> => {
    if (history === 0) return []
    const said = noteOf(history)
    history = 0
    isHistoryDue = false
    return [said]
  }

  const ofMessage = (message: Exclude<LiveMessage<unknown>, { readonly _tag: "Data" }>): ReadonlyArray<Notice> => {
    switch (message._tag) {
      case "Connected": {
        total.connections = message.connection
        const data = { connected: { connection: message.connection } }
        const connected: Notice =
          message.connection === 1
            ? note("Connected; Ctrl-C ends it.", data)
            : { text: "Connected again.", data, kind: "news" }
        const isEmpty = isHistoryDue
        isHistoryDue = false
        return isEmpty ? [noteOf(0), connected] : [connected]
      }
      case "Disconnected":
        return [
          warn(harmless(`the connection is lost: ${message.error.message}`), { disconnected: errorOf(message.error) })
        ]
      case "Gap": {
        total.gaps += 1
        return [warn(harmless(sentenceOf(message)), { gap: dataOf(message) })]
      }
      case "Dropped": {
        total.dropped += message.count
        const text = `${Amount.some(message.count, "record")} dropped: the output is slower than the service`
        return [warn(text, { dropped: { count: message.count } })]
      }
      case "Warning": {
        const said = [message.type, message.message].filter((part) => part !== "").join(": ")
        const whose = own.has(message.type) ? "" : "the service says: "
        return [warn(harmless(`${whose}${said}`), { service: { type: message.type, message: message.message } })]
      }
      case "Reorg":
        return [
          note(harmless(`${message.asset}: block ${message.height ?? ""} ${message.hash ?? ""} left the main chain.`), {
            reorg: message.frame
          })
        ]
      case "Unknown":
        return [warn("a frame of an unknown kind; --format messages shows it", { unknown: message.frame })]
    }
  }

  return {
    /** What to say after these messages. */
    see: (messages: ReadonlyArray<LiveMessage<unknown>>): ReadonlyArray<Notice> =>
      messages.flatMap((message) => {
        if (message._tag !== "Data") return [...flush(), ...ofMessage(message)]
        if (message.origin === "history") history += 1
        // The library logs of which entities they are.
        else if (message.origin === "filled") total.filled += 1
        else return flush()
        return []
      }),
    /** What to say at the end; nothing where nothing happened. */
    summary: (): ReadonlyArray<Notice> => {
      const rest = flush()
      const { connections, dropped, filled, gaps } = total
      const parts = [
        ...(connections > 1 ? [Amount.some(connections, "connection")] : []),
        ...(filled > 0 ? [`${Amount.some(filled, "record")} filled over HTTP`] : []),
        ...(gaps > 0 ? [Amount.some(gaps, "gap")] : []),
        ...(dropped > 0 ? [`${Amount.some(dropped, "record")} dropped`] : [])
      ]
      const summary: Notice = { text: `${parts.join(", ")}.`, data: { summary: { ...total } }, kind: "news" }
      return parts.length === 0 ? rest : [...rest, summary]
    }
  }
}

const noteOf = (history: number) =>
  note(`${history === 0 ? "No records" : Amount.some(history, "record")} of history; live from here.`, {
    history: { records: history }
  })

const note = (text: string, data: object): Notice => ({ text, data, kind: "note" })

const warn = (text: string, data: object): Notice => ({ text, data, kind: "warning" })

const errorOf = ({ _tag, message }: { readonly _tag: string; readonly message: string }) => ({ tag: _tag, message })

const whyOf = ({ error, reason }: Gap): string => {
  if (reason === "unfillable") return "HTTP does not have them"
  if (reason === "forgotten") return "the stream does not remember any more which of them it has delivered"
  if (reason === "lagging") return "the HTTP side did not catch up in time"
  return `the HTTP request failed${error === undefined ? "" : `: ${error.message}`}`
}

const sentenceOf = (gap: Gap): string => {
  const what = gap.metrics === undefined ? gap.entity : `${gap.entity} (${gap.metrics.join(", ")})`
  const from = gap.from === undefined ? "before" : `after ${gap.unit} ${gap.from} and before`
  return `${what}: records may be missing ${from} ${gap.to}: ${whyOf(gap)}`
}

const dataOf = ({ _tag, error, ...gap }: Gap) => (error === undefined ? gap : { ...gap, error: errorOf(error) })

/** A message as plain data, for a line of JSON. */
export const plain = (message: LiveMessage<unknown>): object => {
  if (message._tag === "Disconnected") return { ...message, error: errorOf(message.error) }
  return message._tag === "Gap" ? { _tag: message._tag, ...dataOf(message) } : message
}
