import { fileURLToPath } from "node:url"
import { defineProject } from "vitest/config"

/** Ends a test that hangs. It is no bound on speed: on a busy machine a good test may take many seconds. */
const testTimeout = 180_000

/** Programs that tests start compile what they import once for all of them. */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)) }

const names = ["core", "sandbox", "node", "cli", "examples", "tools"]

/**
 * The list of test projects, one per package. The files of a project share processes, and so what they import: tests
 * leave nothing behind in modules. The mode `long` tries many more cases (`packages/core/test/Extent.ts`).
 */
export const projects = (mode: string) =>
  names.map((name) =>
    defineProject({
      test: {
        name,
        root: `packages/${name}`,
        include: ["test/**/*.test.ts"],
        isolate: false,
        testTimeout: mode === "long" ? 10 * testTimeout : testTimeout,
        env,
        provide: { isLong: mode === "long" }
      }
    })
  )
