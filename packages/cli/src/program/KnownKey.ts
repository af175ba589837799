/** Removes the key of this invocation from what is said of a failure: it may have been typed in the wrong place too. */
import * as Account from "@sluice/core/Account"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Stdio from "effect/Stdio"
import type { ShownFailure } from "./ShownFailure.ts"

const flagIn = (args: ReadonlyArray<string>): string | undefined => {
  const at = args.findIndex((arg) => arg === "--api-key" || arg.startsWith("--api-key="))
  const found = args[at]
  return found === undefined || at < 0
    ? undefined
    : found.includes("=")
      ? found.slice(found.indexOf("=") + 1)
      : args[at + 1]
}

const pastedIn = (args: ReadonlyArray<string>): string | undefined =>
  args.flatMap((arg) => URL.parse(arg)?.searchParams.get("api_key") ?? [])[0]

/** Hides the keys of the flag, of a pasted URL and of the environment. */
export const hide = Effect.fnUntraced(function* (shown: ShownFailure) {
  const { args } = yield* Stdio.Stdio
  const words = yield* args
  const variable = yield* Effect.orElseSucceed(Config.NonEmptyString("SLUICE_API_KEY"), () => undefined)
  let { message, next } = shown
  for (const key of [flagIn(words), pastedIn(words), variable]) {
    if (key === undefined) continue
    // The root is not used: an account knows how a key may be written.
    const made = Account.make({ root: "http://127.0.0.1/v4", apiKey: Redacted.make(key) })
    const scrub = yield* Effect.match(made, {
      onFailure: () => (text: string) => text,
      onSuccess: ({ scrub }) => scrub
    })
    message = scrub(message)
    next = next === undefined ? undefined : scrub(next)
  }
  return { ...shown, message, next }
})
