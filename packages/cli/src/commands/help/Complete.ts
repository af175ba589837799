/** `sluice complete`, which the scripts of `sluice completions` call: what may stand at the cursor. Sends nothing. */
import type * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import type * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as KnownNames from "../../endpoints/KnownNames.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import * as Settings from "../../settings/Settings.ts"
import { Screen } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"
import type { Named } from "../flags/About.ts"
import { marketTypes } from "../flags/FormatFlags.ts"
import * as Lookup from "../flags/Lookup.ts"

type Flag = Completions.FlagDescriptor
type Descriptor = Completions.CommandDescriptor

type Make = (named?: Named) => Command.Command.Any

/** Something that may stand at the cursor. */
interface Candidate {
  readonly value: string
  readonly means?: string | undefined
}

/** The words that bash has split at `=` and `:`, as they were typed. */
const joined = (words: ReadonlyArray<string>): ReadonlyArray<string> => {
  const found: Array<string> = []
  for (const [index, word] of words.entries()) {
    const isJoined = index > 0 && (/^[=:]+$/.test(word) || /^[=:]+$/.test(words[index - 1] ?? ""))
    if (isJoined) found.push(`${found.pop() ?? ""}${word}`)
    else found.push(word)
  }
  return found
}

const takesEndpoint = (command: string) =>
  Lookup.ofEndpoints.has(command) || ["schema", "describe", "tail"].includes(command)

/** What may follow a command. Deprecated endpoints are not offered. */
const entriesOf = (index: typeof EndpointIndex, command: string): ReadonlyArray<EndpointIndex.AnyEntry> => {
  const current = index.all.filter(({ endpoint }) => endpoint.deprecated === undefined)
  if (command === "tail") return index.live
  if (command === "sync") return current.filter(({ endpoint }) => endpoint.order === "series")
  if (command === "schema") return [...current, ...index.live]
  return command === "describe" ? [...index.all, ...index.live] : current
}

/** The last parts of paths that stand for one of these alone. */
const shortNamesOf = (index: typeof EndpointIndex, command: string, entries: ReadonlyArray<EndpointIndex.AnyEntry>) =>
  [...(command === "tail" ? index.shortOfLive : index.shortOf)].flatMap(([name, entry]) =>
    entries.includes(entry) ? [name] : []
  )

const spelled = (name: string) => (name.length === 1 ? `-${name}` : `--${name}`)

const spellingsOf = ({ aliases, name, negation, type }: Flag): ReadonlyArray<string> => [
  ...[name, ...aliases].map(spelled),
  ...(type._tag === "Boolean" && negation !== false ? [`--${negation ?? `no-${name}`}`] : [])
]

/** What the words before the cursor are. */
const parse = (program: Descriptor, more: ReadonlyArray<Flag>, words: ReadonlyArray<string>) => {
  let command = program
  let flags = [...more, ...program.flags]
  let pending: Flag | undefined
  const given = new Map<string, string>()
  const arguments_: Array<string> = []
  let mayBeValue = false
  for (const word of words) {
    const isUnknown = mayBeValue && !word.startsWith("-")
    mayBeValue = false
    if (isUnknown) continue
    if (pending !== undefined) {
      given.set(pending.name, word)
      pending = undefined
      continue
    }
    if (word.startsWith("-")) {
      const [name = "", value] = word.split(/=(.*)/s)
      const flag = flags.find((flag) => spellingsOf(flag).includes(name))
      if (flag === undefined) {
        // A parameter of an endpoint that is not known yet.
        mayBeValue = value === undefined && !name.startsWith("--no-")
        continue
      }
      if (value !== undefined || flag.type._tag === "Boolean") given.set(flag.name, value ?? "")
      else pending = flag
      continue
    }
    const below = arguments_.length === 0 ? command.subcommands.find(({ name }) => name === word) : undefined
    if (below === undefined) {
      arguments_.push(word)
      continue
    }
    command = below
    flags = [...more, ...below.flags]
  }
  return { command, flags, pending, given, arguments: arguments_ }
}

/** The kinds of names by the names of parameters, flags and arguments. */
const kinds: Readonly<Record<string, string>> = {
  asset: "assets",
  assets: "assets",
  base: "assets",
  quote: "assets",
  exchange: "exchanges",
  exchanges: "exchanges",
  indexes: "indexes",
  market: "markets",
  markets: "markets"
}

const times = ["now", "today", "yesterday", "-1h", "-1d", "-7d", "-30d", "-1mo", "-1y"]

const plain = (values: ReadonlyArray<string>): ReadonlyArray<Candidate> => values.map((value) => ({ value }))

/** Prints what may stand at the cursor, a line each. The last of the words is the one at the cursor. */
export const run = Effect.fnUntraced(function* (shell: Completions.Shell, typed: ReadonlyArray<string>, make: Make) {
  const words = shell === "bash" ? joined(typed) : typed
  const before = words.slice(words[0] === "help" && words.length > 1 ? 1 : 0, -1)
  // PowerShell passes no empty word on: there the word has a full stop behind it.
  const cursor = shell === "powershell" ? (words.at(-1) ?? "").replace(/\.$/, "") : (words.at(-1) ?? "")
  const globals = GlobalFlags.descriptors()
  const sandbox = before.includes("sandbox") ? yield* ofSandbox : undefined
  const treeOf = (named?: Named): Descriptor => {
    const program = Completions.fromCommand(make(named))
    const withFlags = (one: Descriptor) => (one.name === "sandbox" && sandbox ? { ...one, flags: sandbox } : one)
    return { ...program, subcommands: program.subcommands.map(withFlags) }
  }
  const rough = parse(treeOf(), globals, before)
  const top = rough.command.name
  const takes = top === "start" ? "jobs" : takesEndpoint(top) ? top : undefined
  // The endpoints are loaded for the commands that take one.
  const index =
    takes === undefined ? undefined : yield* Effect.promise(() => import("../../endpoints/EndpointIndex.ts"))
  const named = yield* Lookup.find({
    // It takes the endpoints of `get`.
    command: takes === "describe" ? "get" : takes,
    rest: before,
    candidates: () => (top === "start" ? [top, ...rough.arguments] : rough.arguments),
    wantsHelp: false
  }).pipe(Effect.orElseSucceed((): Named => ({})))
  const entry = (named.about ?? named.live ?? named.read ?? named.job)?.entry
  const known = entry === undefined ? rough : parse(treeOf(named), globals, before)
  const { command, flags, given, pending } = known
  const names = (kind: string | undefined) =>
    kind === undefined
      ? Effect.succeed<ReadonlyArray<Candidate>>([])
      : KnownNames.rootOf(given.get("root")).pipe(
          Effect.provide(Settings.layer),
          Effect.flatMap((root) => KnownNames.read(root, kind)),
          Effect.map(plain),
          Effect.orElseSucceed((): ReadonlyArray<Candidate> => [])
        )

  const valuesOf = (flag: Flag) => {
    if (flag.type._tag === "Choice") return Effect.succeed(plain(flag.type.values))
    const parameter = entry?.endpoint.parameters.get(flag.name)
    if (parameter !== undefined) {
      if (parameter.kind === "time") return Effect.succeed(plain(times))
      const isMetric = /^metrics?$/.test(flag.name)
      const series = entry?.endpoint.path.split("/").at(-1)
      const words = plain(parameter.words)
      return words.length > 0 ? Effect.succeed(words) : names(isMetric ? series : kinds[flag.name])
    }
    if (flag.name === "root") return Effect.succeed(plain(["paid", "community"]))
    if (flag.name === "since" || flag.name === "as-of") return Effect.succeed(plain(times))
    if (flag.name === "split" && entry !== undefined && "splits" in entry.endpoint)
      return Effect.succeed(plain(entry.endpoint.splits))
    if (command.name !== "markets") return names(undefined)
    return flag.name === "type" ? Effect.succeed(plain(marketTypes)) : names(kinds[flag.name])
  }

  /** Of a list the last item is at the cursor. */
  const itemsOf = (flag: Flag, text: string, head: string) =>
    Effect.map(valuesOf(flag), (values) => {
      const isList = entry?.endpoint.parameters.get(flag.name)?.isList === true
      const items = isList ? text.slice(0, text.lastIndexOf(",") + 1) : ""
      const taken = new Set(items.split(","))
      return values
        .filter(({ value }) => value.startsWith(text.slice(items.length)) && !taken.has(value))
        .map(({ value, means }) => ({ value: `${head}${items}${value}`, means }))
    })

  const ofArguments = () => {
    const [first] = known.arguments
    const own = first === undefined ? command.subcommands : []
    const below = own.map(({ description, name }) => ({ value: name, means: description }))
    if (first === undefined && index !== undefined && takesEndpoint(command.name)) {
      const nameOf = /^[A-Z]/.test(cursor) ? index.nameOf : index.pathOf
      const entries = entriesOf(index, command.name)
      const offered = [...below, ...plain(entries.map(nameOf))]
      const isBegun = offered.some(({ value }) => value.startsWith(cursor))
      return Effect.succeed(isBegun ? offered : plain(shortNamesOf(index, command.name, entries)))
    }
    const argument = command.arguments[Math.min(known.arguments.length, command.arguments.length - 1)]
    if (argument?.type._tag === "Choice" && first === undefined) return Effect.succeed(plain(argument.type.values))
    if (command.name === "describe" && entry !== undefined) {
      const entities = [...entry.endpoint.parameters.values()].find(({ role }) => role._tag === "Entities")
      return names(kinds[entities?.name ?? ""])
    }
    if (first !== undefined) return Effect.succeed([])
    if (command.name === "metrics") return names("assets")
    if (command.name === "assets") return names("asset-metrics")
    return Effect.succeed(below)
  }

  const ofFlags = () => {
    return flags.flatMap((flag): ReadonlyArray<Candidate> => {
      // A list may be given in several parts.
      if (given.has(flag.name) && entry?.endpoint.parameters.get(flag.name)?.isList !== true) return []
      const value = spellingsOf(flag).find((name) => name.length > 2 && name.startsWith(cursor))
      return value === undefined ? [] : [{ value, means: flag.description }]
    })
  }

  const candidatesOf = Effect.fnUntraced(function* () {
    if (pending !== undefined) return yield* itemsOf(pending, cursor, "")
    const [, name, text = ""] = /^(--[\w-]+)=(.*)$/s.exec(cursor) ?? []
    const flag = name === undefined ? undefined : flags.find((flag) => spellingsOf(flag).includes(name))
    if (flag !== undefined) return yield* itemsOf(flag, text, `${name}=`)
    return cursor.startsWith("-") ? ofFlags() : (yield* ofArguments()).filter(({ value }) => value.startsWith(cursor))
  })

  const { print } = yield* Screen
  const lines = (yield* candidatesOf()).map((one) => lineOf(shell, one, cursor))
  if (lines.length > 0) yield* print([...new Set(lines)].join("\n"))
})

/** The sandbox is a command of another package. */
const ofSandbox = Effect.map(
  Effect.promise(() => import("@sluice/sandbox/Program")),
  ({ command }) => Completions.fromCommand(command).flags
)

/** A candidate as the script of a shell reads it. */
const lineOf = (shell: Completions.Shell, { means = "", value }: Candidate, cursor: string): string => {
  // Bash replaces only what stands behind the last of these.
  if (shell === "bash") return value.slice(Math.max(cursor.lastIndexOf("="), cursor.lastIndexOf(":")) + 1)
  const text = Style.cutWords(means.replaceAll(/[\s`]+/g, " ").trim(), 70)
  if (shell === "zsh") return `${value.replaceAll(":", "\\:")}${text === "" ? "" : `:${text}`}`
  return text === "" ? value : `${value}\t${text}`
}
