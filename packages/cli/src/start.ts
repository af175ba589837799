/**
 * Runs the command, on a Node that can.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Program from "./program/Program.ts"
import * as Signals from "./program/Signals.ts"

Signals.runMain(Effect.provide(Program.run, NodeServices.layer))
