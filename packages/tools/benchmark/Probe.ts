/** Loaded before a program that is measured from outside: writes what its process took to descriptor 3 when it ends. */
import { writeSync } from "node:fs"
import * as Peak from "./Peak.ts"

process.on("exit", () => {
  const { system, user } = process.cpuUsage()
  writeSync(3, JSON.stringify({ peak: Peak.read(), cpu: (user + system) / 1e6 }))
})
