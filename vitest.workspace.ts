import { fileURLToPath } from "node:url"
import { defineProject } from "vitest/config"

/** Ends a test that hangs. It is no bound on speed: on a busy machine a good test may take many seconds. */
const testTimeout = 180_000

/** Programs that tests start compile what they import once for all of them. */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)) }

/**
 * The list of test projects, one per package. The files of a project share processes, and so what they import: tests
 * leave nothing behind in modules.
 */
const project = (name: string) =>
  defineProject({
    test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"], testTimeout, isolate: false, env }
  })

export default [
  project("core"),
  project("sandbox"),
  project("node"),
  project("cli"),
  project("examples"),
  project("tools")
]
