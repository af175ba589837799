/**
 * Records as they arrived, for programs that write them somewhere else and never need them as objects.
 *
 * A call with `lazy: Batch.lazy` emits arrays whose records are built when they are read. {@link of} gives the bytes behind such
 * an array, so that a file of it can be written without building any record.
 */
import * as LazyRequest from "./internal/read/Lazy.ts"
import * as LazyDecoder from "./internal/read/LazyDecoder.ts"
import * as LazyRecords from "./internal/wire/LazyRecords.ts"

/** The value of the option `lazy` of a call. */
export type { Lazy } from "./internal/read/Lazy.ts"
/** The bytes behind an array of records, and a run of records with one layout in it. */
export type { Batch, Run } from "./internal/wire/LazyRecords.ts"

/** Makes the records of a call lazy. Programs that do not import it carry none of its code. */
export const lazy: LazyRequest.Lazy = LazyRequest.from(LazyDecoder.read)

/**
 * Gives the batch behind an array of a lazy call; nothing where its records are objects already. That is so for records of
 * which any has a nested value, an escape, a character outside ASCII, white space between its tokens, or a number that
 * JavaScript writes in another way.
 *
 * **Details**
 *
 * The bytes of each record are those that `JSON.stringify` writes for it. Each value is a text of ASCII without escapes,
 * a number, `true`, `false` or `null`.
 *
 * **Gotchas**
 *
 * A batch can be read until more records are pulled from the stream: then other records take its place in memory.
 */
export const of: (records: ReadonlyArray<unknown>) => LazyRecords.Batch | undefined = LazyRecords.batchOf
