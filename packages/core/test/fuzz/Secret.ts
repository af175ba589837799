/** The key of the fuzzed client, with characters a URL writes differently. */
import * as Redacted from "effect/Redacted"

export const key = "k3y+/=s3cr3t"

export const encoded = encodeURIComponent(key)

export const apiKey = Redacted.make(key)

/** Tells whether the key stands in a text. */
export const isIn = (text: string) => [key, encoded].some((form) => text.includes(form))
