/**
 * Which service the invocation asks, and what was kept from it: advice on a failure depends on both.
 */
import * as Context from "effect/Context"
import type * as Ref from "effect/Ref"

/** What is known before the first request. */
export interface Known {
  /** As it was given; absent where the paid root is asked by default. */
  readonly root: string | undefined
  /** Root of the config file, whose key is not sent to another; absent where no key was withheld. */
  readonly withheldFrom: string | undefined
}

/** Known once the client is built. */
export class Target extends Context.Service<Target, Ref.Ref<Known>>()("@sluice/cli/Target") {}

/** Before the client is built. */
export const nothing: Known = { root: undefined, withheldFrom: undefined }
