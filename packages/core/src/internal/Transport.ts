/**
 * Errors of the HTTP library in our own words: what failed, and whether it may pass. Nothing of the library's error
 * goes further than here, since it holds the request.
 */
import * as Predicate from "effect/Predicate"

/** Why no complete reply could be had. */
export interface Failure {
  readonly reason: string
  /** Whether the same request may succeed later. */
  readonly transient: boolean
  /** Whether there was a connection to lose. */
  readonly connected: boolean
}

const unreached = (reason: string, transient = true): Failure => ({ reason, transient, connected: false })
const lost = (reason: string, transient = true): Failure => ({ reason, transient, connected: true })

const sentences: Readonly<Record<string, Failure>> = {
  ENOTFOUND: unreached("the host name is not known", false),
  EAI_AGAIN: unreached("the host name could not be looked up"),
  ECONNREFUSED: unreached("the host refused the connection"),
  ETIMEDOUT: unreached("the connection timed out"),
  EHOSTUNREACH: unreached("the host cannot be reached"),
  ENETUNREACH: unreached("the network cannot be reached"),
  UND_ERR_CONNECT_TIMEOUT: unreached("no connection within the connect timeout"),
  ECONNRESET: lost("the connection was reset"),
  EPIPE: lost("the connection was closed"),
  UND_ERR_SOCKET: lost("the connection was closed"),
  UND_ERR_HEADERS_OVERFLOW: lost("the reply's headers are too large", false),
  HTTP_PARSER: lost("what came is not HTTP"),
  Z_BUF_ERROR: lost("the compressed body ended early"),
  Z_DATA_ERROR: lost("the compressed body is damaged")
}

const byCode = (code: string): Failure => {
  if (/^(CERT_|ERR_TLS_CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code)) {
    return unreached(`the host's certificate is not accepted (${code})`, false)
  }
  if (/^ERR_(SSL|TLS)/.test(code)) return unreached(`the host does not speak TLS as expected (${code})`, false)
  return sentences[code] ?? unreached(`the connection failed (${code})`)
}

/** Finds the system's error code in a cause, however deep the library has wrapped it. */
const codeOf = (cause: unknown, depth = 0): string | undefined => {
  if (depth > 4 || !Predicate.isObject(cause)) return undefined
  // The one error of undici that may come without a code.
  const code = Reflect.get(cause, "name") === "HTTPParserError" ? "HTTP_PARSER" : Reflect.get(cause, "code")
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
  return code === undefined ? unreached("the connection failed") : byCode(code)
}
