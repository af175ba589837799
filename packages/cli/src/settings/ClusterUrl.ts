/**
 * The cluster of an invocation: the flag `--cluster`, or SLUICE_CLUSTER; and SLUICE_CLUSTER_SECRET, which has no flag, since other
 * users of the machine can see flags.
 */
import * as Config from "effect/Config"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as DatabaseUser from "./DatabaseUser.ts"

/** No cluster is named, or by something that is no URL of PostgreSQL. */
export class BadCluster extends Data.TaggedError("BadCluster")<{ readonly message: string }> {}

export const find = Effect.fnUntraced(function* (flag: Redacted.Redacted | undefined) {
  const url = flag ?? Option.getOrUndefined(yield* Config.option(Config.Redacted("SLUICE_CLUSTER")))
  const text = url === undefined ? "" : Redacted.value(url)
  if (text === "") return undefined
  if (!/^postgres(?:ql)?:\/\/[^/]/.test(text)) {
    return yield* new BadCluster({ message: "the cluster is not a URL of PostgreSQL" })
  }
  if (yield* DatabaseUser.isMissing(text)) {
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
