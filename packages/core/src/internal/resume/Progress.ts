/**
 * How far the records of a json_stream have come, over all requests it takes.
 */
import * as Blocks from "./Blocks.ts"
import type * as Call from "../call/Call.ts"
import * as Series from "../series/Series.ts"

/** The last record emitted, as text and parsed. */
export interface Last {
  readonly text: string
  readonly record: unknown
  /** Where there is one record per block: those emitted of its height. */
  readonly blocks: Blocks.Blocks
}

/** What a reply has to be asked before its records go on. */
export type Resumption =
  /** It begins where the series does. */
  | { readonly _tag: "Fresh" }
  /** It begins with records that were emitted: so many, the last of them this one. */
  | { readonly _tag: "Replayed"; readonly count: number; readonly last: Last }
  /** It begins with the last record that was emitted, or with others of the same key. */
  | { readonly _tag: "Continued"; readonly last: Last }

/** What cannot be read, perhaps because of damage on the way: a record that was emitted before, or one that was not. */
export type Damage = "passed" | "next"

/** Where the records stand, over all attempts. */
export interface Progress {
  readonly series: Series.Series | undefined
  /** What to ask now. */
  readonly call: Call.Call
  /** How its reply is to be read. */
  readonly resumption: Resumption
  /** Requests sent since the last record. */
  readonly attempts: number
  /** Records emitted over all requests. */
  readonly total: number
  /** The last record that the reply in hand brought or went on from; nothing where it brought none. */
  readonly last: unknown
  /** How the last attempt ended, for a reader that has to compare. */
  ending: string | undefined
  /**
   * Whether a record is a block emitted of the last height, to which a reply that was asked for from there on had nothing
   * to add: a block that came late was emitted last, wherever the service puts it.
   */
  readonly isEndOfFork: (record: unknown) => boolean
  /** Notes what a reply could not be read at, and tells whether that is new since the last record. */
  readonly isFirstDamage: (damage: Damage) => boolean
  /** Notes that a request is being sent: the same again, or one for what is left. */
  readonly begin: () => void
  /** Notes how many records of a continued reply stand before what it adds. */
  readonly notePassed: (count: number) => void
  /** Notes what is about to be emitted. */
  readonly deliver: (records: ReadonlyArray<unknown>, last: string) => void
  /** Goes on to what is left to ask for, once a reply came to its end; false when nothing is. */
  readonly advance: () => boolean
}

/** Begins with the request of a call. */
export const make = (first: Call.Call): Progress => {
  const series = Series.of(first.endpoint)
  let calls: readonly [Call.Call, ...ReadonlyArray<Call.Call>] = [first]
  let continuedFrom: Last | undefined
  /** Records of the request in hand, since it is that. */
  let delivered = 0
  /** Records at its start that were emitted before it was sent. */
  let passed = 0
  let last: Last | undefined
  let entities = Series.meeting(series, first)
  let total = 0
  let attempts = 0
  const damages = new Set<Damage>()

  const send = (next: typeof calls, from: Last | undefined) => {
    calls = next
    continuedFrom = from
    delivered = 0
    passed = 0
    entities = Series.meeting(series, next[0])
  }

  const progress: Progress = {
    series,
    ending: undefined,
    get call() {
      return calls[0]
    },
    get total() {
      return total
    },
    get attempts() {
      return attempts
    },
    get last() {
      return (delivered > 0 ? last : continuedFrom)?.record
    },
    get resumption(): Resumption {
      if (delivered > 0 && last !== undefined) return { _tag: "Replayed", count: passed + delivered, last }
      return continuedFrom === undefined ? { _tag: "Fresh" } : { _tag: "Continued", last: continuedFrom }
    },
    isEndOfFork: (record) =>
      series !== undefined &&
      delivered === 0 &&
      continuedFrom?.blocks.has(Blocks.nameOf(record)) === true &&
      Series.isSamePlace(series, calls[0], record, continuedFrom.record),
    isFirstDamage: (damage) => !damages.has(damage) && damages.add(damage).has(damage),
    begin: () => {
      attempts += 1
      const [call, ...later] = calls
      const isFurther = continuedFrom === undefined || Series.isAfter(call, last?.record, continuedFrom.record)
      const isTold = last !== undefined && Blocks.areAll(last.blocks)
      const met = delivered > 0 && isFurther && isTold ? entities.met() : undefined
      const left = met === undefined ? undefined : Series.from(series, call, { met, record: last?.record })
      if (left !== undefined) send([...left, ...later], last)
    },
    notePassed: (count) => {
      passed = count
    },
    deliver: (records, text) => {
      entities.see(records)
      delivered += records.length
      total += records.length
      damages.clear()
      last = { text, record: records.at(-1), blocks: Blocks.after(series, calls[0], last, records) }
      attempts = 1
    },
    advance: () => {
      const [, next, ...later] = calls
      if (next === undefined) return false
      send([next, ...later], undefined)
      attempts = 0
      damages.clear()
      progress.ending = undefined
      return true
    }
  }
  return progress
}
