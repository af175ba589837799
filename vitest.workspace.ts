import { statfsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { defineProject, type ViteUserConfig } from "vitest/config"
import * as LongTests from "./packages/core/test/LongTests.ts"
import { BaseSequencer, type TestSpecification } from "vitest/node"

/** Ends a test that hangs, or what is made for several. It is no bound on speed: on a busy machine a good test may take many seconds. */
const longest = (mode: string) => (mode === "long" ? 1_800_000 : 180_000)

/** Where files are in memory: there a temporary folder comes and goes ten times as fast as on a disk. */
const memory = "/dev/shm"

const isRoomy = () => {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return bavail * bsize > 4_000_000_000
  } catch {
    return false
  }
}

/** Programs that tests start compile what they import once for all of them. */
const env = {
  ...(isRoomy() ? { TMPDIR: memory } : {}),
  NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/node", import.meta.url))
}

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

/**
 * What all tests have in common. Test files share processes, and so what they import: tests leave nothing behind in modules.
 * The mode `long` tries many more cases (`packages/core/test/TestMode.ts`).
 */
const common = (mode: string) => ({
  isolate: false,
  setupFiles: [fileURLToPath(new URL("packages/core/test/Equality.ts", import.meta.url))],
  experimental: native,
  execArgv,
  testTimeout: longest(mode),
  hookTimeout: longest(mode),
  env,
  provide: { isLong: mode === "long" }
})

/** Short files that take long, or that wait. */
const first =
  /\/(?:LargeCatalog|Soak|Fuzz|GeneratedRecords|Determinism|LiveOracle|Crash|Kill|Lock|Pipes|demo|Jobs|NodeQuota|quota\/Load|tools\/test\/Simulation)\.test\.ts$/

/** What took longest in a long run on a busy machine, longest first. */
const firstOfLong = [
  "tools/test/Simulation",
  "node/test/Plan",
  "LiveOracle",
  "live/LiveLate",
  "dataset/Coverage",
  "dataset/VersionsStore",
  "dataset/FolderRead",
  "dataset/Read",
  "quota/QuotaJournal",
  "dataset/Versions",
  "core/test/fuzz/Fuzz",
  "columns/EveryEndpoint",
  "quota/Load",
  "dataset/Bucket",
  "database/sync",
  "cluster/test/Kill",
  "database/duckdb",
  "dataset/VersionsKilled",
  "formats/Batches"
]

const rankOf = ({ moduleId }: TestSpecification) => {
  const rank = firstOfLong.findIndex((name) => moduleId.endsWith(`/${name}.test.ts`))
  return rank < 0 ? firstOfLong.length : rank
}

const isFirst = ({ moduleId }: TestSpecification) => first.test(moduleId)

/**
 * Begins with the files that take longest, so that none is left to run alone at the end. Vitest by itself knows how long
 * each takes from its second run on, and until then begins with those that have most text.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const sorted = await super.sort(files)
    return [...sorted.filter(isFirst), ...sorted.filter((file) => !isFirst(file))]
  }
}

/** The same of a long run, where other files take longest. */
class LongestFirstOfLong extends LongestFirst {
  override async sort(files: Array<TestSpecification>) {
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}

/** Each given seed puts the files into another order, and has tests draw other cases (`packages/core/test/TestMode.ts`). */
const seed = process.env["SLUICE_TEST_SEED"]

/**
 * All tests as one project, whose two processes load what the packages share once each. With a project for each package there
 * are two processes for each: ten short files of all packages take 18.2 instead of 10.8 seconds of processor time.
 */
export const whole = (mode: string): ViteUserConfig["test"] => ({
  ...common(mode),
  // A long run has the tests that try more cases in it, and no others.
  include: mode === "long" ? [...LongTests.files(import.meta.dirname)] : ["packages/*/test/**/*.test.ts"],
  sequence:
    seed === undefined
      ? { sequencer: mode === "long" ? LongestFirstOfLong : LongestFirst }
      : { shuffle: { files: true }, seed: Number(seed) }
})

const names = [
  "interface",
  "core",
  "sandbox",
  "node",
  "files",
  "datasets",
  "promise",
  "cluster",
  "cli",
  "examples",
  "tools",
  "site"
]

/** The same as a project for each package, to choose by name. */
export const projects = (mode: string) =>
  names.map((name) =>
    defineProject({ test: { ...common(mode), name, root: `packages/${name}`, include: ["test/**/*.test.ts"] } })
  )
