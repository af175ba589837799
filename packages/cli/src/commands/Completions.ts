/**
 * `sluice completions`: a script by which a shell completes commands.
 */
import * as Command from "effect/cli/Command"
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
 * Makes each endpoint a subcommand of `get`, `download` and `schema`, each live operation one of `tail`, and what a job
 * computes one of `jobs start`, with parameters as flags. Deprecated endpoints are not offered.
 */
const withEndpoints = (command: Completions.CommandDescriptor): Completions.CommandDescriptor => {
  const { name } = command
  if (name === "describe") {
    const values = [...EndpointIndex.all, ...EndpointIndex.live].map(EndpointIndex.pathOf)
    const type = { _tag: "Choice", values } as const
    return { ...command, arguments: command.arguments.map((argument) => ({ ...argument, type })) }
  }
  if (name === "jobs") return { ...command, subcommands: command.subcommands.map(withEndpoints) }
  if (name === "start") return withEach(command, [...EndpointIndex.jobs])
  if (!withParameters.has(name)) return command
  const current =
    name === "tail" ? EndpointIndex.live : EndpointIndex.all.filter(({ endpoint }) => endpoint.deprecated === undefined)
  return withEach(
    command,
    current.map((entry) => [EndpointIndex.pathOf(entry), entry])
  )
}

const withEach = (
  command: Completions.CommandDescriptor,
  entries: ReadonlyArray<readonly [name: string, entry: EndpointIndex.AnyEntry]>
): Completions.CommandDescriptor => {
  const subcommands = entries.map(([name, { endpoint }]) => {
    const own = Command.make(name, Parameters.flagsOf(Parameters.ofCommand(command.name, endpoint)))
    // One spelling of each parameter is enough.
    const flags = Completions.fromCommand(own).flags.map((flag) => ({ ...flag, aliases: [] }))
    return { name, description: undefined, flags: [...flags, ...command.flags], arguments: [], subcommands: [] }
  })
  return { ...command, arguments: [], subcommands }
}
