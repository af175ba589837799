import { assert, it } from "@effect/vitest"
import { resolve } from "node:path"
import * as Snippets from "../src/Snippets.ts"

it("pages show the code and the defaults as they are; `pnpm snippets` brings them up to date", () => {
  const stale = Snippets.stale(resolve(import.meta.dirname, "../../..")).map(({ page }) => page)
  assert.deepStrictEqual(stale, [])
})
