import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { projects, whole } from "./vitest.workspace.ts"

/** Whether packages are chosen by name: `--project core`. */
const isChosen = process.argv.some((word) => /^--project(?:=|$)/.test(word))

// Vitest would leave one core free, which on two cores is half of them. One file more than there are cores, since some wait for
// processes, disks and time limits.
export default defineConfig(({ mode }) => ({
  test: { ...(isChosen ? { projects: projects(mode) } : whole(mode)), maxWorkers: availableParallelism() + 1 }
}))
