/**
 * Data on its way to a terminal, which acts on some of what a service may have put into a value.
 */
import { harmless, harmlessJson } from "@sluice/core/PlainText"
import * as Stream from "effect/Stream"

/**
 * Shows what a terminal would act on, and keeps the lines. NDJSON keeps its values, for it has escapes; CSV has none, so
 * there the characters are replaced: whoever wants the bytes sends them into a file or a pipe.
 */
export const data = <E, R>(as: "ndjson" | "csv", bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E, R> =>
  Stream.map(Stream.decodeText(bytes), as === "ndjson" ? harmlessJson : csv)

/** Everything but the ends of lines; a carriage return alone would write over the line. */
const csv = (text: string) => text.replaceAll(/[^\r\n]+|\r(?!\n)/g, harmless)
