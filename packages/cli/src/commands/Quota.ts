/**
 * `sluice quota`: the plan of the key and what is left of its rate limit.
 */
import * as Client from "@sluice/core/Client"
import { harmless, harmlessJson } from "@sluice/core/PlainText"
import * as ReferenceData from "@sluice/core/endpoints/ReferenceData"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import * as Connection from "../settings/Connection.ts"
import * as Help from "./Help.ts"
import * as Amount from "../terminal/Amount.ts"
import { Screen } from "../terminal/Screen.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"

const print = Effect.gen(function* () {
  const screen = yield* Screen
  const client = yield* Client.Client
  // Every reply names the limits; this is the smallest one.
  yield* Stream.runDrain(Stream.take(ReferenceData.assets.pages({ page_size: 1 }), 1))
  const { limit, plan, remaining, reset, shared, window } = yield* Client.quota
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
          reset_seconds: seconds,
          store: shared?.store ?? null,
          processes: shared?.processes ?? null
        })
      )
    )
  }
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["root", client.account.root.url],
    ["plan", harmless(plan ?? "not named by the service")],
    [
      "limit",
      isLimited ? `${Amount.count(limit)} requests in ${Duration.toSeconds(window)} s` : "none named by the service"
    ],
    ["remaining", isLimited ? Amount.count(remaining) : "no limit"],
    ["reset", seconds === 0 ? "a request may start now" : `the next request may start in ${seconds} s`]
  ]
  const through: ReadonlyArray<readonly [string, string]> =
    shared === undefined ? [] : [["shared", `through ${harmless(shared.store)}, by ${shared.processes} at present`]]
  yield* screen.print(Help.definitions([...rows, ...through], screen.out).join("\n"))
})

/** Requests one record and prints the limits that its reply names. */
export const run = () => Effect.provide(print, Connection.layer)
