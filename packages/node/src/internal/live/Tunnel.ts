/**
 * Connections of WebSockets through a proxy: a tunnel (CONNECT) each, also to a `ws:` root, so that a proxy sees the host of the
 * service and never a URL, which has the key.
 */
import { request as requestPlain, type ClientRequest, type RequestOptions } from "node:http"
import { request as requestTls } from "node:https"
import { isIP, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { proxyError } from "../http/Proxy.ts"

/** What a connection of a WebSocket needs to know. */
export interface Options {
  readonly proxy: URL
  /** The certificates that are accepted; absent for those of Node.js. */
  readonly ca: Array<string> | undefined
}

/** Is told of a connection, or why there is none. */
export type Opened = (error: Error | null, socket?: Socket) => void

/** Opens a connection for a URL through a tunnel, and tells how that went. Returns what gives it up. */
export const open = ({ ca, proxy }: Options, url: URL, opened: Opened): (() => void) => {
  const isSecure = url.protocol === "wss:"
  const host = withoutBrackets(url.hostname)
  const authority = `${url.hostname}:${url.port === "" ? (isSecure ? 443 : 80) : url.port}`
  const fail = (code: string) => opened(proxyError(code))
  const isTlsProxy = proxy.protocol === "https:"
  const proxyHost = withoutBrackets(proxy.hostname)
  const options: RequestOptions = {
    method: "CONNECT",
    host: proxyHost,
    port: proxy.port === "" ? (isTlsProxy ? 443 : 80) : Number(proxy.port),
    path: authority,
    headers: { host: authority, ...authorization(proxy) },
    agent: false
  }
  const request: ClientRequest = isTlsProxy
    ? requestTls({ ...options, ca, servername: nameOf(proxyHost) })
    : requestPlain(options)
  request.on("connect", ({ statusCode = 0 }, socket: Socket, head: Buffer) => {
    const isOpen = statusCode >= 200 && statusCode < 300
    // Nothing was sent to the service yet, so what follows the head comes from no service.
    if (!isOpen || head.length > 0) {
      socket.on("error", () => {}).destroy()
      return fail(isOpen ? "HPE_BYTES_AFTER_HEAD" : String(statusCode))
    }
    if (!isSecure) return opened(null, socket)
    opened(null, connectTls({ socket, ca, host, servername: nameOf(host) }))
  })
  request.on("error", (error) => fail("code" in error ? String(error.code) : "FAILED"))
  request.end()
  return () => request.destroy()
}

const withoutBrackets = (host: string) => host.replace(/^\[|\]$/g, "")

/** The name that TLS sends, for the host to choose its certificate. An address is not sent. */
const nameOf = (host: string) => (isIP(host) === 0 ? host : "")

const authorization = ({ password, username }: URL): Readonly<Record<string, string>> => {
  if (username === "" && password === "") return {}
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { "proxy-authorization": `Basic ${Buffer.from(pair).toString("base64")}` }
}
