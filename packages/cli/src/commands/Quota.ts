/**
 * `sluice quota`: what the key may do, and what is left of it now.
 */
import * as Client from "@sluice/core/Client"
import { harmless, harmlessJson } from "@sluice/core/PlainText"
import * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Connection from "../settings/Connection.ts"
import * as Help from "./Help.ts"
import { Screen } from "../terminal/Screen.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"

const print = Effect.gen(function* () {
  const screen = yield* Screen
  const client = yield* Client.Client
  // The service tells its limits with every reply; this is the smallest one.
  yield* Stream.runDrain(Stream.take(ReferenceData.assets.pages({ page_size: 1 }), 1))
  const { limit, plan, remaining, reset, window } = yield* Client.quota
  const seconds = Duration.toSeconds(reset)
  const isLimited = Number.isFinite(limit)
  if (yield* GlobalFlags.Json) {
    return yield* screen.print(
      harmlessJson(
        JSON.stringify({
          root: client.account.root.url,
          plan: plan ?? null,
          limit: isLimited ? limit : null,
          window_seconds: isLimited ? Duration.toSeconds(window) : null,
          remaining: isLimited ? remaining : null,
          reset_seconds: seconds
        })
      )
    )
  }
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["root", client.account.root.url],
    ["plan", harmless(plan ?? "not told by the service")],
    ["limit", isLimited ? `${grouped(limit)} requests in ${Duration.toSeconds(window)} s` : "none told by the service"],
    ["remaining", isLimited ? grouped(remaining) : "as many as you like"],
    ["reset", seconds === 0 ? "not needed: a request may start now" : `the next request may start in ${seconds} s`]
  ]
  yield* screen.print(Help.definitions(rows, screen.out).join("\n"))
})

const grouped = (value: number) => value.toLocaleString("en")

/** Asks for one record and prints what its reply tells. */
export const run = Effect.provide(print, Connection.layer)
