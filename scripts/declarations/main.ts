/**
 * `pnpm tarballs`, after the compiler: puts the comments of fields into the declarations of the endpoints, and names of pages in place of
 * their paths into all declarations.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import * as Sources from "../../packages/site/src/Sources.ts"
import * as Comments from "./Comments.ts"

const endpoints = /^packages\/core\/dist\/(?:endpoints\/.+|Params)\.d\.ts$/

for (const file of globSync(`packages/{${Sources.published.join(",")}}/dist/**/*.d.ts`)) {
  const before = readFileSync(file, "utf8")
  const source = file.replace("/dist/", "/src/").replace(/\.d\.ts$/, ".ts")
  const text = Comments.spoken(endpoints.test(file) ? Comments.added(before, source) : before)
  if (text !== before) writeFileSync(file, text)
}
