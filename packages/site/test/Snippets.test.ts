import { assert, it } from "@effect/vitest"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as Llms from "../src/Llms.ts"
import * as Snippets from "../src/Snippets.ts"

const root = resolve(import.meta.dirname, "../../..")

it("pages show the code and the defaults as they are; `pnpm snippets` brings them up to date", () => {
  const stale = Snippets.stale(root).map(({ page }) => page)
  assert.deepStrictEqual(stale, [])
})

it("the skill says what it is for, in a page, and has programs of this repository as they are", () => {
  const skill = Llms.skill(root)
  const [, name = "", description = ""] = /^---\nname: ([a-z-]+)\ndescription: (.+)\n---\n/.exec(skill) ?? []
  assert.strictEqual(name, "sluice")
  // What assistants load before they choose.
  assert.isAtMost(description.length, 1_024)
  assert.isAtMost(skill.split("\n").length, 100)
  const programs = [...skill.matchAll(/```ts\n\/\/ (packages\/examples\/\S+)\n/g)].map(([, path = ""]) => path)
  assert.deepStrictEqual(
    programs.map((path) => existsSync(resolve(root, path))),
    [true, true]
  )
  assert.strictEqual(programs.length, skill.split("```ts").length - 1)
})
