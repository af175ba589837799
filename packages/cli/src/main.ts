#!/usr/bin/env -S node --max-semi-space-size=8
// Without the option V8 doubles its young generation during a long download, which takes 100 MB more.
import { refusal } from "./program/NodeVersion.ts"

// Everything else is imported afterwards, since an old Node.js may fail to load it.
const refused = refusal(process.version)
if (refused === undefined) {
  await import("./start.ts")
} else {
  process.stderr.write(`${refused}.\n`)
  process.exitCode = 2
}
