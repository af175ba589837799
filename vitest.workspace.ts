import { fileURLToPath } from "node:url"
import { defineProject } from "vitest/config"

/** Ends a test that hangs. It is no bound on speed: on a busy machine a good test may take many seconds. */
const testTimeout = 180_000

/** Programs that tests start compile what they import once for all of them. */
const env = { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url)) }

/**
 * Node.js itself reads the tests and the sources and strips their types, as it does for programs. Vite's transforms and its
 * module runner cost 2.2 of 11.6 seconds of processor time for `Decimal`, `Paging` and `Fixtures` of core, and similar in
 * every project. No test needs them: none mocks a module or reads `import.meta.env`.
 */
const native = { viteModuleRunner: false, nodeLoader: false }

/**
 * With more room for young objects V8 collects them less often, and finds fewer of them in use: 28 instead of 31 seconds of
 * processor time for `Interface` and `Determinism` of node.
 */
const execArgv = ["--max-semi-space-size=64"]

const names = ["core", "sandbox", "node", "cli", "examples", "tools", "site"]

/**
 * The list of test projects, one per package. The files of a project share processes, and so what they import: tests
 * leave nothing behind in modules. The mode `long` tries many more cases (`packages/core/test/TestMode.ts`).
 */
export const projects = (mode: string) =>
  names.map((name) =>
    defineProject({
      test: {
        name,
        root: `packages/${name}`,
        include: ["test/**/*.test.ts"],
        isolate: false,
        experimental: native,
        execArgv,
        testTimeout: mode === "long" ? 10 * testTimeout : testTimeout,
        env,
        provide: { isLong: mode === "long" }
      }
    })
  )
