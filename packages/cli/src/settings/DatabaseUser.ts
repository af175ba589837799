/**
 * The user of a PostgreSQL that a URL names.
 */
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"

/** Whether neither a URL nor the environment, where the client looks next, names a user. */
export const isMissing = Effect.fnUntraced(function* (text: string) {
  if (!URL.canParse(text)) return false
  const { searchParams, username } = new URL(text)
  if (username !== "" || searchParams.has("user")) return false
  const user = Config.orElse(Config.NonEmptyString("USER"), () => Config.NonEmptyString("USERNAME"))
  return yield* Effect.isFailure(user)
})
