/**
 * The cluster of an invocation: the flag `--cluster`, or SLUICE_CLUSTER; and SLUICE_CLUSTER_SECRET, which has no flag, since other
 * users of the machine can see flags.
 */
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** No cluster is named, or by something that is no URL of PostgreSQL. */
export class BadCluster extends Data.TaggedError("BadCluster")<{ readonly message: string }> {}

/** Whether neither a URL nor the environment, where the client looks next, names a user. */
export const lacksUser = Effect.fnUntraced(function* (text: string) {
  if (!URL.canParse(text)) return false
  const { searchParams, username } = new URL(text)
  if (username !== "" || searchParams.has("user")) return false
  const user = Config.orElse(Config.NonEmptyString("USER"), () => Config.NonEmptyString("USERNAME"))
  return yield* Effect.isFailure(user)
})

export const find = Effect.fnUntraced(function* (flag: Redacted.Redacted | undefined) {
  const url = flag ?? Option.getOrUndefined(yield* Config.option(Config.Redacted("SLUICE_CLUSTER")))
  const text = url === undefined ? "" : Redacted.value(url)
  if (text === "") return undefined
  if (!/^postgres(?:ql)?:\/\/[^/]/.test(text)) {
    return yield* new BadCluster({ message: "the cluster is not a URL of PostgreSQL" })
  }
  if (yield* lacksUser(text)) {
    return yield* new BadCluster({ message: "the URL of the cluster names no user" })
  }
  return url
})

const shortest = 16

/** What the workers of the cluster know, if they share a secret: SLUICE_CLUSTER_SECRET. */
export const secret = Effect.gen(function* () {
  const found = Option.getOrUndefined(yield* Config.option(Config.Redacted("SLUICE_CLUSTER_SECRET")))
  const { length } = found === undefined ? "" : Redacted.value(found)
  if (length === 0) return undefined
  if (length >= shortest) return found
  return yield* new BadCluster({ message: `SLUICE_CLUSTER_SECRET needs at least ${shortest} characters` })
})

/** The URL of the cluster. Fails where none is named. */
export const get = Effect.fnUntraced(function* (flag: Redacted.Redacted | undefined) {
  return (yield* find(flag)) ?? (yield* new BadCluster({ message: "no cluster is named" }))
})
