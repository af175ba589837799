#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Command from "effect/cli/Command"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Program from "./Program.ts"

Program.command.pipe(
  Command.run({ version: "0.1.0" }),
  Effect.tapErrorTag("SandboxUnavailable", (error) => Console.error(error.message)),
  Effect.provide([NodeServices.layer, Program.presenter]),
  NodeRuntime.runMain({ disableErrorReporting: true })
)
