/** Runs the command, once the version of Node.js is known to be new enough. */
import * as NodeChildProcessSpawner from "@effect/platform-node/NodeChildProcessSpawner"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeStdio from "@effect/platform-node/NodeStdio"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Program from "./program/Program.ts"
import * as Signals from "./program/Signals.ts"
import * as Storage from "./settings/Storage.ts"
import * as OutputTerminal from "./terminal/OutputTerminal.ts"
import * as YoungGeneration from "./program/YoungGeneration.ts"

const system = Layer.provideMerge(
  NodeChildProcessSpawner.layer,
  Layer.mergeAll(NodeFileSystem.layer, NodePath.layer, NodeStdio.layer, OutputTerminal.layer)
)

Signals.runMain(
  Effect.andThen(Effect.forkChild(YoungGeneration.bound), Effect.provide(Program.run, [system, Storage.layer]))
)
