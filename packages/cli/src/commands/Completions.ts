/**
 * `sluice completions`: a script by which a shell completes commands.
 */
import type * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import * as EndpointIndex from "../endpoints/EndpointIndex.ts"
import * as Parameters from "../endpoints/Parameters.ts"
import { Screen } from "../terminal/Screen.ts"

/** Prints the script for a shell. */
export const run = Effect.fnUntraced(function* (shell: Completions.Shell, sluice: Command.Command.Any) {
  const screen = yield* Screen
  // The generator assumes a flag `--completions`; here it is a command.
  const script = Completions.generate("sluice", shell, descriptor(sluice))
  yield* screen.print(script.replaceAll("sluice --completions ", "sluice completions "))
})

const descriptor = (sluice: Command.Command.Any): Completions.CommandDescriptor => {
  const program = Completions.fromCommand(sluice)
  return { ...program, subcommands: program.subcommands.map(withEndpoints) }
}

const withParameters: ReadonlySet<string> = new Set(["get", "download", "schema", "tail"])

/**
 * Makes each endpoint a subcommand of `get`, `download` and `schema`, and each live operation one of `tail`, with
 * parameters as flags.
 */
const withEndpoints = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => {
  if (command.name === "describe") {
    const values = [...EndpointIndex.all, ...EndpointIndex.live].map(EndpointIndex.pathOf)
    const type = { _tag: "Choice", values } as const
    return { ...command, arguments: command.arguments.map((argument) => ({ ...argument, type })) }
  }
  if (command.name === "jobs") return { ...command, subcommands: command.subcommands.map(withKinds) }
  if (!withParameters.has(command.name)) return command
  // Deprecated endpoints are not offered.
  const current =
    command.name === "tail"
      ? EndpointIndex.live
      : EndpointIndex.all.filter(({ endpoint }) => endpoint.deprecated === undefined)
  const subcommands = current.map((entry) => ({
    name: EndpointIndex.pathOf(entry),
    description: undefined,
    flags: [...flagsOf(entry, command.name), ...command.flags],
    arguments: [],
    subcommands: []
  }))
  return { ...command, arguments: [], subcommands }
}

/** Makes what a job computes a subcommand of `jobs start`. */
const withKinds = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => {
  if (command.name !== "start") return command
  const subcommands = [...EndpointIndex.jobs].map(([name, entry]) => ({
    name,
    description: undefined,
    flags: [...flagsOf(entry, command.name), ...command.flags],
    arguments: [],
    subcommands: []
  }))
  return { ...command, arguments: [], subcommands }
}

const flagsOf = ({ endpoint }: EndpointIndex.AnyEntry, command: string): ReadonlyArray<Completions.FlagDescriptor> =>
  [...Parameters.of(endpoint).values()].flatMap((parameter) => {
    const { isClosed, kind, name, role, words } = parameter
    if (Parameters.isHidden(parameter) || (command === "get" && role._tag === "Limit")) return []
    const type: Completions.FlagType =
      kind === "boolean"
        ? { _tag: "Boolean" }
        : isClosed && words.length > 0
          ? { _tag: "Choice", values: words }
          : { _tag: "String" }
    return [{ name, aliases: [], description: undefined, type }]
  })
