/** Help and the overview, as text that fits the width of the terminal. */
import type * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import type { Side } from "../../terminal/Screen.ts"
import * as Style from "../../terminal/Style.ts"
import * as Variables from "../../settings/Variables.ts"

/** What one can do, with a command for it. */
const uses = [
  ["sluice endpoints metrics", "endpoints about metrics; `sluice describe <endpoint>` describes one"],
  [
    "sluice get timeseries/asset-metrics --assets btc --metrics PriceUSD --limit-per-asset 5",
    "the newest five records as a table; NDJSON in a pipe; --format and --output choose"
  ],
  [
    "sluice download timeseries/asset-metrics --assets btc,eth --metrics PriceUSD --split assets --output prices",
    "a file for each asset; stop it at any time, continue with --resume"
  ]
] as const

/** The text of `sluice` without a command. */
export const overview = (side: Side): string => {
  const margin = " ".repeat(6)
  const [first = "", ...more] = paragraph(
    "sluice reads market and on-chain data, completely and at the pace the service allows.",
    side
  )
  return [
    first.replace("sluice", side.style.bold("sluice")),
    ...more,
    "",
    ...uses.flatMap(([command, means]) => [
      ...commandLines(command, side),
      ...paragraph(means, { ...side, columns: side.columns - margin.length }).map((line) => margin + line)
    ]),
    "",
    ...paragraph(
      "The key comes from SLUICE_API_KEY; `--root community` needs none. `sluice doctor` checks it. `sluice --help` lists all commands.",
      side
    )
  ].join("\n")
}

const indent = "  "

/** Colours code between backticks. */
export const prose = (text: string, style: Style.Style): string =>
  style === Style.plain ? text : text.replaceAll(/`([^`]*)`/g, (_, code: string) => style.cyan(code))

/** A command; on a terminal on as many lines as it needs, broken before flags, which a shell reads as one. */
export const commandLines = (command: string, { columns, isTerminal, style }: Side): ReadonlyArray<string> => {
  const whole = [indent + style.cyan(command)]
  // Two for the backslash.
  const width = Math.min(columns, widest) - 2
  if (!isTerminal || indent.length + Style.widthOf(command) <= width + 2) return whole
  const parts: Array<string> = []
  for (const word of command.split(/ (?=-|[|>] )/)) {
    const line = parts.at(-1)
    const start = parts.length < 2 ? indent : indent + indent
    if (line !== undefined && Style.widthOf(`${start}${line} ${word}`) <= width)
      parts[parts.length - 1] = `${line} ${word}`
    else parts.push(word)
  }
  return parts.map((part, index) => {
    const start = index === 0 ? indent : indent + indent
    return `${start}${style.cyan(part)}${index === parts.length - 1 ? "" : " \\"}`
  })
}

/** Lines are not longer than this on a wider terminal. */
const widest = 110

const lines = (text: string, width: number, style: Style.Style) =>
  Style.wrap(text, width).map((line) => prose(line, style))

/** Names on the left, their meanings on the right. */
export const definitions = (
  rows: ReadonlyArray<readonly [name: string, means: string]>,
  { columns, style }: Side
): ReadonlyArray<string> => {
  const width = Math.min(columns, widest)
  const longest = Math.min(32, Math.max(0, ...rows.map(([name]) => name.length)))
  // On a narrow terminal the meaning stands below the name.
  const left = width - longest - 4 < 30 ? 2 : longest
  return rows.flatMap(([name, means]) => {
    const text = means === "" ? [] : lines(means, Math.max(10, width - left - 4), style)
    const shown = indent + style.green(name)
    const margin = " ".repeat(left + 4)
    if (name.length > left) return [shown, ...text.map((line) => margin + line)]
    const [first = "", ...more] = text
    return [`${shown}${" ".repeat(left - name.length)}  ${first}`.trimEnd(), ...more.map((line) => margin + line)]
  })
}

/** A heading with its lines; nothing where there are no lines. */
export const section = (title: string, body: ReadonlyArray<string>, style: Style.Style): ReadonlyArray<string> =>
  body.length === 0 ? [] : ["", style.bold(title), ...body]

export const paragraph = (text: string, { columns, style }: Side): ReadonlyArray<string> =>
  lines(text, Math.min(columns, widest), style)

const flagRow = (
  { aliases, description, name, type }: HelpDoc.FlagDoc,
  negatable: boolean
): readonly [string, string] => {
  const short = aliases.filter((alias) => alias.length === 2)
  // Choices are shown behind the name of the flag, as all values are.
  const choices = / \(choices: ([^)]*)\)$/
  const text = Option.getOrElse(description, () => "")
  const words = choices.exec(text)?.[1]?.replaceAll(", ", "|")
  const value = type === "boolean" ? "" : type === "choice" && words !== undefined ? ` <${words}>` : ` ${type}`
  const means = text.replace(choices, "")
  return [[...short, `--${negatable && type === "boolean" ? "[no-]" : ""}${name}`].join(", ") + value, means]
}

const usageOf = (usage: string, { columns, style }: Side) =>
  Style.wrap(usage, Math.min(columns, widest) - indent.length).map((line) => indent + style.cyan(line))

const settings = (side: Side): ReadonlyArray<string> => [
  ...paragraph("Environment variables; the config file has the same settings under the names on the right.", {
    ...side,
    columns: side.columns - indent.length
  }).map((line) => indent + line),
  ...definitions(
    Variables.all.map(({ key, means, variable }) => [variable, `${key}: ${means}`]),
    side
  )
]

export type Shown = "commands" | "settings"

/** Builds the formatter of help; `parameters` are the flags that are parameters of the endpoint. */
export const formatter = (
  side: Side,
  base: CliOutput.Formatter,
  parameters: ReadonlySet<string>,
  shown: Shown = "commands"
): CliOutput.Formatter => {
  const { style } = side
  const flags = (rows: ReadonlyArray<HelpDoc.FlagDoc>) =>
    definitions(
      rows.map((row) => flagRow(row, parameters.has(row.name))),
      side
    )
  const examples = (doc: HelpDoc.HelpDoc) =>
    (doc.examples ?? []).flatMap(({ command, description }) => [
      ...(description === undefined
        ? []
        : paragraph(description, { ...side, columns: side.columns - 4 }).map(
            (line) => indent + style.dim(`# ${line}`)
          )),
      ...commandLines(command, side)
    ])
  /** All commands on a screen of 24 lines: those of a group in one line. */
  const commands = (doc: HelpDoc.HelpDoc) => [
    ...paragraph(doc.description, side),
    ...section("Usage", usageOf("sluice <command> [flags]", side), style),
    ...section(
      "Commands",
      definitions(
        (doc.subcommands ?? []).map(({ commands, group }) => [
          commands.map(({ name }) => name).join(", "),
          group ?? ""
        ]),
        side
      ),
      style
    ),
    "",
    ...paragraph(
      "`sluice <command> --help` tells of one, `sluice help settings` of key, common flags, variables and the config file, `sluice help exit` of exit codes.",
      side
    ),
    ...section("Examples", examples(doc), style)
  ]
  const ofProgram = (doc: HelpDoc.HelpDoc) =>
    shown === "commands"
      ? commands(doc)
      : [
          ...section("Flags of every command", flags(doc.globalFlags ?? []), style).slice(1),
          ...section("Settings", settings(side), style)
        ]
  const formatHelpDoc = (doc: HelpDoc.HelpDoc) =>
    // Only commands of the program have groups.
    (doc.subcommands ?? []).some(({ group }) => group !== undefined) ? ofProgram(doc).join("\n") : ofCommand(doc)
  const ofCommand = (doc: HelpDoc.HelpDoc) =>
    [
      ...(doc.description === "" ? [] : paragraph(doc.description, side)),
      ...section("Usage", usageOf(doc.usage, side), style),
      ...section(
        "Arguments",
        definitions(
          (doc.args ?? []).map(({ description, name }) => [`<${name}>`, Option.getOrElse(description, () => "")]),
          side
        ),
        style
      ),
      ...(doc.subcommands ?? []).flatMap(({ commands }) =>
        section(
          "Commands",
          definitions(
            commands.map(({ description, name, shortDescription }) => [name, shortDescription ?? description]),
            side
          ),
          style
        )
      ),
      ...section("Parameters", flags(doc.flags.filter(({ name }) => parameters.has(name))), style),
      ...section("Flags", flags(doc.flags.filter(({ name }) => !parameters.has(name))), style),
      ...section("Flags of every command", flags(doc.globalFlags ?? []), style),
      ...section("Examples", examples(doc), style)
    ].join("\n")
  return { ...base, formatHelpDoc, formatVersion: (name, version) => `${name} ${version}` }
}
