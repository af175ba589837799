/**
 * The file of `--all`: a TOML table for each dataset. A table becomes the words of `sluice sync`, which the command's own flags read.
 */
import * as ObjectFiles from "@sluice/files/internal/storage/ObjectFiles"
import { isObject } from "@sluice/files/internal/storage/Objects"
import * as CliConfig from "effect/cli/CliConfig"
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Path from "effect/Path"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Nearest from "../../endpoints/Nearest.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import * as ConfigFile from "../../settings/ConfigFile.ts"
import * as FlagKinds from "../../settings/FlagKinds.ts"
import * as GlobalFlags from "../../settings/GlobalFlags.ts"
import { version } from "../../settings/Version.ts"
import type { About } from "../flags/About.ts"
import { runFlags, type SyncInput, tableFlags } from "../flags/DatasetFlags.ts"
import * as Misuse from "../flags/Misuse.ts"
import * as Place from "./Place.ts"
import * as PlaceFlags from "./PlaceFlags.ts"
import * as Sync from "./Sync.ts"

export class BadDatasets extends Schema.TaggedError<BadDatasets>()("BadDatasets", {
  file: Schema.String,
  /** The table; absent where the fault is outside of all. */
  table: Schema.optional(Schema.String),
  key: Schema.optional(Schema.String),
  reason: Schema.String,
  next: Schema.optional(Schema.String)
}) {
  override get message() {
    const { file, key, reason, table } = this
    const where = [...(table === undefined ? [] : [`[${table}]`]), ...(key === undefined ? [] : [key])]
    return where.length === 0 ? `the file ${file} ${reason}` : `${[file, ...where].join(", ")}: ${reason}`
  }
}

export interface Listed {
  readonly name: string
  /** What the flags of a sync would be. */
  readonly input: SyncInput
  readonly about: About | undefined
  readonly dataset: string
  /** Fails where its place needs a package that is not installed, which others may do without. */
  readonly place: Effect.Effect<Place.Place, Place.MissingPackage>
}

/** How many datasets are brought up to date at the same time, unless the file says it. */
const usual = 4

type Table = Readonly<Record<string, unknown>>

/** Reads the datasets of a file, or those of these names. Opens and requests nothing. */
export const read = Effect.fnUntraced(function* (file: string, only: ReadonlyArray<string> | undefined) {
  const refuse = (reason: string, key?: string) => new BadDatasets({ file, reason, key })
  const parsed = yield* ConfigFile.textOf(file).pipe(
    Effect.flatMap(ConfigFile.tomlOf),
    Effect.mapError((reason) => refuse(reason))
  )
  const { concurrency = usual, ...rest } = parsed
  if (!Number.isInteger(concurrency) || Number(concurrency) < 1) {
    return yield* refuse("expected a whole number from 1 up: how many datasets at the same time", "concurrency")
  }
  const tables = new Map<string, Table>()
  for (const [name, value] of Object.entries(rest)) {
    if (Predicate.isObject(value) && !Predicate.isDate(value)) tables.set(name, value)
    else return yield* refuse(foreign(name) ?? "outside of a table there may be `concurrency` alone", name)
  }
  if (tables.size === 0) return yield* refuse("has no dataset: each is a table, such as [prices]")
  const unknown = only?.find((name) => !tables.has(name))
  if (unknown !== undefined) {
    const names = [...tables.keys()]
    const like = Nearest.meant(Nearest.among(unknown, names)) || `, but ${names.join(", ")}`
    return yield* refuse(`has no dataset ${JSON.stringify(unknown)}${like}`)
  }
  const listed: Array<Listed> = []
  const taken = new Map<string, string>()
  for (const [name, table] of tables) {
    if (only?.includes(name) === false) continue
    const { at, ...one } = yield* Effect.catchTag(listedOf(file, name, table), "BadPlace", ({ message }) =>
      Effect.fail(new BadDatasets({ file, table: name, reason: message }))
    )
    const other = taken.get(at)
    if (other !== undefined) {
      return yield* new BadDatasets({ file, table: name, reason: `its place is that of [${other}] too` })
    }
    taken.set(at, name)
    listed.push(one)
  }
  return { concurrency: Number(concurrency), listed }
})

const listedOf = Effect.fnUntraced(function* (file: string, name: string, { endpoint, ...table }: Table) {
  const path = yield* Path.Path
  const refuse = (key: string, reason: string) => new BadDatasets({ file, table: name, key, reason })
  if (endpoint !== undefined && !Predicate.isString(endpoint))
    return yield* refuse("endpoint", "expected text in quotes")
  const about =
    endpoint === undefined
      ? undefined
      : yield* Effect.mapError(aboutOf(endpoint), (error) => refuse("endpoint", error.message.replace(/\.$/, "")))
  const flags = { ...tableFlags, parameters: about?.flags ?? {} }
  const known = new Map(
    Completions.fromCommand(Command.make("sync", flags)).flags.flatMap((flag) =>
      [flag.name, ...flag.aliases]
        .flatMap((key) => (flag.type._tag === "Boolean" ? [key, `no-${key}`] : [key]))
        .map((key) => [key, flag] as const)
    )
  )
  const words: Array<string> = []
  for (const [key, value] of Object.entries(table)) {
    const flag = known.get(key)
    const isList = about?.parameters.get(flag?.name ?? "")?.isList === true
    const word = wordOf(flag, key, value, isList)
    if (Result.isFailure(word)) return yield* refuse(key, word.failure)
    words.push(word.success)
  }
  const parsed = yield* inputOf(file, name, flags, words, about)
  // A folder is beside the file, from wherever the command runs.
  const beside = (place: string | undefined) =>
    place === undefined || place === "" || isObject(place) || PlaceFlags.isUrl(place) || path.isAbsolute(place)
      ? place
      : path.join(path.dirname(file), place)
  const input: SyncInput = { ...noRun, ...parsed, endpoint, output: beside(parsed.output), into: beside(parsed.into) }
  yield* Sync.expectFit({ ...input, watch: true })
  const { into, output = "", table: target } = input
  const folder = isObject(output) ? ObjectFiles.join(output) : path.resolve(output)
  const at = into === undefined ? folder : `${databaseOf(path, into)} ${target}`
  const found = yield* Place.of(input).pipe(
    Effect.map((place) => ({ dataset: place.name, place: Effect.succeed(place) })),
    Effect.catchTag("MissingPackage", (missing) => Effect.succeed({ dataset: at, place: Effect.fail(missing) }))
  )
  const one: Listed = { name, input, about, ...found }
  return { ...one, at }
})

/** What a run says, and no table. */
const noRun = { check: false, watch: false, listen: undefined, all: undefined, only: undefined }

/** A database, however a user is named. */
const databaseOf = (path: Path.Path, into: string) =>
  PlaceFlags.isUrl(into) ? into.replace(/^[^:]*:\/\/(?:[^@/]*@)?/, "").replace(/[?#].*$/s, "") : path.resolve(into)

const aboutOf = Effect.fnUntraced(function* (endpoint: string) {
  const entry = yield* EndpointIndex.get(endpoint)
  const parameters = Parameters.ofCommand("sync", entry.endpoint)
  const about: About = { entry, parameters, flags: Parameters.flagsOf(parameters), described: undefined }
  return about
})

const inputOf = Effect.fnUntraced(function* <Flags extends Command.Command.Config>(
  file: string,
  table: string,
  flags: Flags,
  words: ReadonlyArray<string>,
  about: About | undefined
) {
  let input: Command.Command.Config.Infer<Flags> | undefined
  const command = Command.make("sluice sync", flags, (parsed) => Effect.sync(() => void (input = parsed)))
  const named = about && { endpoint: EndpointIndex.pathOf(about.entry), parameters: new Set(about.parameters.keys()) }
  yield* Command.runWith(command, { version })(words).pipe(
    Effect.provide(CliConfig.layer({ builtIns: [] })),
    Effect.catch((failure) => {
      if (failure._tag !== "ShowHelp") return Effect.die(failure)
      const { message, next } = Misuse.ofInvocation(failure.errors, ["sluice", "sync"], named)
      const at = failure.errors.find((error) => "option" in error)
      const key = at === undefined || !("option" in at) ? undefined : at.option.replace(/^--|=.*$/gs, "")
      return Effect.fail(new BadDatasets({ file, table, key, reason: inFile(message), next }))
    })
  )
  if (input === undefined) return yield* Effect.die(new Error("the words of a table were not read"))
  return input
})

/** A sentence of an unknown flag, as one of a key. */
const inFile = (message: string) => message.replace("there is no flag --", "there is no key ").replaceAll('"--', '"')

const commandLine = new Set(FlagKinds.namesOf(runFlags))

/** Why a key has no place in the file, where it has one elsewhere. */
const foreign = (key: string) => {
  if (/^(?:sluice[-_])?api[-_]?key$/i.test(key)) {
    return "a key has no place in this file: set SLUICE_API_KEY, or put api_key into the config file"
  }
  const { toggles, values } = GlobalFlags.spellings
  return commandLine.has(key) || toggles.has(`--${key}`) || values.has(`--${key}`)
    ? "belongs to the command line, behind --all"
    : undefined
}

/** A key and its value as a word of the command line; of an unknown key one that says so. */
const wordOf = (
  flag: Completions.FlagDescriptor | undefined,
  key: string,
  value: unknown,
  isList: boolean
): Result.Result<string, string> => {
  if (flag === undefined) {
    if (Predicate.isObject(value)) return Result.fail("is a table in a table; a name with a dot is put in quotes")
    const meant = Nearest.meant(Nearest.among(key, ["endpoint"]))
    if (meant !== "") return Result.fail(`is not the name of a flag${meant}`)
    const reason = foreign(key) ?? (/^[a-z][\w-]*$/i.test(key) ? undefined : "is not the name of a flag")
    return reason === undefined ? Result.succeed(`--${key}=`) : Result.fail(reason)
  }
  if (flag.type._tag === "Boolean") {
    return Predicate.isBoolean(value)
      ? Result.succeed(`--${value === key.startsWith("no-") ? "no-" : ""}${flag.name}`)
      : Result.fail("expected true or false, without quotes")
  }
  const items = Array.isArray(value) && isList ? value : [value]
  if (items.length === 0) return Result.fail("the list is empty")
  const texts = items.flatMap(textOf)
  if (texts.length === items.length) return Result.succeed(`--${flag.name}=${texts.join(",")}`)
  return Result.fail(`expected ${isList ? "text, or a list of texts" : "one value, such as text in quotes"}`)
}

/** Also of a time, which TOML has without quotes. */
const textOf = (value: unknown): ReadonlyArray<string> => {
  if (Predicate.isString(value)) return [value]
  if (Predicate.isNumber(value)) return [String(value)]
  return Predicate.isDate(value) ? [DateTime.formatIso(DateTime.fromDateUnsafe(value))] : []
}
