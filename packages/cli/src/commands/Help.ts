/**
 * Help and the overview, as text that fits the width of the terminal.
 */
import type * as CliOutput from "effect/cli/CliOutput"
import type * as HelpDoc from "effect/cli/HelpDoc"
import * as Option from "effect/Option"
import type { Side } from "../terminal/Screen.ts"
import * as Style from "../terminal/Style.ts"
import * as Variables from "../settings/Variables.ts"

/** The text of `sluice` without a command. */
export const overview = ({ style }: Side): string =>
  [
    `${style.bold("sluice")} reads market and on-chain data, completely and at the pace the service allows.`,
    "",
    `  ${style.cyan("sluice endpoints metrics")}`,
    "      endpoints about metrics; `sluice describe <endpoint>` describes one",
    `  ${style.cyan("sluice get timeseries/asset-metrics --assets btc --metrics PriceUSD --limit 10")}`,
    "      ten records as a table; NDJSON in a pipe; --format chooses",
    `  ${style.cyan("sluice download timeseries/asset-metrics --assets btc,eth --metrics PriceUSD \\")}`,
    `  ${style.cyan("  --split assets --output prices")}`,
    "      a file for each asset; stop it at any time, continue with --resume",
    "",
    "The key comes from SLUICE_API_KEY; `--root community` needs none. `sluice --help` lists all commands."
  ].join("\n")

const indent = "  "

/** Colours code between backticks. */
export const prose = (text: string, style: Style.Style): string =>
  style === Style.plain ? text : text.replaceAll(/`([^`]*)`/g, (_, code: string) => style.cyan(code))

const lines = (text: string, width: number, style: Style.Style) =>
  Style.wrap(text, width).map((line) => prose(line, style))

/** Names on the left, their meanings on the right. */
export const definitions = (
  rows: ReadonlyArray<readonly [name: string, means: string]>,
  { columns, style }: Side
): ReadonlyArray<string> => {
  const width = Math.min(columns, 110)
  const left = Math.min(32, Math.max(0, ...rows.map(([name]) => name.length)))
  return rows.flatMap(([name, means]) => {
    const text = means === "" ? [] : lines(means, Math.max(30, width - left - 4), style)
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

/** A paragraph. */
export const paragraph = (text: string, { columns, style }: Side): ReadonlyArray<string> =>
  lines(text, Math.min(columns, 110), style)

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

const settings = (side: Side): ReadonlyArray<string> => [
  ...paragraph("Environment variables; the config file has the same settings under the names on the right.", side).map(
    (line) => indent + line
  ),
  ...definitions(
    Variables.all.map(({ key, means, variable }) => [variable, `${key}: ${means}`]),
    side
  )
]

/** Builds the formatter of help; `parameters` are the flags that are parameters of the endpoint. */
export const formatter = (
  side: Side,
  base: CliOutput.Formatter,
  parameters: ReadonlySet<string>
): CliOutput.Formatter => {
  const { style } = side
  const flags = (rows: ReadonlyArray<HelpDoc.FlagDoc>) =>
    definitions(
      rows.map((row) => flagRow(row, parameters.has(row.name))),
      side
    )
  const formatHelpDoc = (doc: HelpDoc.HelpDoc) =>
    [
      ...(doc.description === "" ? [] : paragraph(doc.description, side)),
      ...section("Usage", [indent + style.cyan(doc.usage)], style),
      ...section(
        "Arguments",
        definitions(
          (doc.args ?? []).map(({ description, name }) => [`<${name}>`, Option.getOrElse(description, () => "")]),
          side
        ),
        style
      ),
      ...(doc.subcommands ?? []).flatMap(({ commands, group }) =>
        section(
          group ?? "Commands",
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
      ...((doc.subcommands ?? []).length === 0 ? [] : section("Settings", settings(side), style)),
      ...section(
        "Examples",
        (doc.examples ?? []).flatMap(({ command, description }) => [
          ...(description === undefined ? [] : [indent + style.dim(`# ${description}`)]),
          indent + style.cyan(command)
        ]),
        style
      )
    ].join("\n")
  return { ...base, formatHelpDoc, formatVersion: (name, version) => `${name} ${version}` }
}
