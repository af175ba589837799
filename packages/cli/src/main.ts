#!/usr/bin/env node
import { refusal } from "./program/NodeVersion.ts"

// Everything else is imported afterwards, since an old Node.js may fail to load it.
const refused = refusal(process.version)
if (refused === undefined) {
  await import("./start.ts")
} else {
  process.stderr.write(`${refused}.\n`)
  process.exitCode = 2
}
