/**
 * The program of `pnpm demo`.
 */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { command } from "./Command.ts"

command.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
