/**
 * `pnpm soak`: a service-like program under random faults, for a few minutes; says whether it stayed stable.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { run } from "./Command.ts"

run.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)
