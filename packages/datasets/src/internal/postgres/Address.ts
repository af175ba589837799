/**
 * Where a server is, from a URL as libpq takes it, and connections to it. The client of the protocol gets connections that
 * are encrypted already, so what libpq says of `sslmode` is done here.
 */
import { connect as connectPlain, isIP, type Socket } from "node:net"
import { type ConnectionOptions, connect as connectTls } from "node:tls"
import type { Connect } from "./CopySocket.ts"

/** A server. */
export interface Address {
  readonly host: string
  readonly port: number
  /** Whether connections are encrypted: never, always, or where the server can. */
  readonly tls: "never" | "always" | "preferred"
}

/** Reads a URL; gives nothing where it is none of PostgreSQL. What the reason is not said, since the URL has a password. */
export const parse = (text: string): Address | undefined => {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.protocol !== "postgres:" && url.protocol !== "postgresql:") return undefined
  const host = url.searchParams.get("host") ?? decode(url.hostname.replace(/^\[|\]$/g, ""))
  const port = Number(url.searchParams.get("port") ?? (url.port === "" ? 5432 : url.port))
  const tls = modes.get(url.searchParams.get("sslmode") ?? "disable")
  if (host === undefined || tls === undefined || !Number.isInteger(port)) return undefined
  return { host: host === "" ? "localhost" : host, port, tls }
}

const decode = (text: string) => {
  // A lone percent sign is no encoding.
  return /%(?![\da-f]{2})/i.test(text) ? undefined : decodeURIComponent(text)
}

/** As `@effect/sql-pg` reads them: a certificate is checked wherever there is one. */
const modes: ReadonlyMap<string, Address["tls"]> = new Map([
  ["disable", "never"],
  ["allow", "preferred"],
  ["prefer", "preferred"],
  ["require", "always"],
  ["verify-ca", "always"],
  ["verify-full", "always"]
])

/** Opens connections to a server. */
export const connector =
  ({ host, port, tls }: Address, options: ConnectionOptions | undefined): Connect =>
  (tell) => {
    let isTold = false
    const opened = (error: Error | undefined, socket?: Socket) => {
      if (isTold) return
      isTold = true
      tell(error, socket)
    }
    const failed = (error: Error) => opened(error)
    const socket = host.startsWith("/")
      ? connectPlain({ path: `${host}/.s.PGSQL.${port}` })
      : connectPlain({ host, port, noDelay: true, keepAlive: true })
    const plain = () => opened(undefined, socket.off("error", failed))
    const encrypt = () => {
      const servername = isIP(host) === 0 ? host : ""
      const secure = connectTls({ host, servername, ...options, socket })
      secure.on("error", failed)
      secure.once("secureConnect", () => opened(undefined, secure.off("error", failed)))
    }
    socket.on("error", failed)
    socket.once("close", () => opened(new Error("the server closed the connection")))
    socket.once("connect", () => {
      if (tls === "never") return plain()
      socket.write(sslRequest)
      socket.once("data", (answer: Buffer) => {
        // More than one byte would be text that somebody put before what is encrypted.
        const word = answer.length === 1 ? answer.toString("latin1") : "?"
        if (word === "S") return encrypt()
        if (word === "N" && tls === "preferred") return plain()
        socket.destroy(new Error(word === "N" ? "the server offers no encryption" : "the server is no PostgreSQL"))
      })
    })
    return () => socket.destroy()
  }

/** A length of 8, and the number that asks for TLS in place of a version. */
const sslRequest = Uint8Array.of(0, 0, 0, 8, 4, 210, 22, 47)
