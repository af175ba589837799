/**
 * Why there was no complete reply, and what explains it. An error of the HTTP library is dropped where it is explained, because it
 * holds the request.
 */
import * as Context from "effect/Context"

/** Why there was no complete reply. */
export interface Failure {
  readonly reason: string
  /** Whether the same request may succeed later. */
  readonly transient: boolean
  /** Whether the connection was established. */
  readonly connected: boolean
  /** Whether it is certain that nothing of the request was sent. */
  readonly isUnsent: boolean
}

/** Explains the cause of an error of the HTTP library. */
export type Explain = (cause: unknown) => Failure

/** What explains errors to the clients that are built. A browser tells no more of an error than that there was one. */
export const Explain = Context.Reference<Explain>("@sluice/core/Explain", {
  defaultValue: () => () => ({ reason: "the connection failed", transient: true, connected: false, isUnsent: false })
})
