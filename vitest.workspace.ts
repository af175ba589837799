import { defineProject } from "vitest/config"

/** The list of test projects, one per package. */
const project = (name: string) =>
  defineProject({ test: { name, root: `packages/${name}`, include: ["test/**/*.test.ts"] } })

export default [project("core"), project("sandbox"), project("node"), project("cli"), project("examples")]
