#!/usr/bin/env -S node --max-semi-space-size=8
// V8 would double its young generation on the way through a long download, and the process grow by 100 MB and more.
import { refusal } from "./program/NodeVersion.ts"

// All else is imported afterwards: an older Node would stumble over it before a word could be said.
const refused = refusal(process.version)
if (refused === undefined) {
  await import("./start.ts")
} else {
  process.stderr.write(`${refused}.\n`)
  process.exitCode = 2
}
