/** The address of a quota store. */
import { Misconfigured } from "@sluice/core/ApiError"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

export type Address = Server | Local

/** A server of the protocol of Redis. */
export interface Server {
  readonly kind: "server"
  /** Without user and password. */
  readonly place: string
  readonly url: Redacted.Redacted
  /** The path of a socket, in place of the URL. */
  readonly path: string | undefined
}

/** A file of this machine. */
export interface Local {
  readonly kind: "local"
  readonly place: string
  /** The folder of the file; that of the user when absent. */
  readonly folder: string | undefined
}

const refused = new Misconfigured({
  setting: "quotaStore",
  variable: "SLUICE_QUOTA_STORE",
  reason: "expected redis://host:port, rediss://host:port, unix:///path of a socket, local, or local:/folder"
})

/** Reads an address. Fails with `Misconfigured`, which does not quote it, because it may hold a password. */
export const parse = (store: Redacted.Redacted): Effect.Effect<Address, Misconfigured> =>
  Effect.suspend((): Effect.Effect<Address, Misconfigured> => {
    const text = Redacted.value(store).trim()
    if (text === "local") return Effect.succeed({ kind: "local", place: "local", folder: undefined })
    if (text.startsWith("local:/")) {
      return Effect.succeed({ kind: "local", place: text, folder: text.slice("local:".length) })
    }
    if (text.startsWith("unix:///")) {
      return Effect.succeed({ kind: "server", place: text, url: store, path: text.slice("unix://".length) })
    }
    if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return Effect.fail(refused)
    const { host, hostname, pathname, protocol } = new URL(text)
    if (hostname === "" || !/^(?:\/\d*)?$/.test(pathname)) return Effect.fail(refused)
    const place = `${protocol}//${host}${pathname === "/" ? "" : pathname}`
    return Effect.succeed({ kind: "server", place, url: Redacted.make(text), path: undefined })
  })
