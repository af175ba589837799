/** The errors of a live stream: those of every call, and two that only live streams have. */
import * as Schema from "effect/Schema"
import { ApiError } from "./ApiError.ts"

/**
 * The reader took messages more slowly than the service sent them, the buffer is full, and the call asked to fail then.
 *
 * The messages in the buffer were delivered before this error.
 */
export class TooSlow extends Schema.TaggedError<TooSlow>()("TooSlow", {
  /** Path of the operation; absent for a reader of `LiveStream.share`, which shares streams of any kind. */
  endpoint: Schema.optional(Schema.String),
  /** Messages that the buffer holds. */
  capacity: Schema.Finite,
  /** Bytes that the buffer holds; absent where only messages are counted. */
  maxBufferedBytes: Schema.optional(Schema.Finite)
}) {
  override get message() {
    const { capacity, endpoint = "a shared stream", maxBufferedBytes } = this
    const bytes = maxBufferedBytes === undefined ? "" : ` (maxBufferedBytes ${maxBufferedBytes})`
    return `${endpoint}: the reader is slower than the service, and the buffer of ${capacity} messages${bytes} is full`
  }
}

/** All connections that the key may have are in use, and the client was set to fail then. */
export class TooManyConnections extends Schema.TaggedError<TooManyConnections>()("TooManyConnections", {
  /** Path of the operation. */
  endpoint: Schema.String,
  /** Connections that the client may hold at once. */
  limit: Schema.Finite
}) {
  override get message() {
    return `${this.endpoint}: all ${this.limit} connections are in use; end one, or raise maxConnections`
  }
}

/** Schema of {@link LiveError}, for sending errors between processes. */
export const LiveError = Schema.Union([ApiError, TooSlow, TooManyConnections])

/** Every error a live stream can fail with. */
export type LiveError = typeof LiveError.Type

/** Tells whether a value is one of the errors of {@link LiveError}. */
export const isLiveError: (value: unknown) => value is LiveError = Schema.is(LiveError)
