import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { projects, whole } from "./vitest.workspace.ts"

/** Whether packages are chosen by name: `--project core`. */
const isChosen = process.argv.some((word) => /^--project(?:=|$)/.test(word))

/**
 * How many files run beside each other, on top of one a core. Some wait for processes, disks and time limits: on two cores `test`
 * takes 175 s with one more, 150 s with two and 148 s with three. The long files compute most of the time.
 */
const waiting = (mode: string) => (mode === "long" ? 1 : 3)

// Vitest would leave one core free, which on two cores is half of them.
export default defineConfig(({ mode }) => ({
  test: {
    ...(isChosen ? { projects: projects(mode) } : whole(mode)),
    maxWorkers: availableParallelism() + waiting(mode)
  }
}))
