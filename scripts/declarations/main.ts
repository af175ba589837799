/**
 * `pnpm tarballs`, after the compiler: puts the comments of fields into the declarations of the endpoints.
 */
import { globSync, readFileSync, writeFileSync } from "node:fs"
import * as Comments from "./Comments.ts"

const folder = "packages/core/dist/"

for (const file of globSync(`${folder}{endpoints/**/*,Params}.d.ts`)) {
  const before = readFileSync(file, "utf8")
  const source = file.replace(folder, "packages/core/src/").replace(/\.d\.ts$/, ".ts")
  const text = Comments.added(before, source)
  if (text !== before) writeFileSync(file, text)
}
