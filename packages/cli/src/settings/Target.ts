/** The root of the invocation, and whether a key was withheld from it: the advice on a failure depends on both. */
import * as Context from "effect/Context"
import type * as Ref from "effect/Ref"

/** What is known before the first request. */
export interface Known {
  /** As it was given; absent for the default, the paid root. */
  readonly root: string | undefined
  /** Root of the config file whose key was not sent, because another root was given; absent where no key was withheld. */
  readonly withheldFrom: string | undefined
  /** The flag, variable or file that names the root; absent for the default. */
  readonly rootFrom: string | undefined
  readonly hasKey: boolean
  /** The flag, variable or file that gives the key; absent where there is none. */
  readonly keyFrom: string | undefined
  /** Whether a command that reads what is held would do so without the service, with --offline. */
  readonly mayBeOffline: boolean
  /** The config file that was read; absent where there is none. */
  readonly file: string | undefined
}

/** Set when the client is built. */
export class Target extends Context.Service<Target, Ref.Ref<Known>>()("@sluice/cli/Target") {}

/** The value before the client is built. */
export const nothing: Known = {
  root: undefined,
  withheldFrom: undefined,
  rootFrom: undefined,
  hasKey: true,
  keyFrom: undefined,
  mayBeOffline: false,
  file: undefined
}
