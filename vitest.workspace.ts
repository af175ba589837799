import { defineProject } from "vitest/config"

/** Ends a test that hangs. It is no bound on speed: on a busy machine a good test may take many seconds. */
const testTimeout = 180_000

/** The list of test projects, one per package. */
const project = (name: string) =>
  defineProject({ test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"], testTimeout } })

export default [
  project("core"),
  project("sandbox"),
  project("node"),
  project("cli"),
  project("examples"),
  project("tools")
]
