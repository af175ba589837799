/**
 * The tests of a canary run: those of `pnpm test`, with the keys renamed. Vitest loads it, so it reads the environment
 * directly.
 */
import * as fs from "node:fs"
import { defineConfig, type Plugin } from "vitest/config"
import { projects } from "../../../../vitest.workspace.ts"
import { rename } from "./Canary.ts"

const {
  /** Where to say which modules had a key in them. */
  CANARY_RENAMED: list,
  /** Where tests put their files; vitest itself puts source code into its own folder. */
  CANARY_TEMPORARY: temporary = "/tmp"
} = process.env

const canary: Plugin = {
  name: "canary",
  enforce: "pre",
  transform: (code, id) => {
    const renamed = id.includes("/packages/") ? rename(code) : code
    if (renamed === code) return null
    if (list !== undefined) fs.appendFileSync(list, `${id}\n`)
    return { code: renamed, map: null }
  }
}

/** The test command's own projects, their keys renamed as they are loaded. */
export default defineConfig({
  test: {
    projects: projects("test").map(({ test, ...project }) => ({
      ...project,
      plugins: [canary],
      test: { ...test, env: { TMPDIR: temporary } }
    }))
  }
})
