/** SHA-256, as lower-case hexadecimal text. */
import { createHash } from "node:crypto"

/** The checksum of a text, as UTF-8. */
export const ofText = (text: string): string => createHash("sha256").update(text).digest("hex")

export const make = () => {
  const hash = createHash("sha256")
  return {
    add: (bytes: Uint8Array): void => void hash.update(bytes),
    /** The checksum of all bytes added; may be called once. */
    end: (): string => hash.digest("hex")
  }
}

/** A checksum of bytes that are added piece by piece. */
export type Running = ReturnType<typeof make>
