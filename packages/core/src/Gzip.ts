/**
 * What decompressing gzip bodies takes: the limit on their growth, and who does it. For transports, such as `@sluice/node`.
 */
import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"

/**
 * A body beyond `alwaysAllowed` bytes may have this many times its compressed length. Text of zeros reaches 1,000, wide records
 * of nothing but null and a time 155, records with values 30.
 */
const maxGrowth = 300

const alwaysAllowed = 1_048_576

/** Tells whether so many bytes grew to more than records do, which would fill the memory or the disk of the reader. */
export const isTooLarge = (compressed: number, decompressed: number): boolean =>
  decompressed > alwaysAllowed && decompressed > maxGrowth * compressed

/**
 * A body beyond `alwaysAllowed` bytes may have this many times its decompressed length. A member of one byte has 21; members or
 * blocks without content could go on without end.
 */
const maxShrinkage = 100

/** Tells whether so many bytes hold next to nothing, as no records do. */
export const isTooSmall = (compressed: number, decompressed: number): boolean =>
  compressed > alwaysAllowed && compressed > maxShrinkage * decompressed

/** The code of the cause with which a transport reports a reply that is too large. */
export const tooLargeCode = "SLUICE_GZIP_GROWTH"

/** What is wrong with a body that is too large, as the end of a sentence. */
export const tooLarge = `grows to more than ${maxGrowth} times its length, which no records do`

/** Why a body cannot be decompressed. One that holds next to nothing is damaged. */
export type Issue = "damaged" | "tooLarge"

/** Decompresses a gzip body of one or several members, within the limit on growth. */
export type Decompress = <E>(
  compressed: Stream.Stream<Uint8Array, E>,
  onIssue: (issue: Issue) => E
) => Stream.Stream<Uint8Array, E>

/**
 * Decompresses the files of job results. By default `DecompressionStream` does, which is in every runtime and refuses files of
 * several members. The layers of `@sluice/node` set zlib, which reads them.
 */
export const Decompressor: Context.Reference<Decompress | undefined> = Context.Reference<Decompress | undefined>(
  "@sluice/core/Gzip/Decompressor",
  { defaultValue: () => undefined }
)
