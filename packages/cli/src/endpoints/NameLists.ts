/**
 * Keeps names that the service has told for completions. Whatever goes wrong here is ignored: without names there are fewer of them.
 */
import * as Account from "@sluice/core/Account"
import * as Discover from "@sluice/core/Discover"
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Path from "effect/Path"
import * as KnownNames from "./KnownNames.ts"

/** How long the lists that are few are taken to be complete. */
const fresh = Duration.toMillis("1 day")

/** How long asking for them may take: a command waits for it. */
const patience = "5 seconds"

const most = 100_000

/** The lists that are asked for once a day: kinds, and a parameter of an endpoint that takes them. */
const lists = [
  ["assets", "/timeseries/asset-metrics", "assets"],
  ["asset-metrics", "/timeseries/asset-metrics", "metrics"],
  ["exchanges", "/timeseries/exchange-metrics", "exchanges"],
  ["indexes", "/timeseries/index-levels", "indexes"],
  ...["exchange", "exchange-asset", "institution", "market", "pair"].map(
    (of) => [`${of}-metrics`, `/timeseries/${of}-metrics`, "metrics"] as const
  )
] as const

/** Adds names of a kind to those that are known, and once a day asks for the lists that are short. Sends nothing where no file can be kept. */
export const note = (kind: string, names: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const { root, scrub } = yield* Account.Account
    const folder = yield* KnownNames.folderOf(root.url)
    // For the user alone: the names are what the key may read.
    yield* fs.makeDirectory(folder, { recursive: true, mode: 0o700 })
    // A service may have the key among its names.
    const kept = (some: ReadonlyArray<string>) => some.filter((name) => KnownNames.isSafe(name) && scrub(name) === name)
    const known = yield* Effect.orElseSucceed(
      KnownNames.linesOf(path.join(folder, kind)),
      (): ReadonlyArray<string> => []
    )
    const all = new Set([...kept(names), ...known])
    if (all.size > known.length) yield* KnownNames.write(folder, kind, [...all].toSorted().slice(0, most))
    const now = yield* Clock.currentTimeMillis
    const written = yield* Effect.option(fs.stat(path.join(folder, "lists")))
    const at = Option.flatMap(written, ({ mtime }) => mtime)
    if (Option.isSome(at) && now - at.value.getTime() < fresh) return
    // First, so that a service that does not answer is asked once a day too.
    yield* KnownNames.write(folder, "lists", [])
    const list = Effect.fnUntraced(function* ([kind, path, parameter]: (typeof lists)[number]) {
      const found = kept((yield* Discover.names({ path }, parameter)).map(({ name }) => name))
      yield* KnownNames.write(folder, kind, found.toSorted().slice(0, most))
    })
    // The key may read some of them alone.
    const each = Effect.forEach(lists, (one) => Effect.ignore(list(one)), { concurrency: 3, discard: true })
    yield* Effect.timeout(each, patience)
  }).pipe(Effect.ignore)
