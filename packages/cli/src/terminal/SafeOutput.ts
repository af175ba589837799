/** Data for a terminal, without control characters that the service may have put into a value. */
import { harmless, harmlessJson } from "@sluice/core/PlainText"
import * as Stream from "effect/Stream"

/**
 * Replaces control characters by visible text, and keeps line ends. NDJSON has escapes, so its values stay the same. CSV
 * has none, so its values change; files and pipes get the original bytes.
 */
export const data = <E, R>(as: "ndjson" | "csv", bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<string, E, R> =>
  Stream.map(Stream.decodeText(bytes), as === "ndjson" ? harmlessJson : csv)

/** Keeps line ends, but not a carriage return alone, which would overwrite the line. */
const csv = (text: string) => text.replaceAll(/[^\r\n]+|\r(?!\n)/g, harmless)
