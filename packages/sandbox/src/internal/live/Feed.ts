/** What one entity publishes, as a live stream sends it: events, numbered by whole numbers, at ascending instants. */
import { SECOND } from "../time/Calendar.ts"
import * as Instant from "../time/Instant.ts"
import * as Rows from "../../data/Rows.ts"

/** One event: a record that was published, and the messages that tell of it. */
export interface Event {
  /** When it was published, in milliseconds since 1970. */
  readonly at: number
  /** Its messages, without sequence ids; each is one line of JSON that ends with `}`. */
  readonly messages: ReadonlyArray<string>
}

/** A record of the series, and when it is known to belong to it. */
export interface Settled {
  readonly at: number
  readonly record: string
}

export interface Feed {
  readonly entity: string
  readonly last: number
  /** Whether an event tells what changed since the one before, so that their order has to stay. */
  readonly isSequential: boolean
  /** How old its last event may be for a connection to begin with it, in milliseconds; any age where not said. */
  readonly freshFor?: number
  /** When an event is published, in milliseconds since 1970. */
  readonly at: (n: number) => number
  /** The number of the first event that is published after an instant. */
  readonly after: (ms: number) => number
  /** The event of a number; as the first one of a connection it may be told in another way. */
  readonly event: (n: number, isFirst: boolean) => Event
  /**
   * Of the events that are published by an instant the one with the latest time, as the first one of a connection; the last one
   * where not said.
   */
  readonly latest?: (ms: number) => Event | undefined
  /** The record that an event leaves in the series. */
  readonly settled: (n: number) => Settled
}

export const first = (self: Feed): number => self.after(Number.NEGATIVE_INFINITY)

/** The event of the latest time that is published by an instant, which a connection may begin with. */
export const latest = (self: Feed, ms: number): Event | undefined => {
  if (self.latest !== undefined) return self.latest(ms)
  const next = self.after(ms)
  return next > first(self) ? self.event(next - 1, true) : undefined
}

/** Adds fields to a record; each is written with a comma before it. */
export const withFields = (record: string, fields: string): string => `${record.slice(0, -1)}${fields}}`

// What is over HTTP alone (docs/interface.md 6.4).
const stored = /,?"database_time":"[^"]*"/

/** Leaves out when the service stored a record, which live records do not say. */
export const withoutStored = (record: string): string => record.replace(stored, "").replace("{,", "{")

const one = (record: string): ReadonlyArray<string> => [record]

/** Keeps the number of a next event within those there are, and the one after the last. */
export const clamp = ({ first, last }: Rows.RowRange, n: number): number => Math.max(first, Math.min(n, last + 1))

/** The rows of an entity as events, one message each where not said. */
export const ofRows = (
  rows: Rows.Rows,
  write: (row: string, at: number) => string,
  split: (record: string, at: number) => ReadonlyArray<string> = one
): Feed => {
  const at = (n: number): number => rows.published?.at?.(n) ?? Instant.wholeMs(rows.timeAt(n))
  const settled = (n: number): Settled => {
    const ms = at(n)
    return { at: ms, record: write(rows.row(n), ms) }
  }
  return {
    entity: rows.entity,
    last: rows.bounds.last,
    isSequential: rows.isSequential ?? false,
    at,
    after: (ms) => clamp(rows.bounds, ms === Number.NEGATIVE_INFINITY ? rows.bounds.first : Rows.until(rows, ms)),
    event: (n) => {
      const { at, record } = settled(n)
      return { at, messages: split(record, at) }
    },
    settled
  }
}

/** Draws whether something happens at an instant that does at one in three. */
export const isThird = (seed: number, ms: number): boolean => Math.floor(ms / SECOND + seed) % 3 === 0
