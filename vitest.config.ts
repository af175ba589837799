import { defineConfig } from "vitest/config"
import { projects, whole } from "./vitest.workspace.ts"

/** Whether packages are chosen by name: `--project core`. */
const isChosen = process.argv.some((word) => /^--project(?:=|$)/.test(word))

// Vitest would leave one core free, which on two cores is half of them.
export default defineConfig(({ mode }) => ({
  test: { ...(isChosen ? { projects: projects(mode) } : whole(mode)), maxWorkers: "100%" }
}))
