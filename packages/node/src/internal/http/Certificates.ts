/** Certificates of a file, beside those that Node.js accepts anyway (its own, and those of `NODE_EXTRA_CA_CERTS`). */
import { Misconfigured } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import { X509Certificate } from "node:crypto"
import { readFileSync } from "node:fs"
import * as tls from "node:tls"

const block = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const invalid = (reason: string) => new Misconfigured({ setting: "caFile", reason })

/** Reads the file. Fails with `Misconfigured` when it cannot be read or holds no certificate, or one that is damaged. */
export const read = Effect.fnUntraced(function* (file: string) {
  // Not through Effect's `FileSystem`: the layer of the client would require it of every program. The file is read
  // once, before the first request.
  const text = yield* Effect.try({
    try: () => readFileSync(file, "utf8"),
    catch: () => invalid(`${file} cannot be read`)
  })
  const found = text.match(block) ?? []
  if (found.length === 0) return yield* invalid(`${file} holds no certificate in PEM form`)
  yield* Effect.try({
    try: () => found.map((one) => new X509Certificate(one)),
    catch: () => invalid(`${file} holds a damaged certificate`)
  })
  return [...tls.getCACertificates("default"), ...found]
})
