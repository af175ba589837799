/** The check of settings that would make every call hang or fail. */
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { Misconfigured } from "../../ApiError.ts"

/** A setting, whether it is valid, and what is expected of it. */
export type Rule = readonly [setting: string, isValid: boolean, reason: string]

/** Fails for the first setting that is not valid. */
export const check = (rules: ReadonlyArray<Rule>): Effect.Effect<void, Misconfigured> => {
  const wrong = rules.find(([, isValid]) => !isValid)
  return wrong === undefined ? Effect.void : new Misconfigured({ setting: wrong[0], reason: wrong[2] })
}

/** A timeout, which must not be over at once. */
export const timeout = (setting: string, value: Duration.Input = Infinity): Rule => [
  setting,
  Duration.toMillis(value) > 0,
  "expected more than zero; Infinity waits for ever"
]
