/** What the stand-in has sent over live streams, connection by connection. */
import { nanos } from "../time/Calendar.ts"

/** One frame that was sent. */
export interface SentFrame {
  /** The time of the data at which it was sent. */
  readonly at: string
  /** The frame; a binary one as the text that its bytes are. */
  readonly text: string
}

/** One connection, and what was sent over it. */
export interface JournalEntry {
  /** The number of the connection, from 0. */
  readonly id: number
  /** The path, such as `/timeseries-stream/market-trades`. */
  readonly path: string
  /** The parameters, without the key. */
  readonly parameters: Readonly<Record<string, string>>
  /** The time of the data at which it was opened. */
  readonly opened: string
  /** The time of the data at which it ended; undefined while it is open. */
  readonly ended: string | undefined
  /** Why the service ended it; undefined while it is open, and where the client did. */
  readonly reason: string | undefined
  /** The frames in the order they were sent. */
  readonly frames: ReadonlyArray<SentFrame>
  /** How many of the first frames have been forgotten. */
  readonly forgotten: number
}

/** The journal of one connection as it grows. */
export interface Writer {
  /** When the connection was opened, in milliseconds: it sends what is published after that, and the latest before it. */
  readonly opened: number
  readonly sent: (ms: number, frame: string | Uint8Array) => void
  readonly ended: (ms: number, reason: string | undefined) => void
}

export type Journal = ReturnType<typeof make>

interface Growing extends Pick<JournalEntry, "id" | "path" | "parameters"> {
  readonly opened: number
  ended: number | undefined
  reason: string | undefined
  forgotten: number
}

interface Logged {
  readonly entry: Growing
  readonly ms: number
  readonly text: string
}

const decoder = new TextDecoder()

/** The most connections that are remembered; those that have ended are forgotten first. */
const mostEntries = 10_000

/** Starts a journal, which keeps the latest so many frames of all connections together. */
export const make = (most: number) => {
  const entries: Array<Growing> = []
  let log: Array<Logged> = []
  let opened = 0
  // A part at a time, so that not every frame moves all others.
  const forget = () => {
    const gone = log.length - Math.floor(most * 0.75)
    for (const { entry } of log.slice(0, gone)) entry.forgotten++
    log = log.slice(gone)
  }
  const forgetEntry = () => {
    const n = entries.findIndex(({ ended }) => ended !== undefined)
    if (n >= 0) entries.splice(n, 1)
  }
  return {
    open: (ms: number, path: string, query: ReadonlyMap<string, string>): Writer => {
      const parameters = Object.fromEntries([...query].filter(([name]) => name !== "api_key"))
      const begun = { id: opened++, path, parameters, opened: ms }
      const entry: Growing = { ...begun, ended: undefined, reason: undefined, forgotten: 0 }
      entries.push(entry)
      if (entries.length > mostEntries) forgetEntry()
      return {
        opened: ms,
        sent: (ms, frame) => {
          log.push({ entry, ms, text: typeof frame === "string" ? frame : decoder.decode(frame) })
          if (log.length > most) forget()
        },
        ended: (ms, reason) => {
          entry.ended = ms
          entry.reason = reason
        }
      }
    },
    read: (): ReadonlyArray<JournalEntry> => {
      const frames = new Map<Growing, Array<SentFrame>>(entries.map((entry) => [entry, []]))
      for (const { entry, ms, text } of log) frames.get(entry)?.push({ at: nanos(ms), text })
      return entries.map((entry) => ({
        ...entry,
        opened: nanos(entry.opened),
        ended: entry.ended === undefined ? undefined : nanos(entry.ended),
        frames: frames.get(entry) ?? []
      }))
    }
  }
}
