/**
 * SHA-256, as lower-case hexadecimal text.
 */
import { createHash } from "node:crypto"

/** The checksum of a text, as UTF-8. */
export const ofText = (text: string): string => createHash("sha256").update(text).digest("hex")

/** A checksum of bytes that are added piece by piece. */
export interface Running {
  readonly add: (bytes: Uint8Array) => void
  /** The checksum of all bytes added; may be called once. */
  readonly end: () => string
}

/** Begins a checksum. */
export const make = (): Running => {
  const hash = createHash("sha256")
  return { add: (bytes) => void hash.update(bytes), end: () => hash.digest("hex") }
}
