/**
 * What the settings of a client are where a program gives none. `pnpm snippets` writes them into `docs/settings.md`.
 */

/** The settings of the policy `Retry.standard`. */
export const retry = { times: 7, within: "5 minutes", base: "250 millis", cap: "20 seconds" } as const

/** What to do about records that are repeated or out of order. */
export const onDisorder = "warn"

/** What to do about deprecated endpoints. */
export const deprecated = "warn"

/** What to do while the store of a shared quota is unavailable. */
export const whenUnavailable = "share"

/** Whether to ask for compressed replies. */
export const gzip = true

/** The most requests that run at once. */
export const parallel = 10

/** The longest wait for a connection. */
export const connect = "10 seconds"

/** The longest wait for the head of a reply. */
export const firstByte = "60 seconds"

/** The longest wait between two chunks of a body. */
export const idle = "30 seconds"

/** The minimum rate of a body, in bytes per second. */
export const minBytesPerSecond = 100

/** The longest wait that the service may require. */
export const longestWait = "5 minutes"

/** The most bytes of a reply's headers. */
export const maxHeaderBytes = 16_384

/** The most bytes of all pages that are being received at once. */
export const maxReceivingBytes = 268_435_456

/** The most bytes of a line of a json_stream. */
export const maxLineBytes = 8_388_608

/** The most bytes of an error body that are read. */
export const maxErrorBytes = 65_536

/** The most consecutive empty pages that have a next page. */
export const maxEmptyPages = 1_000
