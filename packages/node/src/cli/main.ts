#!/usr/bin/env -S node --max-semi-space-size=8
// V8 would double its young generation on the way through a long download, and the process grow by 100 MB and more.
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Program from "./Program.ts"

Program.run.pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain({ disableErrorReporting: true }))
