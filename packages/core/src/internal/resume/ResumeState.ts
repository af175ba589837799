/** What has been emitted of a json_stream, and what to request next, over all its requests. */
import * as EmittedIds from "./EmittedIds.ts"
import type * as Call from "../call/Call.ts"
import * as Series from "../series/Series.ts"

/** The last record emitted, as text and parsed. */
export interface LastRecord {
  readonly text: string
  readonly record: unknown
  /** Where records may share a position: those emitted at its own. */
  readonly ids: EmittedIds.EmittedIds
}

/** Which records the next reply begins with. */
export type Resumption =
  /** With the first record of the request: nothing of it was emitted. */
  | { readonly _tag: "Fresh" }
  /** With `count` records that were emitted. The last of them is `last`. */
  | { readonly _tag: "Replayed"; readonly count: number; readonly last: LastRecord }
  /** With the last record that was emitted, or with others of its position. */
  | { readonly _tag: "Continued"; readonly last: LastRecord }

/** Where unreadable bytes stood: among records emitted before, or among new ones. */
export type DamagePosition = "replayed" | "new"

/** The state of one call, over all its requests. */
export interface ResumeState {
  readonly series: Series.Series | undefined
  /** The call to send now. */
  readonly call: Call.Call
  /** What its reply begins with. */
  readonly resumption: Resumption
  /** Requests sent since the last record. */
  readonly attempts: number
  /** Records emitted over all requests. */
  readonly total: number
  /** The last record of the current reply, or the record it continues from; nothing where it brought none. */
  readonly last: unknown
  /** The requests that read the current one again from its last record on; nothing where that is not possible. */
  readonly rest: ReadonlyArray<Call.Call> | undefined
  /** The unfinished last line of the previous attempt, which the reader compares with the next one. */
  unfinished: string | undefined
  /**
   * Whether a record is one of those emitted at the last position, when a reply requested from there brought nothing new. A
   * record that came late was emitted last, wherever the service sorts it.
   */
  readonly isAtEnd: (record: unknown) => boolean
  /** Whether a record is one of those emitted at the last position. */
  readonly isEmitted: (record: unknown) => boolean
  /** Notes damage at a position. Tells whether it is the first there since the last record. */
  readonly isFirstDamage: (position: DamagePosition) => boolean
  /** Notes that a request is about to be sent, and narrows it to the rest where that is possible. */
  readonly startRequest: () => void
  /** Notes how many records at the start of a continued reply were emitted before. */
  readonly noteSkipped: (count: number) => void
  /** Notes records that are about to be emitted. */
  readonly noteEmitted: (records: ReadonlyArray<unknown>, lastText: string) => void
  /** Moves on to the next request once a reply is complete. Returns false when there is none. */
  readonly advance: () => boolean
}

/** Builds the state at the start of a call. */
export const make = (first: Call.Call): ResumeState => {
  const series = Series.of(first)
  let calls: readonly [Call.Call, ...ReadonlyArray<Call.Call>] = [first]
  let continuedFrom: LastRecord | undefined
  /** Records emitted of the current request. */
  let emitted = 0
  /** Records at the start of its reply that an earlier request has emitted. */
  let skipped = 0
  let last: LastRecord | undefined
  let entities = Series.trackEntities(series, first)
  let total = 0
  let attempts = 0
  const damages = new Set<DamagePosition>()

  const replaceCalls = (next: typeof calls, from: LastRecord | undefined) => {
    calls = next
    continuedFrom = from
    emitted = 0
    skipped = 0
    entities = Series.trackEntities(series, next[0])
  }

  const restOf = (call: Call.Call) => {
    const seen = entities.seen()
    if (seen === undefined) return undefined
    return Series.requestsFrom(series, call, { seen, begin: entities.begin(), record: last?.record })
  }

  const state: ResumeState = {
    series,
    unfinished: undefined,
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
      return (emitted > 0 ? last : continuedFrom)?.record
    },
    get resumption(): Resumption {
      if (emitted > 0 && last !== undefined) return { _tag: "Replayed", count: skipped + emitted, last }
      return continuedFrom === undefined ? { _tag: "Fresh" } : { _tag: "Continued", last: continuedFrom }
    },
    get rest() {
      return emitted > 0 ? restOf(calls[0]) : continuedFrom && [calls[0]]
    },
    isAtEnd: (record) => emitted === 0 && state.isEmitted(record),
    isEmitted: (record) => {
      const from = emitted > 0 ? last : continuedFrom
      return (
        series !== undefined &&
        from?.ids.counts.has(Series.idOf(series, record)) === true &&
        Series.isSamePosition(series, record, from.record)
      )
    },
    isFirstDamage: (position) => !damages.has(position) && damages.add(position).has(position),
    startRequest: () => {
      attempts += 1
      const [call, ...later] = calls
      const hasMoved =
        continuedFrom === undefined ||
        (series !== undefined && Series.isAfter(series, last?.record, continuedFrom.record))
      const isComplete = last !== undefined && EmittedIds.isComplete(last.ids)
      const rest = emitted > 0 && hasMoved && isComplete ? restOf(call) : undefined
      if (rest !== undefined) replaceCalls([...rest, ...later], last)
    },
    noteSkipped: (count) => {
      skipped = count
    },
    noteEmitted: (records, text) => {
      entities.add(records)
      emitted += records.length
      total += records.length
      damages.clear()
      last = { text, record: records.at(-1), ids: EmittedIds.update(series, last, records) }
      attempts = 1
    },
    advance: () => {
      const [, next, ...later] = calls
      if (next === undefined) return false
      replaceCalls([next, ...later], undefined)
      attempts = 0
      damages.clear()
      state.unfinished = undefined
      return true
    }
  }
  return state
}
