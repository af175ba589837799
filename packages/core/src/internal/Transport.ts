/**
 * Errors of the HTTP library in our own words: what failed, and whether it may pass. Nothing of the library's error
 * goes further than here, since it holds the request.
 */
import * as Predicate from "effect/Predicate"

/** Why no complete reply could be had. */
export interface Failure {
  readonly reason: string
  readonly transient: boolean
}

const sentences: Readonly<Record<string, Failure>> = {
  ENOTFOUND: { reason: "the host name is not known", transient: false },
  EAI_AGAIN: { reason: "the host name could not be looked up", transient: true },
  ECONNREFUSED: { reason: "the host refused the connection", transient: true },
  ECONNRESET: { reason: "the connection was reset", transient: true },
  EPIPE: { reason: "the connection was closed", transient: true },
  ETIMEDOUT: { reason: "the connection timed out", transient: true },
  EHOSTUNREACH: { reason: "the host cannot be reached", transient: true },
  ENETUNREACH: { reason: "the network cannot be reached", transient: true },
  UND_ERR_CONNECT_TIMEOUT: { reason: "no connection within the connect timeout", transient: true },
  UND_ERR_SOCKET: { reason: "the connection was closed", transient: true },
  UND_ERR_HEADERS_OVERFLOW: { reason: "the reply's headers are too large", transient: false },
  Z_BUF_ERROR: { reason: "the compressed body ended early", transient: true },
  Z_DATA_ERROR: { reason: "the compressed body is damaged", transient: true }
}

const isTls = (code: string) => /^(CERT_|ERR_TLS|ERR_SSL|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code)

/** Finds the system's error code in a cause, however deep the library has wrapped it. */
const codeOf = (cause: unknown, depth = 0): string | undefined => {
  if (depth > 4 || !Predicate.isObject(cause)) return undefined
  const code = Reflect.get(cause, "code")
  if (Predicate.isString(code) && /^[A-Z][A-Z0-9_]+$/.test(code)) return code
  const [first] = [Reflect.get(cause, "errors")].flat()
  return (
    codeOf(first, depth + 1) ??
    codeOf(Reflect.get(cause, "cause"), depth + 1) ??
    codeOf(Reflect.get(cause, "reason"), depth + 1)
  )
}

/** Puts a cause into words by its code alone: messages may quote the URL, and the URL holds the key. */
export const explain = (cause: unknown): Failure => {
  const code = codeOf(cause)
  if (code === undefined) return { reason: "the connection failed", transient: true }
  if (isTls(code)) return { reason: `the host's certificate is not accepted (${code})`, transient: false }
  return sentences[code] ?? { reason: `the connection failed (${code})`, transient: true }
}
