/** `sluice quota`: the plan of the key and what is left of its rate limit. */
import * as Client from "@sluice/core/Client"
import { harmless } from "@sluice/core/PlainText"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Connection from "../../settings/Connection.ts"
import * as FirstRequest from "./FirstRequest.ts"
import * as Help from "../help/Help.ts"
import * as Amount from "../../terminal/Amount.ts"
import { jsonOf, Screen } from "../../terminal/Screen.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"

/** Requests one record, since every reply names the limits; gives the client and what they are, also as JSON has them. */
export const ask = Effect.gen(function* () {
  const { account } = yield* Client.Client
  yield* FirstRequest.smallest()
  const quota = yield* Client.quota
  const { limit, plan, remaining, reset, window } = quota
  const isLimited = Number.isFinite(limit)
  const data = {
    root: account.root.url,
    plan: plan ?? null,
    limit: isLimited ? limit : null,
    window_seconds: isLimited ? Duration.toSeconds(window) : null,
    remaining: isLimited ? remaining : null,
    reset_seconds: Duration.toSeconds(reset)
  }
  return { account, quota, data }
})

const print = Effect.gen(function* () {
  const screen = yield* Screen
  const { data, quota } = yield* ask
  const { limit, remaining, shared } = quota
  if (yield* GlobalFlags.Json) {
    const all = { ...data, store: shared?.store ?? null, processes: shared?.processes ?? null }
    return yield* screen.print(jsonOf(all))
  }
  const isLimited = data.limit !== null
  const seconds = data.reset_seconds
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["root", data.root],
    ["plan", harmless(data.plan ?? "not named by the service")],
    ["limit", isLimited ? `${Amount.count(limit)} requests in ${data.window_seconds} s` : "none named by the service"],
    ["remaining", isLimited ? Amount.count(remaining) : "no limit"],
    ["reset", seconds === 0 ? "a request may start now" : `the next request may start in ${seconds} s`]
  ]
  const through: ReadonlyArray<readonly [string, string]> =
    shared === undefined ? [] : [["shared", `through ${harmless(shared.store)}, by ${shared.processes} at present`]]
  yield* screen.print(Help.definitions([...rows, ...through], screen.out).join("\n"))
})

export const run = () => Effect.provide(print, Connection.layer)
