/**
 * Decompresses a gzip file while it arrives.
 *
 * `DecompressionStream` is in every runtime that Effect runs in. It has no limit of its own, and reads one member: where the
 * next begins it does not tell. Where a transport brings a decompressor, that is used instead.
 */
import * as Cause from "effect/Cause"
import * as Channel from "effect/Channel"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import * as Stream from "effect/Stream"
import * as Gzip from "../../Gzip.ts"
import type * as ByteStream from "../wire/ByteStream.ts"

/** Tells whether bytes are the beginning of a gzip file. */
export const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Decompresses a body. The pull works until the scope closes, which also ends the pull of the body. */
export const unpack = Effect.fnUntraced(function* <E>(
  body: ByteStream.ByteStream<E>,
  decompress: Gzip.Decompress | undefined,
  onIssue: (issue: Gzip.Issue) => E
) {
  if (decompress !== undefined) {
    const chunks = decompress(Stream.fromPull(Effect.succeed(body)), onIssue)
    return yield* Channel.toPullScoped(Stream.toChannel(chunks), yield* Effect.scope)
  }
  const { readable, writable } = new DecompressionStream("gzip")
  const reader = readable.getReader()
  const writer = writable.getWriter()
  let packed = 0
  let unpacked = 0
  let failure: E | undefined

  const close = Effect.ignore(Effect.tryPromise(() => Promise.all([reader.cancel(), writer.abort()])))
  yield* Effect.addFinalizer(() => close)

  // A write waits until what was written before has been read, so the body is pulled no faster than it is read.
  const write = (chunk: Uint8Array) =>
    Effect.tryPromise(() => {
      packed += chunk.length
      if (Gzip.isTooSmall(packed, unpacked)) {
        failure = onIssue("damaged")
        return writer.abort()
      }
      // Type boundary: the bytes of a body are never in shared memory, which the type of a stream excludes.
      return writer.write(chunk as Uint8Array<ArrayBuffer>)
    })
  const feed: Effect.Effect<void> = Effect.suspend(() =>
    Pull.matchEffect(body, {
      onSuccess: (chunks) =>
        Effect.matchEffect(Effect.forEach(chunks, write), { onSuccess: () => feed, onFailure: () => Effect.void }),
      onFailure: (cause) => {
        failure = Cause.findErrorOption(cause).pipe((found) => (found._tag === "Some" ? found.value : undefined))
        // What came before the failure can still be read.
        return Effect.ignore(Effect.tryPromise(() => writer.close()))
      },
      onDone: () => Effect.ignore(Effect.tryPromise(() => writer.close()))
    })
  )
  yield* Effect.forkScoped(feed)

  const read = Effect.tryPromise({ try: () => reader.read(), catch: () => failure ?? onIssue("damaged") })
  const pull: ByteStream.ByteStream<E> = read.pipe(
    Effect.flatMap(({ done, value }): ByteStream.ByteStream<E> => {
      if (done) return failure === undefined ? Cause.done() : Effect.fail(failure)
      unpacked += value.length
      return Gzip.isTooLarge(packed, unpacked) ? Effect.fail(onIssue("tooLarge")) : Effect.succeed([value] as const)
    })
  )
  return pull
})
