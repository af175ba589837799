/**
 * The words of an invocation that decide which flags there are: the command, and the endpoint it is about.
 *
 * Flags of an endpoint are made only for the one that is asked for, so it has to be known before the words are parsed.
 */
import { takingValues } from "../settings/GlobalFlags.ts"

/** What stands out in the words of an invocation. */
export interface Invocation {
  /** The first word that is no flag and no value of one. */
  readonly command: string | undefined
  /** The words behind it. */
  readonly rest: ReadonlyArray<string>
  readonly wantsHelp: boolean
  readonly wantsJson: boolean
}

const flags: ReadonlySet<string> = new Set([
  "--json",
  "--help",
  "-h",
  "--version",
  "-v",
  "--resume",
  "--verify",
  "--keep-going"
])

/** Reads the words. */
export const read = (args: ReadonlyArray<string>): Invocation => {
  const at = args.findIndex((word, index) => !word.startsWith("-") && !takingValues.has(args[index - 1] ?? ""))
  return {
    command: args[at],
    rest: at === -1 ? [] : args.slice(at + 1),
    wantsHelp: args.includes("--help") || args.includes("-h"),
    wantsJson: args.includes("--json") || args.includes("--json=true")
  }
}

/** The words that may name an endpoint: those that are no flag and, as far as can be told, no value of one. */
export const candidates = (rest: ReadonlyArray<string>): ReadonlyArray<string> =>
  rest.filter((word, index) => {
    const before = rest[index - 1] ?? ""
    const isValue = before.startsWith("-") && !before.includes("=") && !flags.has(before) && !before.startsWith("--no-")
    return !word.startsWith("-") && !isValue
  })
