/**
 * The URL of a PostgreSQL that flags name, and its password.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** Adds the password from PGPASSWORD to a URL. Warns where the URL has one itself. */
export const complete = Effect.fnUntraced(function* (text: string) {
  if (hasPassword(text)) {
    yield* Effect.logWarning(
      "the URL of the database has a password, which others may read where it stands; put it into PGPASSWORD"
    )
  }
  return Redacted.make(yield* withPassword(text))
})

const hasPassword = (text: string) => /^[a-z]+:\/\/[^/?#@]*:[^@/?#]+.*@/i.test(text) || /[?&]password=[^&]/i.test(text)

/** Takes the password from PGPASSWORD where the URL has none: other users of the machine can read the words of a command. */
const withPassword = Effect.fnUntraced(function* (text: string) {
  const password = yield* Effect.orElseSucceed(Config.option(Config.NonEmptyString("PGPASSWORD")), Option.none)
  if (Option.isNone(password) || !URL.canParse(text)) return text
  const url = new URL(text)
  if (url.password === "") url.password = encodeURIComponent(password.value)
  return url.href
})
