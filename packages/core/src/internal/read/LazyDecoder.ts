/** Reads records that are built when they are read. An array of them is valid until more is pulled. */
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as BatchReader from "../wire/BatchReader.ts"
import type { RecordDecoder } from "../wire/RecordDecoder.ts"
import type * as Lazy from "./Lazy.ts"

/** A decoder whose records are valid until {@link BatchReader.BatchReader.expire}. */
export interface LazyDecoder<out A> extends Pick<BatchReader.BatchReader, "expire"> {
  readonly decoder: RecordDecoder<A>
  /** Ends the last batch, and keeps the reader for the next stream. Called once, when the stream has ended. */
  readonly release: () => void
}

/** Readers of batches that are kept for later streams, with their memory and the layouts they learned. */
const maxIdle = 16

// Each has a WebAssembly memory, for which V8 reserves gigabytes of addresses until it is collected.
const idleOf = new WeakMap<object, Array<BatchReader.BatchReader>>()

/** Builds what reads the records of one stream without building them, where it can. */
export const make = <A>(decoder: RecordDecoder<A>): LazyDecoder<A> => {
  const idle = idleOf.get(decoder) ?? []
  idleOf.set(decoder, idle)
  const lazy = idle.pop() ?? BatchReader.make(decoder.record, decoder.isValid)
  // Type boundary: the reader returns only records that the schema accepts.
  const read: RecordDecoder<A>["read"] = (...run) => lazy.read(...run) as ReadonlyArray<A>
  const release = () => {
    lazy.expire()
    if (idle.length < maxIdle) idle.push(lazy)
  }
  return { decoder: { ...decoder, read, pieceSize: lazy.pieceSize }, expire: lazy.expire, release }
}

/** Reads a prepared call. */
export const read: Lazy.Reader = (prepared, read) =>
  Stream.suspend(() => {
    const { decoder, expire, release } = make(prepared.decoder)
    return Stream.transformPull(read({ ...prepared, decoder }), (pull) =>
      Effect.succeed(
        Effect.suspend(() => {
          expire()
          return pull
        })
      )
    ).pipe(Stream.ensuring(Effect.sync(release)))
  })
