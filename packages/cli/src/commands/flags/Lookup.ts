/** Finds what the words of a command name, before its flags are known: an endpoint, a live operation or a job. */
import type { Entry, JobEntry, LiveEntry } from "@sluice/core/Endpoints"
import * as Effect from "effect/Effect"
import type { UnknownEndpoint } from "../../endpoints/EndpointIndex.ts"
import type { About, Named } from "./About.ts"
import { actions } from "./BackfillFlags.ts"

export interface Words {
  readonly command: string | undefined
  readonly rest: ReadonlyArray<string>
  /** Those that may name an endpoint: neither flags nor, as far as is known, values of flags. */
  readonly candidates: () => ReadonlyArray<string>
  readonly wantsHelp: boolean
}

const load = <A>(module: () => Promise<A>) => Effect.promise(module)

/** Commands that take an endpoint with its parameters. */
export const ofEndpoints: ReadonlySet<string | undefined> = new Set([
  "get",
  "plot",
  "plan",
  "download",
  "backfill",
  "sync"
])

/**
 * The endpoint that the words of a command name, the live operation that those of `tail` name, or the job that those of
 * `jobs start` name.
 */
export const find = Effect.fnUntraced(function* (words: Words): Effect.fn.Return<Named, UnknownEndpoint> {
  const { command } = words
  if (command === "jobs") return { job: yield* jobOf(words) }
  if (command !== "tail" && command !== "schema" && !ofEndpoints.has(command)) return {}
  if (command === "backfill" && actions.some((action) => words.candidates()[0] === action)) return {}
  const index = yield* load(() => import("../../endpoints/EndpointIndex.ts"))
  if (command === "schema") return { read: yield* aboutOf(words, index.findRead, index.getRead) }
  if (command === "tail") return { live: yield* aboutOf(words, index.findLive, index.getLive) }
  return { about: yield* aboutOf(words, index.find, command === "backfill" ? index.getBeside(actions) : index.get) }
})

/** The job that `jobs start` is to start. Of another word the command says which there are. */
const jobOf = Effect.fnUntraced(function* (words: Words) {
  const [subcommand, ...kinds] = words.candidates()
  if (subcommand !== "start" || kinds.length === 0) return undefined
  const { jobs } = yield* load(() => import("../../endpoints/EndpointIndex.ts"))
  const entry = kinds.map((kind) => jobs.get(kind)).find((entry) => entry !== undefined)
  return entry === undefined ? undefined : yield* withFlags(words, entry)
})

const aboutOf = Effect.fnUntraced(function* <E extends Entry | LiveEntry>(
  words: Words,
  find: (text: string) => E | undefined,
  get: (text: string) => Effect.Effect<E, UnknownEndpoint>
): Effect.fn.Return<About<E> | undefined, UnknownEndpoint> {
  const { rest } = words
  const candidates = words.candidates()
  if (candidates.length === 0 && !rest.some((word) => !word.startsWith("-"))) return undefined
  const known = [...candidates, ...rest].find((word) => find(word) !== undefined)
  const [first] = candidates
  if (known === undefined && first === undefined) return undefined
  return yield* withFlags(words, yield* get(known ?? first ?? ""))
})

/** What is named, with its parameters as flags, and with its description where help is wanted. */
const withFlags = Effect.fnUntraced(function* <E extends Entry | LiveEntry | JobEntry>(
  { command, wantsHelp }: Words,
  entry: E
): Effect.fn.Return<About<E>> {
  const Parameters = yield* load(() => import("../../endpoints/Parameters.ts"))
  const parameters = Parameters.ofCommand(command, entry.endpoint)
  const about = { entry, parameters }
  if (!wantsHelp) return { ...about, flags: Parameters.flagsOf(parameters), described: undefined }
  const Descriptions = yield* load(() => import("../../endpoints/Descriptions.ts"))
  const descriptions = yield* Descriptions.load
  const { path } = entry.endpoint
  return {
    ...about,
    flags: Parameters.flagsOf(parameters, Descriptions.parametersOf(descriptions, path)),
    described: descriptions.endpoints[path]
  }
})
