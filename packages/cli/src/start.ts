/**
 * Runs the command, once the version of Node.js is known to be new enough.
 */
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Program from "./program/Program.ts"
import * as Signals from "./program/Signals.ts"
import * as Storage from "./settings/Storage.ts"
import * as YoungGeneration from "./program/YoungGeneration.ts"

Signals.runMain(
  Effect.andThen(
    Effect.forkChild(YoungGeneration.bound),
    Effect.provide(Program.run, [NodeServices.layer, Storage.layer])
  )
)
