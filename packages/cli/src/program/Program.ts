/** The command `sluice`: parses the arguments, runs a command, and reports failures. */
import { harmless } from "@sluice/core/PlainText"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Predicate from "effect/Predicate"
import * as References from "effect/References"
import type * as Path from "effect/Path"
import * as Ref from "effect/Ref"
import * as Runtime from "effect/Runtime"
import * as Stdio from "effect/Stdio"
import * as Commands from "../commands/Commands.ts"
import type { Named } from "../commands/flags/About.ts"
import * as Lookup from "../commands/flags/Lookup.ts"
import type { UnknownEndpoint } from "../endpoints/EndpointIndex.ts"
import * as ExitCode from "./ExitCode.ts"
import * as Misuse from "../commands/flags/Misuse.ts"
import * as ShownFailure from "./ShownFailure.ts"
import * as Help from "../commands/help/Help.ts"
import * as Invocation from "./Invocation.ts"
import * as Repeats from "../terminal/Repeats.ts"
import * as Screen from "../terminal/Screen.ts"
import { fold, wipe } from "../terminal/Style.ts"
import { Explain } from "../settings/Explain.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"
import * as Target from "../settings/Target.ts"
import { version } from "../settings/Version.ts"

/** Ends the process with an exit code. The failure has been reported. */
export class Ended extends Data.TaggedError("Ended")<{ readonly code: number }> {
  override readonly [Runtime.errorExitCode] = this.code
}

const load = <A>(module: () => Promise<A>) => Effect.promise(module)

/** What the arguments of a command name. In the place of an endpoint some commands take a file, a folder or a database. */
const namedBy = (
  invocation: Invocation.Invocation
): Effect.Effect<Named, UnknownEndpoint, FileSystem.FileSystem | Path.Path> => {
  const { command, rest } = invocation
  const found = Lookup.find({ ...invocation, candidates: () => Invocation.candidates(rest) })
  const orElse = command === "sync" ? orFolder : command === "plot" ? orFile : Effect.fail
  return Effect.catch(found, (error) => Effect.as(orElse(error), {}))
}

/** Tells of the folder of a dataset that it is one, in the place of an endpoint that there is not. */
const orFolder = Effect.fnUntraced(function* (error: UnknownEndpoint) {
  const { defined } = yield* load(() => import("@sluice/datasets/Dataset"))
  const { UnknownEndpoint } = yield* load(() => import("../endpoints/EndpointIndex.ts"))
  const { name } = error
  const found = yield* Effect.orElseSucceed(defined(name), () => undefined)
  return yield* found === undefined ? error : new UnknownEndpoint({ name, suggestions: [], isDataset: true })
})

/** A file, a folder or a database in the place of an endpoint; one that there is not is told by the command. */
const orFile = Effect.fnUntraced(function* (error: UnknownEndpoint) {
  const fs = yield* FileSystem.FileSystem
  const { isDatabase } = yield* load(() => import("../commands/data/PlaceFlags.ts"))
  const isFile = yield* Effect.orElseSucceed(fs.exists(error.name), () => false)
  return yield* isFile || isDatabase(error.name) || /\.\w+$/.test(error.name) ? Effect.undefined : error
})

const builtIns = (parameters: ReadonlySet<string>) =>
  CliConfig.layer({
    // An endpoint may have a parameter `version`, which then takes the place of the flag.
    builtIns: parameters.has("version") ? [GlobalFlag.Help] : [GlobalFlag.Help, GlobalFlag.Version]
  })

const presenter = CliOutput.layerPresenter({
  // `report` prints these failures, as all others.
  present: (event) => (event._tag === "InvalidInvocation" ? Effect.void : CliOutput.defaultPresenter.present(event))
})

const formatter = (parameters: ReadonlySet<string>, shown: Help.Shown) =>
  Layer.effect(
    CliOutput.Formatter,
    Effect.map(Screen.Screen, ({ out }) =>
      Help.formatter(out, CliOutput.defaultFormatter({ colors: false }), parameters, shown)
    )
  )

const interpret = Effect.fnUntraced(function* (
  invocation: Invocation.Invocation,
  args: ReadonlyArray<string>,
  endpoint: Ref.Ref<Misuse.Named | undefined>,
  shown: Help.Shown
) {
  if (invocation.command === "sandbox") {
    const Sandbox = yield* load(() => import("../commands/Sandbox.ts"))
    return yield* Sandbox.run(invocation.rest)
  }
  const all = yield* namedBy(invocation)
  const named = all.about ?? all.live ?? all.read ?? all.job
  const parameters = new Set(named?.parameters.keys())
  if (named !== undefined) {
    const path = named.entry.endpoint.path.slice(1)
    // A job is named by what it computes.
    const word = all.job === undefined ? path : path.replace(/^.*\//, "")
    yield* Ref.set(endpoint, { endpoint: word, parameters })
  }
  yield* Command.runWith(Commands.make(all), { version, renderErrors: true })(args).pipe(
    Effect.provide([builtIns(parameters), formatter(parameters, shown), presenter])
  )
})

const isCommand = (word: string | undefined) =>
  word !== undefined && Completions.fromCommand(Commands.make()).subcommands.some(({ name }) => name === word)

/** The words without `--help` where it is asked of a command that there is not, so that the parser refuses it. */
const withoutHelp = (words: ReadonlyArray<string>) => {
  const { command, wantsHelp } = Invocation.read(words)
  return !wantsHelp || command === undefined || isCommand(command)
    ? words
    : words.filter((word) => !GlobalFlags.help.has(word))
}

const helpOnExit = Effect.flatMap(Screen.Screen, ({ out, print }) => {
  const rows = ExitCode.rows.map(([code, kind, means]) => [`${code} ${kind}`.trimEnd(), means] as const)
  return print(Help.section("Exit codes", Help.definitions(rows, out), out.style).slice(1).join("\n"))
})

/** What `help` and these words stand for: the help of a command, the description of an endpoint, or the command that there is not. */
const helpOn = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const [word] = words
  if (word === undefined || word.startsWith("-") || isCommand(word)) return [...words, "--help"]
  const { getAny } = yield* load(() => import("../endpoints/EndpointIndex.ts"))
  return (yield* Effect.isSuccess(getAny(word))) ? ["describe", ...words] : words
})

/** The words with those that a pasted URL stands for in its place. */
const withoutUrl = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
  const { command, rest } = Invocation.read(words)
  const takesParameters = Lookup.ofEndpoints.has(command) || command === "schema"
  if (!(takesParameters || command === "describe") || !words.some((word) => /:\/\/|\?|^\/?v\d+\//.test(word)))
    return words
  const PastedUrl = yield* load(() => import("./PastedUrl.ts"))
  const root = yield* Effect.orElseSucceed(Config.NonEmptyString("SLUICE_BASE_URL"), () => undefined)
  const known = { root: root?.replace(/\/+$/, ""), takesParameters }
  return yield* PastedUrl.expand(words, Invocation.candidates(rest), known)
})

const isHelp = (failure: Failures) => failure._tag === "ShowHelp" && failure.errors.length === 0

type Failures = Effect.Error<ReturnType<typeof interpret> | ReturnType<typeof withoutUrl> | typeof helpOnExit>

const shownOf = (
  failure: Failures,
  target: Target.Known,
  endpoint: Misuse.Named | undefined
): ShownFailure.ShownFailure => {
  if (failure._tag === "ShowHelp") {
    return ShownFailure.of(Misuse.ofInvocation(failure.errors, failure.commandPath, endpoint))
  }
  return CliError.isCliError(failure) ? ShownFailure.bug(failure) : ShownFailure.of(failure, target)
}

/** Loaded where something failed. */
const hideKey = (shown: ShownFailure.ShownFailure) =>
  Effect.flatMap(
    load(() => import("./KnownKey.ts")),
    (KnownKey) => KnownKey.hide(shown)
  )

/** Prints a failure. Control characters in text that a message quotes are made visible. */
const report = Effect.fnUntraced(function* (failure: ShownFailure.ShownFailure, isJson: boolean) {
  const { err, say } = yield* Screen.Screen
  const shown = yield* hideKey(failure)
  const code = ExitCode.codes[shown.kind]
  if (isJson) {
    yield* say(`${Screen.jsonOf({ error: { ...shown, exit: code } })}\n`)
  } else {
    const message = harmless(shown.message)
    const end = /[.?!]$/.test(message) ? "" : "."
    const next = shown.next === undefined ? "" : `${Help.prose(harmless(shown.next), err.style)}\n`
    yield* say(`${err.style.red("sluice:")} ${message}${end}\n${next}`)
  }
  return yield* new Ended({ code })
})

/** Prints warnings and waits on standard error, apart from the records, and in the place of a line of progress. */
const logger = (isJson: boolean, { columns, isTerminal }: Screen.Side) => {
  const repeats = Repeats.make()
  return Logger.make(({ date, fiber, logLevel, message }) => {
    const text = (Array.isArray(message) ? message : [message]).map(String).join(" ")
    const isWarning = logLevel === "Warn" || logLevel === "Error"
    const kind = isWarning ? "warning" : text.startsWith("Waits ") ? "waiting" : "info"
    // A wait that is too short for the log of a service is news to somebody who watches.
    if (logLevel === "Debug" && kind === "info") return
    const repeated = isWarning ? repeats.see(text, date.getTime()) : 0
    if (repeated === undefined) return
    // Of several datasets, the one in whose work it is said.
    const { name } = fiber.getRef(References.CurrentLogAnnotations)
    const line = isJson
      ? Screen.jsonOf({ [kind]: { name, message: text, ...(repeated === 0 ? {} : { repeated }) } })
      : `${isTerminal ? wipe : ""}${Predicate.isString(name) ? harmless(`${name}: `) : ""}${isWarning ? "warning: " : ""}${harmless(text)}${Repeats.textOf(repeated)}`
    fiber.getRef(Console.Console).error(isTerminal ? fold(line, columns) : line)
  })
}

export const run = Effect.gen(function* () {
  const stdio = yield* Stdio.Stdio
  const { err } = yield* Screen.Screen
  const [first, ...rest] = Invocation.joined(yield* stdio.args)
  const shown = first === "help" && rest[0] === "settings" ? "settings" : "commands"
  const words = shown === "settings" ? rest.slice(1) : rest
  const args = first === "help" ? yield* helpOn(words) : first === undefined ? [] : withoutHelp([first, ...rest])
  const target = yield* Ref.make(Target.nothing)
  const endpoint = yield* Ref.make<Misuse.Named | undefined>(undefined)
  const { wantsJson } = Invocation.read(args)
  const fail = Effect.fnUntraced(function* (failure: Failures) {
    if (isHelp(failure)) return
    return yield* report(shownOf(failure, yield* Ref.get(target), yield* Ref.get(endpoint)), wantsJson)
  })
  const work = Effect.flatMap(withoutUrl(args), (words) => interpret(Invocation.read(words), words, endpoint, shown))
  yield* (first === "help" && rest[0] === "exit" ? helpOnExit : work).pipe(
    Effect.provideService(Explain, (failure) =>
      // Type boundary: a value without advice is told as a bug.
      Effect.flatMap(Ref.get(target), (known) =>
        Effect.provideService(hideKey(ShownFailure.of(failure as ShownFailure.Failure, known)), Stdio.Stdio, stdio)
      )
    ),
    Effect.provideService(Target.Target, target),
    Effect.provideService(References.MinimumLogLevel, "Debug"),
    Effect.catch(fail),
    Effect.catchDefect((defect) => report(ShownFailure.bug(defect), wantsJson)),
    Effect.provide(Logger.layer([logger(wantsJson, err)]))
  )
}).pipe(Effect.provide(Screen.layer))
