/** What users read of an invocation that cannot be parsed. */
import * as PlainText from "@sluice/core/PlainText"
import type * as CliError from "effect/cli/CliError"
import { among, meant } from "../../endpoints/Nearest.ts"

/** An invocation that cannot be parsed. */
export interface BadUse {
  readonly _tag: "BadUse"
  readonly message: string
  readonly next: string
}

/** The endpoint that an invocation names, and the names of its parameters. */
export interface Named {
  readonly endpoint: string
  readonly parameters: ReadonlySet<string>
}

/** The command whose help lists the flags; those of a submission are not among the help of what follows it. */
const flagsOf = (command: string, named: Named | undefined) =>
  command === "sluice backfill" && named !== undefined ? `${command} ${named.endpoint}` : command

export const ofInvocation = (
  errors: ReadonlyArray<CliError.NonShowHelpErrors>,
  path: ReadonlyArray<string>,
  named: Named | undefined = undefined
): BadUse => {
  const command = path.length === 0 ? "sluice" : path.join(" ").replace("sluice-sandbox", "sluice sandbox")
  // An unknown flag comes first: other errors may follow from it, since its value is then an unexpected word.
  const first = errors.find(({ _tag }) => _tag === "UnrecognizedOption") ?? errors[0]
  const isOfEndpoint =
    first?._tag === "UnrecognizedOption" || (first?._tag === "InvalidValue" && named?.parameters.has(first.option))
  return {
    _tag: "BadUse",
    message: first === undefined ? "nothing to do" : sentenceOf(first, named),
    next:
      elsewhereIs(first, path) ??
      (isOfEndpoint && named !== undefined
        ? `\`${command} ${named.endpoint} --help\` lists its parameters.`
        : `\`${flagsOf(command, named)} --help\` shows its usage.${lacksEndpoint(first, path, named) ? " Parameters such as --assets follow an endpoint, and none is named." : ""}`)
  }
}

/** What does what is expected of a flag or a command that there is not. */
const elsewhereIs = (first: CliError.NonShowHelpErrors | undefined, path: ReadonlyArray<string>) => {
  if (first?._tag === "UnrecognizedOption" && path.length < 2) {
    const flag = first.option.replace(/=.*$/s, "")
    return `Flags of a command follow it: \`sluice <command> ${flag}\`. \`sluice help settings\` lists those that every command has.`
  }
  if (first?._tag === "UnrecognizedOption") {
    return flagsElsewhere.find(([command, flag]) => command === path.at(-1) && flag.test(first.option))?.[2]
  }
  if (first?._tag !== "UnknownSubcommand" || path.length > 1) return undefined
  const word = first.subcommand.toLowerCase()
  return Object.hasOwn(elsewhere, word) ? elsewhere[word] : undefined
}

/** Flags that other commands have, and what does here what is expected of them. */
const flagsElsewhere: ReadonlyArray<readonly [command: string, flag: RegExp, next: string]> = [
  ["verify", /^--(?:output|into|to)(?:=|$)/, "Name the folder or the database without a flag: `sluice verify prices`."],
  ["audit", /^--(?:output|into)(?:=|$)/, "Name the folder without a flag: `sluice audit prices`."],
  ["status", /^--(?:output|into|to)(?:=|$)/, "Name the folder or the database without a flag: `sluice status prices`."],
  ["tail", /^--(?:duration|timeout)(?:=|$)/, "`--for 10s` stops after this time."],
  ["tail", /^--start[_-]time(?:=|$)/, "`--since` takes such a time: it reads from there to now, and goes on live."],
  [
    "backfill",
    /^--resume(?:=|$)/,
    "Leave it out: the same command continues. `sluice backfill resume` lets one go on that is paused."
  ]
]

/** Whether a flag may be a parameter of an endpoint that was left out, which a sync of a dataset may do. */
const lacksEndpoint = (
  first: CliError.NonShowHelpErrors | undefined,
  path: ReadonlyArray<string>,
  named: Named | undefined
) =>
  named === undefined &&
  ["get", "sync"].includes(path.at(-1) ?? "") &&
  first?._tag === "UnrecognizedOption" &&
  first.suggestions.length === 0

/** Flags of `download` that had a name of their own until all commands got the same. */
const renamed: Readonly<Record<string, string>> = { "--as": "--format", "--to": "--output" }

const listsWhatThereIs =
  "`sluice metrics <asset>` and `sluice markets` list what there is to read, and `sluice endpoints` all endpoints."

/** Commands that other programs have, and what does here what is expected of them. */
const elsewhere: Readonly<Record<string, string>> = {
  catalog: listsWhatThereIs,
  catalogue: listsWhatThereIs,
  discover: listsWhatThereIs
}

const most = 3

/**
 * The parameters that were perhaps meant by a flag: those that begin with it, of which a time is meant first, or else
 * those that share its first two words, as `limit_per_asset` and `limit_per_market` do.
 */
const parametersLike = (option: string, { parameters }: Named): ReadonlyArray<string> => {
  const typed = option.replace(/^-+/, "").replaceAll("-", "_").toLowerCase()
  if (typed.length < 3) return []
  if (parameters.has(`${typed}_time`)) return [`--${typed}_time`]
  const all = [...parameters]
  const longer = all.filter((name) => name.startsWith(typed))
  const [, words] = /^([a-z]+_[a-z]+_)/.exec(typed) ?? []
  const found = longer.length > 0 || words === undefined ? longer : all.filter((name) => name.startsWith(words))
  return found.slice(0, most).map((name) => `--${name}`)
}

const sentenceOf = (error: CliError.NonShowHelpErrors, named: Named | undefined): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      // Without the text after `=`, which may be a key.
      const option = error.option.replace(/=.*$/s, "")
      // Of `-assets` the parser sees the first letter.
      if (/^-[^-]$/.test(option))
        return `there is no flag ${option}; a name of several letters follows two dashes, as in --assets`
      if (Object.hasOwn(renamed, option)) return `there is no flag ${option}; it is now ${renamed[option]}`
      const like = named === undefined ? [] : parametersLike(option, named)
      return `there is no flag ${option}${meant(like.length > 0 ? like : error.suggestions)}`
    case "UnknownSubcommand":
      const help = error.parent?.length === 1 ? among(error.subcommand, ["help"]) : []
      return `there is no command ${PlainText.quoted(error.subcommand)}${meant([...error.suggestions, ...help])}`
    case "MissingOption":
      return `--${error.option} is required`
    case "MissingArgument":
      return `the argument <${error.argument}> is missing`
    case "InvalidValue": {
      const name = error.kind === "argument" ? `<${error.option}>` : `--${error.option}`
      if (/^\d+ occurrences$/.test(error.value)) return `${name} is given more than once`
      if (error.value === "") return `${name} needs a value`
      return `${name} cannot be ${JSON.stringify(error.value)}: expected ${expected(error.expected)}`
    }
    case "UnexpectedArgument":
      return `unexpected ${error.arguments.length === 1 ? "argument" : "arguments"} ${error.arguments.map((word) => JSON.stringify(word)).join(" ")}`
    default:
      return error.message.replaceAll(/\s+/g, " ")
  }
}

/** What a parser expects, without the beginning of its sentence, and without the value, which is named before. */
const expected = (text: string) =>
  text
    .replace(/^Schema validation failed: /, "")
    .replace(/, got \S+$/, "")
    .replace(/^(?:Invalid .*)?Expected(?: format)?:? /i, "")
    .replace("a string representing a finite number", "a number")
    .replaceAll(" | ", " or ")
    .replaceAll(/\s+/g, " ")
