/**
 * Maps errors of the HTTP library to what failed and whether a retry may help. The library's error is dropped here, because it
 * holds the request.
 */
import * as Predicate from "effect/Predicate"
import * as Gzip from "../../Gzip.ts"
import type { Failure } from "./Failure.ts"

const unreached = (reason: string, transient = true): Failure => ({
  reason,
  transient,
  connected: false,
  isUnsent: true
})
/** A failure that a system reports of new and of established connections alike. */
const broken = (reason: string): Failure => ({ ...unreached(reason), isUnsent: false })
const lost = (reason: string, transient = true): Failure => ({ ...broken(reason), transient, connected: true })

const closed = lost("the connection was closed")

/** By the code of an error, whose form excludes the names that every object has. */
const sentences: Readonly<Record<string, Failure>> = {
  ENOTFOUND: unreached("the host name is not known", false),
  EAI_AGAIN: unreached("the host name could not be looked up"),
  ECONNREFUSED: unreached("the host refused the connection"),
  ETIMEDOUT: broken("the connection timed out"),
  EHOSTUNREACH: unreached("the host cannot be reached"),
  ENETUNREACH: unreached("the network cannot be reached"),
  UND_ERR_CONNECT_TIMEOUT: unreached("no connection within the connect timeout"),
  UND_ERR_HEADERS_TIMEOUT: lost("no reply in time"),
  ECONNRESET: lost("the connection was reset"),
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  ERR_STREAM_PREMATURE_CLOSE: closed,
  UND_ERR_HEADERS_OVERFLOW: lost("the reply's headers are too large", false),
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: lost("the body is not as long as its content-length says"),
  HPE_INVALID_CONTENT_LENGTH: lost("the reply's content-length is no length"),
  HPE_UNEXPECTED_CONTENT_LENGTH: lost("the reply has a content-length where it must not"),
  Z_BUF_ERROR: lost("the compressed body ended early"),
  [Gzip.tooLargeCode]: lost(`the compressed body ${Gzip.tooLarge}`, false)
}

const byCode = (code: string): Failure => {
  if (/^(CERT_|ERR_TLS_CERT|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)/.test(code)) {
    return unreached(`the host's certificate is not accepted (${code})`, false)
  }
  if (/^ERR_(SSL|TLS)/.test(code)) return unreached(`the host does not speak TLS as expected (${code})`, false)
  if (code.startsWith(ofProxy)) return byProxy(code.slice(ofProxy.length))
  const known = sentences[code]
  if (known !== undefined) return known
  if (code.startsWith("HPE_")) return lost("what came is not HTTP")
  if (code.startsWith("Z_")) return lost("the compressed body is damaged")
  // Such errors of undici concern the reply, so there was a connection.
  return code.startsWith("UND_ERR_")
    ? lost(`the reply could not be read (${code})`)
    : broken(`the connection failed (${code})`)
}

/** How a transport, such as `@sluice/node`, begins the codes of errors between itself and a proxy. */
const ofProxy = "SLUICE_PROXY_"

/** A code of the connection to the proxy, or the status with which the proxy refused a tunnel to the host. */
const byProxy = (code: string): Failure => {
  if (code === "407") return unreached("the proxy asks for a user name and a password (407)", false)
  if (/^\d+$/.test(code)) return unreached(`the proxy opened no connection to the host (${code})`, code >= "500")
  const { reason, transient } = byCode(code)
  return unreached(`the proxy cannot be used: ${reason}`, transient)
}

/** The system's error code, and the call of the system that failed, such as `connect` or `read`. */
interface SystemError {
  readonly code: string
  readonly call?: unknown
}

/** Finds the system's error in a cause, through the layers in which the library wraps it. */
const codeOf = (cause: unknown, depth = 0): SystemError | undefined => {
  if (depth > 4 || !Predicate.isObject(cause)) return undefined
  const code = Reflect.get(cause, "code")
  if (Predicate.isString(code) && /^[A-Z][A-Z0-9_]+$/.test(code)) return { code, call: Reflect.get(cause, "syscall") }
  // The only error of undici that may have no code.
  if (Reflect.get(cause, "name") === "HTTPParserError") return { code: "HPE_" }
  const [first] = [Reflect.get(cause, "errors")].flat()
  return (
    codeOf(first, depth + 1) ??
    codeOf(Reflect.get(cause, "cause"), depth + 1) ??
    codeOf(Reflect.get(cause, "reason"), depth + 1)
  )
}

/** The encoding in a cause with which a transport, such as `@sluice/node`, reports that it cannot decode it. */
const encodingOf = (cause: unknown) => {
  if (!Predicate.isTagged(cause, "UnaskedEncoding") || !Predicate.hasProperty(cause, "encoding")) return undefined
  return (
    String(cause.encoding)
      .replaceAll(/[^a-z0-9,. -]/gi, "")
      .slice(0, 40) || "unknown"
  )
}

/** Explains a cause by its code only: messages may quote the URL, which holds the key. */
export const explain = (cause: unknown): Failure => {
  const encoding = encodingOf(cause)
  if (encoding !== undefined) return lost(`the body has the content-encoding ${encoding}, which was not asked for`)
  const error = codeOf(cause)
  if (error === undefined) return broken("the connection failed")
  const failure = byCode(error.code)
  // A host can become unreachable while its reply is read.
  return error.call === "read" || error.call === "write" ? { ...failure, isUnsent: false } : failure
}
