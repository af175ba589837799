/**
 * Decompresses a gzip file while it arrives.
 *
 * `DecompressionStream` is in every runtime that Effect runs in. It has no limit of its own, so growth is limited here, as
 * `@sluice/node` limits that of replies.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Pull from "effect/Pull"
import type * as ByteStream from "../wire/ByteStream.ts"

/** Why a file cannot be decompressed. */
export type Unpackable = "damaged" | "grown"

/** A file beyond `alwaysAllowed` bytes may have this many times its compressed length; records reach 155. */
const maxGrowth = 300

const alwaysAllowed = 1_048_576

/** Tells whether bytes are the beginning of a gzip file. */
export const isPacked = (bytes: Uint8Array): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b

/** Decompresses a body. The pull works until the scope closes, which also ends the pull of the body. */
export const unpack = Effect.fnUntraced(function* <E>(body: ByteStream.ByteStream<E>, onError: (why: Unpackable) => E) {
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

  const read = Effect.tryPromise({ try: () => reader.read(), catch: () => failure ?? onError("damaged") })
  const pull: ByteStream.ByteStream<E> = read.pipe(
    Effect.flatMap(({ done, value }): ByteStream.ByteStream<E> => {
      if (done) return failure === undefined ? Cause.done() : Effect.fail(failure)
      unpacked += value.length
      const isGrown = unpacked > alwaysAllowed && unpacked > maxGrowth * packed
      return isGrown ? Effect.fail(onError("grown")) : Effect.succeed([value] as const)
    })
  )
  return pull
})
