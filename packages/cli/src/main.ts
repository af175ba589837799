#!/usr/bin/env node
import * as Module from "node:module"
import { setFlagsFromString } from "node:v8"
import { refusal } from "./program/NodeVersion.ts"
import { version } from "./settings/Version.ts"

// Everything else is imported afterwards, since an old Node.js may fail to load it.
const refused = refusal(process.version)
if (refused !== undefined) {
  process.stderr.write(`${refused}.\n`)
  process.exitCode = 2
} else if (process.argv.length === 3 && /^(?:--version|-v)$/.test(process.argv[2] ?? "")) {
  // Loading the commands would take five times as long.
  process.stdout.write(`sluice ${version}\n`)
} else {
  // V8 optimises a function of WebAssembly that has run through so many bytes of code. By default the head of one reply is enough
  // for the parser of HTTP, and the process ends 20 ms of processor time later.
  setFlagsFromString("--wasm-tiering-budget=200000000")
  // What Node.js has compiled it keeps for the next start, which takes 60 ms less then.
  Module.enableCompileCache()
  await import("./start.ts")
}
