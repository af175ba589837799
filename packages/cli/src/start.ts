/** Runs the command, once the version of Node.js is known to be new enough. */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Terminal from "effect/Terminal"
import * as Program from "./program/Program.ts"
import * as Signals from "./program/Signals.ts"
import * as Storage from "./settings/Storage.ts"
import * as YoungGeneration from "./program/YoungGeneration.ts"

const made = NodeTerminal.make()

/**
 * The terminal as the command writes to it. That of Node.js opens standard input as it is made, so that it no longer blocks for
 * others either who read the same pipe; here it is made where somebody reads.
 */
const terminal: Layer.Layer<Terminal.Terminal> = Layer.succeed(
  Terminal.Terminal,
  Terminal.make({
    // Standard output has none where it is no terminal.
    columns: Effect.sync(() => process.stdout.columns ?? 0),
    rows: Effect.sync(() => process.stdout.rows ?? 0),
    size: Effect.flatMap(made, ({ size }) => size),
    readInput: Effect.flatMap(made, ({ readInput }) => readInput),
    readLine: Effect.scoped(Effect.flatMap(made, ({ readLine }) => readLine)),
    display: (text) => Effect.scoped(Effect.flatMap(made, ({ display }) => display(text)))
  })
)

const system = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, terminal)
)

Signals.runMain(
  Effect.andThen(Effect.forkChild(YoungGeneration.bound), Effect.provide(Program.run, [system, Storage.layer]))
)
