#!/usr/bin/env -S node --max-semi-space-size=8
// V8 would double its young generation on the way through a long download, and the process grow by 100 MB and more.
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as Effect from "effect/Effect"
import * as Program from "./Program.ts"
import * as Signals from "./Signals.ts"

Signals.runMain(Effect.provide(Program.run, NodeServices.layer))
