/**
 * The request with which a process that runs for long finds out at its start whether the service knows its key and root.
 */
import type { ApiError } from "@sluice/core/ApiError"
import type { Client } from "@sluice/core/Client"
import type * as Endpoint from "@sluice/core/Endpoint"
import * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import { harmless } from "@sluice/core/PlainText"
import * as Retry from "@sluice/core/Retry"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { Screen } from "../../terminal/Screen.ts"

export const smallest = (options: Endpoint.CallOptions = {}) =>
  Stream.runDrain(Stream.take(ReferenceData.assets.pages({ page_size: 1 }, options), 1))

/**
 * What every later request would meet too: the key is wrong, or the root lacks its version. Other replies, such as a page of
 * HTML, may be those of a proxy or a sign-in page for a while.
 */
const isLasting = (error: ApiError) =>
  error._tag === "Unauthorized" || (error._tag === "NotFound" && !/\/v\d+$/.test(error.root))

/** How long the reply may take: what works for long can begin before its network does. */
const patience = "15 seconds"

/** Fails where the service refuses the key, or is not found at a root without version. Anything else is a warning. */
export const check: Effect.Effect<void, ApiError, Client | Screen> = Effect.gen(function* () {
  const { say } = yield* Screen
  const warn = (reason: string) => say(`warning: the service has not confirmed the key: ${harmless(reason)}\n`)
  yield* smallest({ retry: Retry.none }).pipe(
    Effect.catchIf(
      (error) => !isLasting(error),
      ({ message }) => warn(message)
    ),
    Effect.timeoutOrElse({ duration: patience, orElse: () => warn(`no reply within ${patience}`) })
  )
})
