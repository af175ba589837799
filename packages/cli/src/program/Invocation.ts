/**
 * Finds the command and the endpoint in the words of an invocation, before the flags are known.
 *
 * Flags are built only for the endpoint that the invocation names, so it must be known before the words are parsed.
 */
import * as Commands from "../commands/Commands.ts"
import { spellings } from "../settings/FlagKinds.ts"
import * as GlobalFlags from "../settings/GlobalFlags.ts"

/** What is known of an invocation before it is parsed. */
export type Invocation = ReturnType<typeof read>

/** A time before now, such as `-30d`, which a parser would take for a flag of each letter. */
const isBeforeNow = (word: string | undefined) => word !== undefined && /^-\d+[a-z]+$/i.test(word)

/**
 * Whether the next word is the flag's value although it begins with a hyphen. Of a time also `-1 week`, to be told
 * about times.
 */
const isValueOf = (flag: string | undefined, next: string | undefined) =>
  isNamed(flag) && (isBeforeNow(next) || (/time$|^--since$/i.test(flag ?? "") && /^-\d/.test(next ?? "")))

/** Joins times such as `-30d` to the flags whose values they are. */
export const joined = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return args.flatMap((word, index) => {
    const isBehindEnd = end !== -1 && index >= end
    if (isBehindEnd) return [word]
    if (isValueOf(args[index - 1], word)) return []
    return isValueOf(word, args[index + 1]) ? [`${word}=${args[index + 1]}`] : [word]
  })
}

const isNamed = (word: string | undefined) => word !== undefined && /^--[a-z][\w-]*$/i.test(word)

export const read = (args: ReadonlyArray<string>) => {
  const at = args.findIndex(
    (word, index) => !word.startsWith("-") && !GlobalFlags.spellings.values.has(args[index - 1] ?? "")
  )
  return {
    /** The first word that is neither a flag nor the value of one. */
    command: args[at],
    rest: at === -1 ? [] : args.slice(at + 1),
    wantsHelp: args.some((word) => GlobalFlags.help.has(word)),
    wantsJson: args.includes("--json") || args.includes("--json=true")
  }
}

/** The words that may name an endpoint: neither flags nor, as far as is known here, values of flags. */
export const candidates = (rest: ReadonlyArray<string>): ReadonlyArray<string> => {
  const own = spellings(Commands.make())
  const toggles = new Set(
    [GlobalFlags.help, GlobalFlags.version, GlobalFlags.spellings.toggles, own.toggles].flatMap((words) => [...words])
  )
  return rest.filter((word, index) => {
    const before = rest[index - 1] ?? ""
    const isValue =
      before.startsWith("-") && !before.includes("=") && !toggles.has(before) && !before.startsWith("--no-")
    return !word.startsWith("-") && !isValue
  })
}
