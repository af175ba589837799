/** The messages of a live stream. Source: docs/interface.md 6.3. */
import type { ApiError } from "./ApiError.ts"

/**
 * Where a record came from. `live`: from the connection. `history`: read over HTTP before the connection was opened, because
 * the call has `since`. `filled`: read over HTTP because it was published while there was no connection.
 */
export type Origin = "live" | "history" | "filled"

/** One record. */
export interface Data<out A> {
  readonly _tag: "Data"
  /**
   * The record as it came. A program may change its fields, but not what is inside a field, such as the levels of a
   * book: the stream compares it with what a new connection sends, and would deliver the record again.
   */
  readonly record: A
  /** Where the record came from. */
  readonly origin: Origin
  /**
   * When this program had the record: when its frame came, or the reply of HTTP was read. By the clock of this machine, in whole
   * milliseconds, and written as the service writes times. Never earlier, and up to a second later for frames that waited for the
   * reader: those that came within a second share the time of the last.
   */
  readonly received: string
}

/**
 * A block is no longer on the main chain (`asset-metrics` at `1b`): the service says so, or the blocks that were read over HTTP after
 * a break show it.
 */
export interface Reorg {
  readonly _tag: "Reorg"
  /** Ticker of the asset. */
  readonly asset: string
  /** Height of the block, as text. */
  readonly height: string | undefined
  /** Hash of the block. */
  readonly hash: string | undefined
  /** Absent where HTTP shows it. */
  readonly parent_hash: string | undefined
  /** When it was taken back; where HTTP shows it, the time of the block in its place. */
  readonly time: string | undefined
  /** The frame as it came; where HTTP shows it, one in its likeness. */
  readonly frame: object
}

/** The service warns: with `falling_behind`, more than 60 % of its queue for this connection is full. */
export interface Warning {
  readonly _tag: "Warning"
  /**
   * `falling_behind`, or a word the service adds later. From the library: `unasked_entity`, once when records come of
   * entities that were not asked for; `before_since`, once when a second record of an entity comes that is of before `since`;
   * `sequence_jump`, where numbers of frames are skipped and HTTP cannot tell whether a frame was lost, or has told that none was;
   * and `unsound_book`.
   */
  readonly type: string
  /** The warning, for people. */
  readonly message: string
}

/** A frame of a kind that this library does not know, or a record of an entity that was not asked for. */
export interface Unknown {
  readonly _tag: "Unknown"
  /** The frame, as it came. */
  readonly frame: object
}

/** A connection is open. */
export interface Connected {
  readonly _tag: "Connected"
  /** Counts the connections of this stream, from 1. */
  readonly connection: number
}

/** The connection is lost. The stream opens another as its retry policy allows. */
export interface Disconnected {
  readonly _tag: "Disconnected"
  /** Why it is lost. */
  readonly error: ApiError
}

/**
 * Records of an entity may be missing here, and the stream could not fill the hole.
 *
 * **Details**
 *
 * Any missing record lies after `from` and before `to`, in the order of its series, or has the time of one of them and another
 * identity. In the order of series the record at `to` comes after this message. What is missing may still come later, marked `filled`.
 */
export interface Gap {
  readonly _tag: "Gap"
  /** The market, asset, pair or index. */
  readonly entity: string
  /** The metrics concerned; absent where the series has none. */
  readonly metrics: ReadonlyArray<string> | undefined
  /** What `from` and `to` are: times, or heights of blocks at `1b`. */
  readonly unit: "time" | "height"
  /**
   * Where the hole begins: before the last record delivered, by as much as records of the entity come late, and by twelve heights,
   * since blocks of them may have been replaced. Where none was delivered: `since`, or as long before `to` as the stream has run;
   * absent where `unit` is `height`.
   */
  readonly from: string | undefined
  /** Position of the first record delivered after the hole. */
  readonly to: string
  /**
   * `unfillable`: HTTP does not have the records of the stream. `lagging`: the HTTP side did not show that it has all before `to`,
   * within `overlap` where it has the record itself. `failed`: the HTTP request failed; `error` says why. `forgotten`: records are
   * left out because the stream does not remember any more which of them it has delivered; where the connection brought them, `to` is
   * a position that was reached before.
   */
  readonly reason: "unfillable" | "lagging" | "failed" | "forgotten"
  /** Why the HTTP request failed, where `reason` is `failed`. */
  readonly error: ApiError | undefined
}

/**
 * Live records, and frames of unknown kinds, that were discarded here, because the reader was slow and the call has
 * `whenFull: "dropOldest"`. All other messages are kept in their places; of more than a thousand, gaps of one entity are merged,
 * and of the messages of connections and warnings the last is kept.
 */
export interface Dropped {
  readonly _tag: "Dropped"
  /** How many were discarded. */
  readonly count: number
}

/** A message of a live stream. */
export type LiveMessage<A> = Data<A> | Reorg | Warning | Unknown | Connected | Disconnected | Gap | Dropped
