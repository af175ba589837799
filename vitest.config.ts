import { defineConfig } from "vitest/config"
import { projects } from "./vitest.workspace.ts"

// Vitest would leave one core free, which on two cores is half of them.
export default defineConfig(({ mode }) => ({ test: { projects: projects(mode), maxWorkers: "100%" } }))
