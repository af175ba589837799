/**
 * `sluice completions`: a script by which a shell completes commands.
 */
import * as Command from "effect/cli/Command"
import * as Completions from "effect/cli/Completions"
import * as Effect from "effect/Effect"
import * as EndpointIndex from "../../endpoints/EndpointIndex.ts"
import * as Parameters from "../../endpoints/Parameters.ts"
import { Screen } from "../../terminal/Screen.ts"
import { backfillFlags } from "../flags/BackfillFlags.ts"

/** Prints the script for a shell. */
export const run = Effect.fnUntraced(function* (shell: Completions.Shell, sluice: Command.Command.Any) {
  const screen = yield* Screen
  const { command: sandbox } = yield* Effect.promise(() => import("@sluice/sandbox/Program"))
  const { subcommands, ...program } = Completions.fromCommand(sluice)
  const flags = new Map([
    ["sandbox", flagsOf(sandbox)],
    ["backfill", flagsOf(Command.make("backfill", backfillFlags))]
  ])
  const completed = subcommands.map((one) => withEndpoints({ ...one, flags: flags.get(one.name) ?? one.flags }))
  // The generator assumes a flag `--completions`; here it is a command.
  const script = Completions.generate("sluice", shell, { ...program, subcommands: completed })
  yield* screen.print(script.replaceAll("sluice --completions ", "sluice completions "))
})

const flagsOf = (command: Command.Command.Any) => Completions.fromCommand(command).flags

// Deprecated endpoints are not offered.
const current = EndpointIndex.all.filter(({ endpoint }) => endpoint.deprecated === undefined)

/** What may follow a command, with its parameters. */
const entriesOf = new Map<string, ReadonlyArray<EndpointIndex.AnyEntry>>([
  ["get", current],
  ["plan", current],
  ["download", current],
  ["schema", current],
  ["backfill", current],
  ["sync", current.filter(({ endpoint }) => endpoint.order === "series")],
  ["tail", EndpointIndex.live]
])

/**
 * Makes each endpoint a subcommand of the commands that take one, each live operation one of `tail`, and what a job computes one of
 * `jobs start`, with parameters as flags.
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
  const entries = entriesOf.get(name)
  if (entries === undefined) return command
  const { subcommands, ...rest } = withEach(
    command,
    entries.map((entry) => [EndpointIndex.pathOf(entry), entry])
  )
  // A name is a word alone: with the parameters behind it the script would be half as long again.
  const values = [...subcommands.map(({ name }) => name), ...entries.map(EndpointIndex.nameOf)]
  const word = { description: undefined, required: true, variadic: false, type: { _tag: "Choice", values } } as const
  return { ...rest, arguments: [{ ...word, name: "endpoint" }], subcommands }
}

const withEach = (
  command: Completions.CommandDescriptor,
  entries: ReadonlyArray<readonly [name: string, entry: EndpointIndex.AnyEntry]>
): Completions.CommandDescriptor => {
  const subcommands = entries.map(([name, { endpoint }]) => {
    const own = Command.make(name, Parameters.flagsOf(Parameters.ofCommand(command.name, endpoint)))
    // One spelling of each parameter is enough.
    const flags = flagsOf(own).map((flag) => ({ ...flag, aliases: [] }))
    return { name, description: undefined, flags: [...flags, ...command.flags], arguments: [], subcommands: [] }
  })
  return { ...command, arguments: [], subcommands: [...command.subcommands, ...subcommands] }
}
